public import ObjectModel
public import StoreInterface

// Core Data has optionals where the types here do not. Each property below has the name of one of the type itself, and
// Core Data's type. Swift takes it only where an optional is asked for, as by `entity.name!` or `?? ""`, because a
// type's own properties come before those of protocols. Both must mean the same, whichever is taken. (A set in place of
// an array would not do: where both fit, as in `#expect(list.isEmpty)`, the compiler takes neither.)

/// Members of `Entity` with Core Data's optional types, for code that unwraps them.
public protocol EntitySpelling {}

extension Entity: EntitySpelling {}

extension EntitySpelling where Self == Entity {
  /// The name, which is never nil.
  public var name: String? {
    let name: String = self.name
    return name
  }
}

/// Members of `EntityDescription` with Core Data's optional types, for code that unwraps them.
public protocol EntityDescriptionSpelling {}

extension EntityDescription: EntityDescriptionSpelling {}

extension EntityDescriptionSpelling where Self == EntityDescription {
  /// The name, which is never nil.
  public var name: String? {
    let name: String = self.name
    return name
  }
  /// The class, which is never nil.
  public var managedObjectClassName: String? {
    let name: String = self.managedObjectClassName
    return name
  }
}

/// Members of `Relationship` with Core Data's optional types, for code that unwraps them.
public protocol RelationshipSpelling {}

extension Relationship: RelationshipSpelling {}

extension RelationshipSpelling where Self == Relationship {
  /// The destination, which is never nil.
  public var destinationEntity: Entity? { self.destination }
}

/// Members of `FetchSortDescriptor` with Core Data's optional types, for code that unwraps them.
public protocol SortDescriptorSpelling {}

extension FetchSortDescriptor: SortDescriptorSpelling {}

extension SortDescriptorSpelling where Self == FetchSortDescriptor {
  /// The key path with dots, which is never nil.
  public var key: String? {
    let key: String = self.key
    return key
  }
}
