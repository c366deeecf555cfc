package import ObjectModel

/// Where an entity's properties lie in snapshots: names to positions, looked up once instead of searched.
package final class EntityLayout: Sendable {
  package let entity: Entity
  /// `Entity.attributes`: the order of `Snapshot.attributes`.
  package let attributes: [AttributeDescription]
  /// `Entity.relationships`: the order of `Snapshot.toOne`.
  package let relationships: [Relationship]
  package let attributeIndexes: [String: Int]
  package let relationshipIndexes: [String: Int]
  private let attributeNames: [String]
  /// The names as they lie in memory.
  private let attributeWords: [Words]
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
    attributeNames = attributes.map(\.name)
    attributeWords = attributeNames.map { Words($0) }
  }

  /// The two words of a string. Strings that have the same are equal; others may be equal, too. Short ones, up to 15 bytes,
  /// are all there.
  private struct Words: Equatable {
    let first: UInt64
    let second: UInt64

    @inline(__always) init(_ string: String) {
      // Safety: a string of a 64-bit system has two words, which are compared and nothing else.
      (first, second) = unsafe unsafeBitCast(string, to: (UInt64, UInt64).self)
    }
  }

  /// The position of the attribute of that name; nil where there is none.
  package func attributeIndex(_ name: String) -> Int? {
    let words = Words(name)
    for index in 0..<min(attributeWords.count, 32) where attributeWords[index] == words { return index }
    return attributeNames.count <= 4 ? attributeNames.firstIndex(of: name) : attributeIndexes[name]
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
