/// An entity inside a validated model: a light handle that keeps its model alive.
public struct Entity: Sendable, Hashable {
  public let model: ManagedObjectModel
  public let index: Int

  public static func == (left: Entity, right: Entity) -> Bool {
    left.model === right.model && left.index == right.index
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(model))
    hasher.combine(index)
  }

  public var description: EntityDescription { model.descriptions[index] }
  public var name: String { description.name }
  public var isAbstract: Bool { description.isAbstract }
  public var superentity: Entity? {
    model.resolved.parent[index].map { Entity(model: model, index: $0) }
  }
  /// Direct sub-entities, in the order of `ManagedObjectModel.entities`.
  public var subentities: [Entity] {
    model.resolved.children[index].map { Entity(model: model, index: $0) }
  }
  /// The topmost ancestor; the entity itself when it has no parent.
  public var root: Entity { Entity(model: model, index: model.resolved.root[index]) }

  /// Whether the entity is `other` or descends from it.
  public func isKind(of other: Entity) -> Bool {
    var current: Int? = index
    while let here = current {
      if here == other.index { return true }
      current = model.resolved.parent[here]
    }
    return false
  }

  /// Attributes, inherited ones included, sorted by name by code point.
  public var attributes: [AttributeDescription] { model.resolved.attributes[index] }
  /// Relationships, inherited ones included, sorted by name by code point.
  public var relationships: [Relationship] {
    model.resolved.relationships[index].map { Relationship(entity: self, description: $0) }
  }
  public func attribute(_ name: String) -> AttributeDescription? {
    attributes.first { $0.name == name }
  }
  public func relationship(_ name: String) -> Relationship? {
    model.resolved.relationships[index].first { $0.name == name }.map { Relationship(entity: self, description: $0) }
  }
  /// Own and inherited constraints, the root's first.
  public var uniquenessConstraints: [[String]] {
    (superentity?.uniquenessConstraints ?? []) + description.uniquenessConstraints
  }
}

/// A relationship seen from an entity that has it, declared there or inherited.
public struct Relationship: Sendable, Hashable {
  /// The entity it was asked of, which may inherit it.
  public let entity: Entity
  public let description: RelationshipDescription

  public var name: String { description.name }
  public var isToMany: Bool { description.isToMany }
  public var isOrdered: Bool { description.isOrdered }
  /// The entity that declares the relationship.
  public var declaringEntity: Entity {
    var current = entity
    while !current.description.relationships.contains(where: { $0.name == description.name }),
      let parent = current.superentity
    {
      current = parent
    }
    return current
  }
  public var destination: Entity {
    Entity(model: entity.model, index: entity.model.resolved.index(of: description.destinationEntityName))
  }
  /// The inverse, seen from the destination.
  public var inverse: Relationship? { description.inverseName.flatMap { destination.relationship($0) } }
}
