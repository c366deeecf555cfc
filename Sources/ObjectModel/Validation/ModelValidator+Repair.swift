extension ModelValidator {
  /// The entities without what the warnings are about, so that no other code has to expect it: a constraint or default
  /// that cannot hold, an inverse that does not lead back. Version hashes are those of the entities as they were
  /// declared.
  func repairedEntities() -> [EntityDefinition] {
    if warnings.isEmpty { return entities }
    return entities.indices.map { index in
      var entity = entities[index]
      for position in entity.attributes.indices { repair(&entity.attributes[position]) }
      for position in entity.relationships.indices {
        let relationship = entity.relationships[position]
        if relationship.inverseName != nil, !hasMutualInverse(relationship, of: index) {
          entity.relationships[position].inverseName = nil
        }
        if relationship.isToMany, relationship.maximumCount > 0,
          relationship.minimumCount > relationship.maximumCount
        {
          entity.relationships[position].minimumCount = 0
        }
      }
      entity.uniquenessConstraints.removeAll { !isUsable($0, of: index) }
      entity.fetchedProperties.removeAll { indexByName[$0.fetchRequest.entityName] == nil }
      for position in entity.fetchedProperties.indices { repair(&entity.fetchedProperties[position].fetchRequest) }
      return entity
    }
  }

  /// The templates of known entities, with limits and result types that mean something; of one name the first.
  func repaired(_ templates: [FetchRequestTemplate]) -> [FetchRequestTemplate] {
    var seen: Set<String> = []
    return templates.compactMap { template in
      guard indexByName[template.entityName] != nil, seen.insert(template.name).inserted else { return nil }
      var template = template
      repair(&template)
      return template
    }
  }

  /// The configurations with the entities that there are.
  func repaired(_ configurations: [String: [String]]) -> [String: [String]] {
    configurations.mapValues { names in names.filter { indexByName[$0] != nil } }
  }

  private func repair(_ request: inout FetchRequestTemplate) {
    request.fetchLimit = max(0, request.fetchLimit)
    request.fetchBatchSize = max(0, request.fetchBatchSize)
    if !Self.resultTypes.contains(request.resultType) { request.resultType = 0 }
  }

  private func repair(_ attribute: inout AttributeDefinition) {
    if !attribute.type.admitsDefault(attribute.defaultValue) { attribute.defaultValue = .null }
    if !attribute.type.admitsBound(attribute.minimumValue) { attribute.minimumValue = .null }
    if !attribute.type.admitsBound(attribute.maximumValue) { attribute.maximumValue = .null }
    if isGreater(attribute.minimumValue, than: attribute.maximumValue) {
      attribute.minimumValue = .null
      attribute.maximumValue = .null
    }
    if let pattern = attribute.regularExpression, attribute.type != .string || !Self.isRegularExpression(pattern) {
      attribute.regularExpression = nil
    }
    guard var composite = attribute.composite else { return }
    for index in composite.elements.indices { repair(&composite.elements[index]) }
    attribute.composite = composite
  }

  private func isUsable(_ constraint: [String], of index: Int) -> Bool {
    guard !constraint.isEmpty, Set(constraint).count == constraint.count else { return false }
    return constraint.allSatisfy { name in
      switch standing(of: name, in: index) {
      case .stored: true
      default: false
      }
    }
  }

  /// Whether the relationship's inverse is there and names it as its own inverse, leading back to it.
  private func hasMutualInverse(_ relationship: RelationshipDefinition, of index: Int) -> Bool {
    guard let name = relationship.inverseName, let destination = indexByName[relationship.destinationEntityName],
      case .relationship(let inverse)? = members[destination][name]?.property,
      inverse.inverseName == relationship.name, let back = indexByName[inverse.destinationEntityName]
    else { return false }
    return members[back][relationship.name].map { entities[$0.declaringEntity].name } == entities[index].name
  }
}
