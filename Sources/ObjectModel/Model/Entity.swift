/// An entity inside a validated model: a light handle that keeps its model alive.
public struct Entity: Sendable, Hashable {
  /// The model that it belongs to.
  public let model: ManagedObjectModel
  /// The position in `ManagedObjectModel.definitions`.
  public let index: Int

  /// Entities are equal when they are the same entity of the same model object.
  public static func == (left: Entity, right: Entity) -> Bool {
    left.model === right.model && left.index == right.index
  }

  /// Hashes the model's identity and the index.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(model))
    hasher.combine(index)
  }

  /// The entity as declared, with its own properties only.
  public var definition: EntityDefinition { model.definitions[index] }
  /// Unique in the model.
  public var name: String { model.definitions[index].name }
  /// Whether only sub-entities have objects.
  public var isAbstract: Bool { model.definitions[index].isAbstract }

  /// The direct parent, nil for a root.
  public var superentity: Entity? {
    model.resolved.entities[index].parent.map { Entity(model: model, index: $0) }
  }
  /// Direct sub-entities, in the order of `ManagedObjectModel.entities`.
  public var subentities: [Entity] {
    model.resolved.entities[index].children.map { Entity(model: model, index: $0) }
  }
  /// The topmost ancestor; the entity itself when it has no parent.
  public var root: Entity { Entity(model: model, index: model.resolved.entities[index].root) }

  /// Whether the entity is `other` or descends from it. O(depth).
  public func isKind(of other: Entity) -> Bool {
    guard model === other.model else { return false }
    var current: Int? = index
    while let here = current {
      if here == other.index { return true }
      current = model.resolved.entities[here].parent
    }
    return false
  }

  /// Attributes, inherited ones included, sorted by name by code point.
  public var attributes: [AttributeDefinition] { model.resolved.entities[index].attributes }
  /// Relationships, inherited ones included, sorted by name by code point.
  public var relationships: [Relationship] {
    model.resolved.entities[index].relationships.indices.map { Relationship(entity: self, index: $0) }
  }
  /// Attributes by their names, inherited ones included.
  public var attributesByName: [String: AttributeDefinition] {
    Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
  /// Relationships by their names, inherited ones included.
  public var relationshipsByName: [String: Relationship] {
    Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
  /// The attribute of that name, inherited ones included. O(1).
  public func attribute(_ name: String) -> AttributeDefinition? {
    let resolved = model.resolved.entities[index]
    return resolved.attributeIndex[name].map { resolved.attributes[$0] }
  }
  /// The relationship of that name, inherited ones included. O(1).
  public func relationship(_ name: String) -> Relationship? {
    model.resolved.entities[index].relationshipIndex[name].map { Relationship(entity: self, index: $0) }
  }
  /// Own and inherited constraints, the root's first.
  public var uniquenessConstraints: [[String]] { model.resolved.entities[index].uniquenessConstraints }
}

/// A relationship seen from an entity that has it, declared there or inherited.
public struct Relationship: Sendable, Hashable {
  /// The entity it was asked of, which may inherit it.
  public let entity: Entity
  /// The position in `entity.relationships`.
  let index: Int

  private var resolved: ResolvedModel.ResolvedRelationship {
    // Lent: a copy would retain all that the definition holds.
    _read { yield entity.model.resolved.entities[entity.index].relationships[index] }
  }

  /// The relationship as declared.
  public var definition: RelationshipDefinition { resolved.definition }
  /// Unique among the entity's properties.
  public var name: String { resolved.definition.name }
  /// Whether it leads to any number of objects.
  public var isToMany: Bool { resolved.definition.isToMany }
  /// Whether the objects of a to-many relationship have an order of their own. A to-one relationship that is marked as
  /// ordered has none; the mark only enters its version hash.
  public var isOrdered: Bool { resolved.definition.isOrdered && resolved.definition.isToMany }
  /// Whether it is to-many and the number of its members has a minimum or a maximum.
  public var hasCountLimit: Bool {
    let rules = resolved.definition
    return rules.isToMany && (rules.minimumCount > 0 || rules.maximumCount > 0)
  }
  /// The entity that declares the relationship.
  public var declaringEntity: Entity { Entity(model: entity.model, index: resolved.declaringEntity) }
  /// The entity that it leads to; objects may be of its sub-entities.
  public var destination: Entity { Entity(model: entity.model, index: resolved.destination) }
  /// The inverse, seen from the destination.
  public var inverse: Relationship? {
    resolved.inverse.map { Relationship(entity: destination, index: $0) }
  }
  /// Whether the relationship is its own inverse, as friends ↔ friends of a Person.
  public var isOwnInverse: Bool {
    let resolved = resolved
    return resolved.definition.inverseName == resolved.definition.name
      && resolved.destination == resolved.declaringEntity
  }
}
