package import ObjectModel

/// Where an entity's properties lie in snapshots: names to positions, looked up once instead of searched.
@usableFromInline package final class EntityLayout: Sendable {
  package let entity: Entity
  /// `Entity.attributes`: the order of `Snapshot.attributes`.
  package let attributes: [AttributeDefinition]
  /// `Entity.relationships`: the order of `Snapshot.toOne`.
  package let relationships: [Relationship]
  @usableFromInline package let attributeIndexes: [String: Int]
  @usableFromInline package let relationshipIndexes: [String: Int]
  /// The inverse of each relationship as its destination names it.
  package let inverses: [Relationship?]

  init(_ entity: Entity) {
    self.entity = entity
    attributes = entity.attributes
    relationships = entity.relationships
    attributeIndexes = Dictionary(
      entity.attributes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    relationshipIndexes = Dictionary(
      relationships.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    inverses = relationships.map(\.inverse)
  }
}

/// The layouts of all entities of a model.
package final class ModelLayout: Sendable {
  package let layouts: [EntityLayout]

  package init(_ model: ManagedObjectModel) {
    layouts = model.entities.map { EntityLayout($0) }
  }

  package subscript(entity: Entity) -> EntityLayout { layouts[entity.index] }
}
