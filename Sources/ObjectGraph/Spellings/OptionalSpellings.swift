import Foundation
public import ObjectModel
import Predicates
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

/// Members of `BatchUpdateRequest` with Core Data's types, for dictionaries of any values.
public protocol BatchUpdateSpelling {}

extension BatchUpdateRequest: BatchUpdateSpelling {}

extension BatchUpdateSpelling where Self: BatchUpdateRequest {
  /// The new values by property names: expressions, values that an attribute can have, `NSNull` for none. Another key
  /// or value stops the program.
  public var propertiesToUpdate: [AnyHashable: Any]? {
    get {
      let properties: [String: (any PredicateArgument)?]? = self.propertiesToUpdate
      return properties.map { properties in
        Dictionary(uniqueKeysWithValues: properties.map { ($0, $1.map { $0 as Any } ?? NSNull()) })
      }
    }
    nonmutating set {
      let properties = newValue?.map { key, value -> (String, (any PredicateArgument)?) in
        guard let name = key.base as? String else { preconditionFailure("a property has a name, and was \(key)") }
        if let argument = value as? any PredicateArgument { return (name, argument) }
        guard let value = Value(anyValue: value is NSNull ? nil : value) else {
          preconditionFailure("\(name) cannot be set to a \(type(of: value))")
        }
        return (name, value == .null ? nil : value)
      }
      self.propertiesToUpdate = properties.map {
        Dictionary(uniqueKeysWithValues: $0) as [String: (any PredicateArgument)?]
      }
    }
  }
}
