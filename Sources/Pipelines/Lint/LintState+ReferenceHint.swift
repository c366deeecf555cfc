import ObjectModel

extension LintState {
  /// How a field leads to the objects of a relationship: by their key, or, where no step imports them, as the objects
  /// that its values become.
  func referenceHint(
    _ expression: RecordExpression, _ relationship: Relationship, _ source: SourceSettings
  ) -> String {
    let destination = relationship.destination
    let key = destination.uniquenessConstraints.first?.first ?? destination.attributes.first?.name ?? "identifier"
    let found = "{ match: \(key), from: \(expression.source) }"
    let isImported = file.imports.contains { model[$0.entity]?.isKind(of: destination) == true }
    guard !isImported, Self.canBeMade(of: key, destination, relationship), case .field = expression.root,
      source.format.isJSON || relationship.isToMany
    else { return "write \(found), or { from: ..., map: { ... } } for nested objects" }
    let values = source.format.isJSON ? expression.source : "\"split(\(expression.source), ',')\""
    return
      "write { from: \(values), match: \(key), map: { \(key): . } } to make objects of the values, as no step imports "
      + "\(destination.name), or \(found) for those that the store has"
  }

  /// Whether an object needs nothing but the key, which tells it apart.
  private static func canBeMade(of key: String, _ entity: Entity, _ relationship: Relationship) -> Bool {
    let demands = entity.attributes.filter {
      !$0.isOptional && $0.defaultValue == .null && $0.derivation == nil && !$0.isTransient
    }
    return !entity.isAbstract && entity.uniquenessConstraints.contains([key]) && demands.allSatisfy { $0.name == key }
      && entity.relationships.allSatisfy { !$0.definition.isMandatory || $0 == relationship.inverse }
  }
}
