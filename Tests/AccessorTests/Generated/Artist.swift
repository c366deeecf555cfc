// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// An object of the entity Artist.
public final class Artist: ManagedObject, PropertyNaming {
  /// Makes a new object with the model's defaults.
  @discardableResult
  public class func insert(into context: ManagedObjectContext) -> Artist {
    Gallery2Classes.checked(
      context.insert(Gallery2Classes.entity("Artist", in: context.persistentStoreCoordinator.managedObjectModel)))
  }

  /// String, required.
  public var name: Swift.String {
    get { if case .string(let value) = self["name"] { value } else { "" } }
    set { self["name"] = .string(newValue) }
  }

  /// To-one.
  public var selfProperty: Artist? {
    get { object(for: "self").map { Gallery2Classes.checked($0) } }
    set { setObject(newValue, for: "self") }
  }

  /// To-many, ordered. Loads the members when it is first asked. After an error of the store, which the context's next
  /// fetch or save throws, there are none.
  public var works: [Work] {
    members(of: "works").map { Gallery2Classes.checked($0) }
  }

  /// Makes these the members of `works`.
  public func setWorks(_ members: [Work]) throws { try setObjects(members, for: "works") }

  /// Adds a member to `works`; the inverse follows.
  public func addToWorks(_ member: Work) throws { try add(member, to: "works") }

  /// Adds members to `works`; the inverse follows.
  public func addToWorks(_ members: [Work]) throws {
    for member in members { try add(member, to: "works") }
  }

  /// Removes a member from `works`; the inverse follows.
  public func removeFromWorks(_ member: Work) throws { try remove(member, from: "works") }

  /// Removes members from `works`; the inverse follows.
  public func removeFromWorks(_ members: [Work]) throws {
    for member in members { try remove(member, from: "works") }
  }

  /// The property that a key path of this class stands for, so that `#Predicate` can speak of it.
  public class func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \Artist.name: "name"
    case \Artist.selfProperty: "self"
    case \Artist.works: "works"
    default: nil
    }
  }
}
