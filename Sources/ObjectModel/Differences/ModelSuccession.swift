/// The successor of an entity in a newer model.
package struct EntitySuccession: Sendable {
  /// The entity's newer name.
  package let entity: String
  /// The newer names of its stored properties, by the older ones; those that are gone are missing.
  package let properties: [String: String]

  /// The present name of an entity, with its properties.
  package init(entity: String, properties: [String: String]) {
    self.entity = entity
    self.properties = properties
  }
}

extension ManagedObjectModel {
  /// The successors of this model's entities and properties in `newer` by their names and renaming identifiers, whether
  /// or not a mapping can be inferred: by the older names, those that are gone are missing.
  package func successions(in newer: ManagedObjectModel) -> [String: EntitySuccession] {
    var inference = MappingInference(older: self, newer: newer)
    inference.run()
    let pairs = inference.pairs.map { old, new in
      let properties = (inference.sources[new.name] ?? [:]).map { ($0.value, $0.key) }
      return (
        old.name,
        EntitySuccession(
          entity: new.name, properties: Dictionary(properties, uniquingKeysWith: { first, _ in first }))
      )
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}
