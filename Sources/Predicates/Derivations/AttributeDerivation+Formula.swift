import ObjectModel

extension AttributeDerivation {
  private typealias Refusal = ModelPredicate.Refusal

  static func formula(
    of derivation: AttributeDefinition.Derivation, for attribute: AttributeDefinition, of entity: Entity
  ) throws(ModelPredicate.Refusal) -> Formula {
    if attribute.composite != nil { throw Refusal(message: "it has no column of its own") }
    let formula = try DerivationFormula(parsing: derivation.expression)
    switch formula {
    case .now, .value:
      if derivation.filteringPredicate != nil {
        throw Refusal(message: "a filtering predicate belongs to a count or a sum")
      }
    case .count, .sum: break
    }
    switch formula {
    case .now:
      guard attribute.type == .date else { throw Refusal(message: "now() needs an attribute of type Date") }
      return .now
    case .value(let path, let function): return try value(path, function, attribute, entity)
    case .count(let name):
      let relationship = try toMany(name, of: entity)
      guard attribute.type.isQuantity else { throw Refusal(message: "a count needs a number") }
      return .aggregate(relationship, summed: nil, filter: try filter(derivation, relationship))
    case .sum(let name, let path):
      let relationship = try toMany(name, of: entity)
      let summed = path.joined(separator: ".")
      let source = try storedAttribute(summed, of: relationship.destination)
      guard attribute.type.isQuantity, source.type.isQuantity else { throw Refusal(message: "a sum needs numbers") }
      return .aggregate(relationship, summed: summed, filter: try filter(derivation, relationship))
    }
  }

  private static func toMany(_ name: String, of entity: Entity) throws(Refusal) -> Relationship {
    guard let relationship = entity.relationship(name), relationship.isToMany, !relationship.definition.isTransient
    else { throw Refusal(message: "\(entity.name) has no stored to-many relationship \(name)") }
    return relationship
  }

  private static func value(
    _ names: [String], _ function: DerivationFormula.TextFunction?, _ target: AttributeDefinition, _ entity: Entity
  ) throws(Refusal) -> Formula {
    var path: [Relationship] = []
    var here = entity
    var rest = names[...]
    while let name = rest.first, let relationship = here.relationship(name) {
      guard !relationship.isToMany, !relationship.definition.isTransient else {
        throw Refusal(message: "\(here.name).\(name) is not a stored to-one relationship")
      }
      here = relationship.destination
      path.append(relationship)
      rest.removeFirst()
    }
    let name = rest.joined(separator: ".")
    let source = try storedAttribute(name, of: here)
    if source.allowsExternalBinaryDataStorage {
      throw Refusal(message: "\(here.name).\(name) may be kept in a file")
    }
    guard source.type.form == target.type.form else { throw Refusal(message: "\(here.name).\(name) has another type") }
    if function != nil, source.type != .string { throw Refusal(message: "\(here.name).\(name) is no String") }
    return .value(path: path, attribute: name, function: function)
  }

  private static func filter(
    _ derivation: AttributeDefinition.Derivation, _ relationship: Relationship
  ) throws(Refusal) -> ModelPredicate? {
    guard let text = derivation.filteringPredicate else { return nil }
    let predicate = try ModelPredicate(parsing: text)
    for keyPath in predicate.keyPaths.sorted()
    where (try? storedAttribute(keyPath, of: relationship.destination)) == nil {
      throw Refusal(message: "\(keyPath) is not a column of the entity's own table")
    }
    return predicate
  }

  /// An attribute, or the leaf of a composite by its dotted path.
  private static func storedAttribute(_ path: String, of entity: Entity) throws(Refusal) -> AttributeDefinition {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var found = names.first.flatMap { entity.attribute($0) }
    for name in names.dropFirst() { found = found?.composite?.elements.first { $0.name == name } }
    guard let found, !found.isTransient, found.composite == nil else {
      throw Refusal(message: "\(entity.name) has no stored attribute \(path)")
    }
    return found
  }
}

extension AttributeType {
  fileprivate var isQuantity: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float: true
    default: false
    }
  }

  /// The first of the types whose values are kept alike.
  fileprivate var form: AttributeType {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .integer64
    case .double, .float: .double
    case .string, .undefined, .objectID, .composite: .string
    default: self
    }
  }
}
