public import ObjectModel

// Core Data has optionals and sets where the types here say more. Each property below has the name of one of the type
// itself, and Core Data's type. Swift takes it only where that type is asked for, as by `entity.name!`, `?? ""` or
// `.union(…)`, because a type's own properties come before those of protocols. Both must mean the same, whichever is taken.

/// Core Data's types of what an entity says.
public protocol EntitySpelling {}

extension Entity: EntitySpelling {}

extension EntitySpelling where Self == Entity {
  /// The name, which is never nil.
  public var name: String? {
    let name: String = self.name
    return name
  }
}

/// Core Data's types of what a relationship says.
public protocol RelationshipSpelling {}

extension Relationship: RelationshipSpelling {}

extension RelationshipSpelling where Self == Relationship {
  /// The destination, which is never nil.
  public var destinationEntity: Entity? { self.destination }
}

/// Core Data's types of what a context says.
public protocol ContextSpelling {}

extension ManagedObjectContext: ContextSpelling {}

extension ContextSpelling where Self == ManagedObjectContext {
  /// The objects that the next save inserts, in no order.
  public var insertedObjects: Set<ManagedObject> {
    let objects: [ManagedObject] = self.insertedObjects
    return Set(objects)
  }
  /// The objects whose changes the next save writes, in no order.
  public var updatedObjects: Set<ManagedObject> {
    let objects: [ManagedObject] = self.updatedObjects
    return Set(objects)
  }
  /// The objects that the next save deletes, in no order.
  public var deletedObjects: Set<ManagedObject> {
    let objects: [ManagedObject] = self.deletedObjects
    return Set(objects)
  }
  /// The objects that the context has, in no order.
  public var registeredObjects: Set<ManagedObject> {
    let objects: [ManagedObject] = self.registeredObjects
    return Set(objects)
  }
}
