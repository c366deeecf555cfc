import ObjectModel

/// Tells relationships apart: one that sub-entities inherit is one relationship for all of them.
struct RelationshipKey: Hashable {
  private let entity: Int
  private let name: String

  init(_ relationship: Relationship) {
    entity = relationship.declaringEntity.index
    name = relationship.name
  }
}
