import ObjectModel
import PropertyLists

extension CompiledModelDecoder {
  /// Decodes an entity with its own properties; those that its superentity has too are inherited copies.
  mutating func decodeEntity(
    _ archived: ArchivedEntity, propertyNames: [String: Set<String>]
  ) throws(ArchiveError) -> EntityDefinition {
    let object = archived.object
    var entity = EntityDefinition(archived.name)
    entity.superentityName = try object.object("NSSuperentity", .entity)?.requiredString("NSEntityName")
    entity.isAbstract = try object.flag("NSIsAbstract")
    // The class that an entity has when the model names none.
    let className = try object.string("NSClassNameForEntity")
    entity.managedObjectClassName = className == "NSManagedObject" ? nil : className?.nonEmpty
    entity.versionHashModifier = try object.string("NSVersionHashModifier")?.nonEmpty
    entity.renamingIdentifier = try renamingIdentifier(object, name: entity.name)
    entity.userInfo = try userInfo(object, entity: entity.name)
    entity.uniquenessConstraints = try nameLists(object, "NSUniqueTuples")
    entity.compoundIndexes = try nameLists(object, "NSCompoundIndexes")
    let inherited = entity.superentityName.flatMap { propertyNames[$0] } ?? []
    for (name, value) in archived.properties where !inherited.contains(name) {
      do {
        try decodeProperty(name, value, into: &entity)
      } catch {
        throw error.naming(name)
      }
    }
    for value in try object.list("NSFetchIndexDescriptions") ?? [] {
      if let index = try decodeFetchIndex(value, entity: entity.name) { entity.fetchIndexes.append(index) }
    }
    removeRepeatedIndexes(&entity)
    return entity
  }

  /// Takes back what the model compiler and older frameworks add for readers of older forms, so that a compiled model
  /// equals its source. An attribute with a fetch index of its own is flagged as indexed too; one with the legacy flag
  /// has an index of its own name; a fetch index over several properties is repeated as a compound index.
  private func removeRepeatedIndexes(_ entity: inout EntityDefinition) {
    let flagged = Set(entity.attributes.filter(\.isIndexed).map(\.name))
    entity.fetchIndexes.removeAll { index in
      index.plainNames == [index.name] && flagged.contains(index.name) && index.partialIndexPredicate == nil
    }
    var indexed: Set<[String]> = []
    for case let names? in entity.fetchIndexes.map(\.plainNames) { indexed.insert(names) }
    entity.compoundIndexes.removeAll(where: indexed.contains)
    for index in entity.attributes.indices where indexed.contains([entity.attributes[index].name]) {
      entity.attributes[index].isIndexed = false
    }
  }

  private mutating func decodeProperty(
    _ name: String, _ value: ArchivedValue, into entity: inout EntityDefinition
  ) throws(ArchiveError) {
    guard case .object(let object) = value else { throw ArchiveError("the property is \(value.shownKind)") }
    // A property counts more than a step: validation and hashing go over it again.
    try object.archive.spend(32)
    if object.kind != .propertyProxy, try object.string("NSPropertyName") != name {
      throw ArchiveError("the property has another name than its key")
    }
    switch object.kind {
    case .attribute, .derivedAttribute, .compositeAttribute:
      entity.attributes.append(try decodeAttribute(object, name: name, entity: entity.name))
    case .relationship:
      entity.relationships.append(try decodeRelationship(object, name: name, entity: entity.name))
    case .fetchedProperty:
      if let property = try decodeFetchedProperty(object, name: name, entity: entity.name) {
        entity.fetchedProperties.append(property)
      }
    case .propertyProxy: throw ArchiveError("the property stands for one that the superentity does not have")
    default: throw ArchiveError("the property is of the class \(object.shownClass), which no property has")
    }
  }

  private mutating func decodeRelationship(
    _ object: ArchivedObject, name: String, entity: String
  ) throws(ArchiveError) -> RelationshipDefinition {
    var relationship = RelationshipDefinition(
      name, toOne: try destinationName(object), inverse: try inverseName(object))
    relationship.maximumCount = try object.integer("NSMaxCount") ?? 0
    relationship.minimumCount = try object.integer("NSMinCount") ?? 0
    relationship.isToMany = relationship.maximumCount != 1
    relationship.isOrdered = try object.flag("NSIsOrdered")
    relationship.isOptional = try object.flag("NSIsOptional")
    relationship.isTransient = try object.flag("NSIsTransient")
    let rule = try object.integer("NSDeleteRule") ?? DeleteRule.noAction.rawValue
    guard let deleteRule = DeleteRule(rawValue: rule) else {
      throw ArchiveError("the delete rule \(rule) is not known")
    }
    relationship.deleteRule = deleteRule
    relationship.versionHashModifier = try object.string("NSVersionHashModifier")?.nonEmpty
    relationship.renamingIdentifier = try renamingIdentifier(object, name: name)
    relationship.userInfo = try userInfo(object, entity: entity, property: name)
    return relationship
  }

  private func destinationName(_ object: ArchivedObject) throws(ArchiveError) -> String {
    if let destination = try object.object("NSDestinationEntity", .entity) {
      return try destination.requiredString("NSEntityName")
    }
    return try object.requiredString("_NSDestinationEntityName")
  }

  private func inverseName(_ object: ArchivedObject) throws(ArchiveError) -> String? {
    if let inverse = try object.object("NSInverseRelationship", .relationship, .propertyProxy),
      let name = try inverse.string("NSPropertyName")
    {
      return name.nonEmpty
    }
    return try object.string("_NSInverseRelationshipName")?.nonEmpty
  }

  /// Compiled models repeat the name where there was no rename.
  func renamingIdentifier(_ object: ArchivedObject, name: String) throws(ArchiveError) -> String? {
    let identifier = try object.string("NSRenamingIdentifier")
    return identifier == name ? nil : identifier?.nonEmpty
  }

  private func nameLists(_ object: ArchivedObject, _ field: String) throws(ArchiveError) -> [[String]] {
    var lists: [[String]] = []
    for value in try object.list(field) ?? [] {
      guard let elements = try value.elements() else { throw ArchiveError("\(field) holds \(value.shownKind)") }
      var names: [String] = []
      for element in elements {
        guard case .string(let name) = element else { throw ArchiveError("\(field) holds \(element.shownKind)") }
        names.append(name)
      }
      lists.append(names)
    }
    return lists
  }
}

extension String {
  /// The string, nil when it is empty.
  var nonEmpty: String? { isEmpty ? nil : self }
}

extension FetchIndexDefinition {
  /// The names of the indexed properties; nil for an index of expressions or in an R-tree.
  var plainNames: [String]? {
    var names: [String] = []
    for element in elements {
      guard element.kind == .binary, case .property(let name) = element.content else { return nil }
      names.append(name)
    }
    return names
  }
}
