package import ObjectModel
package import Predicates

/// A uniqueness constraint with the rows it is about.
///
/// A store keeps a hierarchy in one table and a constraint as one unique index over that table, so it is about every
/// row that has the columns: the rows of each entity that has (declares or inherits) the very properties.
package struct UniquenessConstraint: Sendable {
  /// Where a part of the constraint lies in a snapshot.
  private enum Part: Sendable {
    /// An attribute by its position, with the path of the element inside a composite.
    case attribute(Int, element: [String])
    case toOne(Int)
  }

  /// The entity that declares the constraint.
  package let entity: Entity
  package let properties: [String]
  /// Whether a derived attribute takes part.
  package let hasDerivedPart: Bool
  /// Entity's index → the parts in its snapshots; nil for entities that the constraint is not about.
  private let parts: [[Part]?]

  /// Every constraint of the model, in entity order.
  package static func all(_ layout: ModelLayout) -> [UniquenessConstraint] {
    layout.layouts.flatMap { own in
      own.entity.definition.uniquenessConstraints.map {
        UniquenessConstraint(entity: own.entity, properties: $0, layout: layout)
      }
    }
  }

  private init(entity: Entity, properties: [String], layout: ModelLayout) {
    self.entity = entity
    self.properties = properties
    hasDerivedPart = properties.contains { entity.attribute($0)?.derivation != nil }
    let declaring = properties.map { Self.declaringEntity(of: $0, seenFrom: entity) }
    parts = layout.layouts.map { other in
      guard declaring.allSatisfy({ other.entity.isKind(of: $0) }) else { return nil }
      return properties.compactMap { name in
        let path = name.keyPathComponents
        guard let first = path.first else { return nil }
        return other.attributeIndexes[first].map { .attribute($0, element: Array(path.dropFirst())) }
          ?? other.relationshipIndexes[first].map { .toOne($0) }
      }
    }
  }

  /// The values that must be unique: those of the parts, a to-one relationship as its primary key. Nil when the
  /// constraint is not about the entity, or when a part is missing, which SQLite's unique indexes let pass.
  package func values(of snapshot: Snapshot) -> ValueTuple? {
    guard let parts = parts[snapshot.objectID.entity.index] else { return nil }
    let values = parts.map { part in
      switch part {
      case .attribute(let index, let element): snapshot.attributes[index].element(at: element)
      case .toOne(let index): snapshot.toOne[index]?.primaryKey.map { Value.integer($0) } ?? .null
      }
    }
    let tuple = ValueTuple(values)
    return tuple.hasMissingValue ? nil : tuple
  }

  package func conflict(_ tuple: ValueTuple) -> StoreError {
    let names = properties.joined(separator: ", ")
    return .constraintConflict(
      entity: entity.name, constraint: properties, message: "another object has the same \(names): \(tuple.values)")
  }

  private static func declaringEntity(of path: String, seenFrom entity: Entity) -> Entity {
    var current = entity
    let property = path.prefix { $0 != "." }
    while !current.definition.attributes.contains(where: { $0.name == property }),
      !current.definition.relationships.contains(where: { $0.name == property }),
      let parent = current.superentity
    {
      current = parent
    }
    return current
  }
}
