public import ObjectModel
public import StoreInterface

// Core Data has optionals, sets and values of any type where the types here say more. Each property below has the name
// of one of the type itself, and Core Data's type. Swift takes it only where that type is asked for, as by
// `entity.name!`, `?? ""`, `as? String` or `.union(…)`, because a type's own properties come before those of protocols.

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

/// Core Data's types of what a conflict says.
public protocol MergeConflictSpelling {}

extension MergeConflict: MergeConflictSpelling {}

extension MergeConflictSpelling where Self == MergeConflict {
  /// What the object holds now, as `value(forKey:)` would give it; `NSNull` for nil.
  public var objectSnapshot: [String: Any]? {
    let values: [String: PropertyValue] = self.objectSnapshot
    return self.sourceObject.plain(values)
  }
  /// What was read.
  public var cachedSnapshot: [String: Any]? {
    let values: [String: PropertyValue] = self.cachedSnapshot
    return self.sourceObject.plain(values)
  }
  /// What the store has now; nil when the row is gone.
  public var persistedSnapshot: [String: Any]? {
    let values: [String: PropertyValue]? = self.persistedSnapshot
    return values.map { self.sourceObject.plain($0) }
  }
}

/// Core Data's types of what a change of a store's history says.
public protocol HistoryChangeSpelling {}

extension PersistentHistoryChange: HistoryChangeSpelling {}

extension HistoryChangeSpelling where Self == PersistentHistoryChange {
  /// The properties of an updated object that have other values, or of which it may be so; nil for the other types of
  /// change.
  public var updatedProperties: [any PropertyDescription]? {
    let names: Set<String>? = self.updatedProperties
    return names.map { names in self.changedObjectID.entity.properties.filter { names.contains($0.name) } }
  }
}
