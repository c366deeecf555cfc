// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// An object of the entity Room.
public final class Room: ManagedObject, PropertyNaming {
  /// Makes a new object with the model's defaults.
  @discardableResult
  public class func insert(into context: ManagedObjectContext) -> Room {
    Gallery2Classes.checked(
      context.insert(Gallery2Classes.entity("Room", in: context.persistentStoreCoordinator.managedObjectModel)))
  }

  /// String.
  public var TypeProperty: Swift.String? {
    get { if case .string(let value) = self["Type"] { value } else { nil } }
    set { self["Type"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var add: Swift.String? {
    get { if case .string(let value) = self["add"] { value } else { nil } }
    set { self["add"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var `class`: Swift.String? {
    get { if case .string(let value) = self["class"] { value } else { nil } }
    set { self["class"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var context: Swift.String? {
    get { if case .string(let value) = self["context"] { value } else { nil } }
    set { self["context"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var `default`: Swift.String? {
    get { if case .string(let value) = self["default"] { value } else { nil } }
    set { self["default"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var entityPropertyProperty: Swift.String? {
    get { if case .string(let value) = self["entity"] { value } else { nil } }
    set { self["entity"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var entityProperty: Swift.String? {
    get { if case .string(let value) = self["entityProperty"] { value } else { nil } }
    set { self["entityProperty"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var hash: Swift.String? {
    get { if case .string(let value) = self["hash"] { value } else { nil } }
    set { self["hash"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var insert: Swift.String? {
    get { if case .string(let value) = self["insert"] { value } else { nil } }
    set { self["insert"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var isDeletedProperty: Swift.String? {
    get { if case .string(let value) = self["isDeleted"] { value } else { nil } }
    set { self["isDeleted"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var members: Swift.String? {
    get { if case .string(let value) = self["members"] { value } else { nil } }
    set { self["members"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var object: Swift.String? {
    get { if case .string(let value) = self["object"] { value } else { nil } }
    set { self["object"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var objects: Swift.String? {
    get { if case .string(let value) = self["objects"] { value } else { nil } }
    set { self["objects"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var remove: Swift.String? {
    get { if case .string(let value) = self["remove"] { value } else { nil } }
    set { self["remove"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var value: Swift.String? {
    get { if case .string(let value) = self["value"] { value } else { nil } }
    set { self["value"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// To-many. Loads the members when it is first asked. After an error of the store, which the context's next
  /// fetch or save throws, there are none.
  public var Neighbours: [Room] {
    members(of: "Neighbours").map { Gallery2Classes.checked($0) }
  }

  /// Makes these the members of `Neighbours`.
  public func setNeighbours(_ members: [Room]) throws { try setObjects(members, for: "Neighbours") }

  /// Adds a member to `Neighbours`; the inverse follows.
  public func addToNeighbours(_ member: Room) throws { try add(member, to: "Neighbours") }

  /// Adds members to `Neighbours`; the inverse follows.
  public func addToNeighbours(_ members: [Room]) throws {
    for member in members { try add(member, to: "Neighbours") }
  }

  /// Removes a member from `Neighbours`; the inverse follows.
  public func removeFromNeighbours(_ member: Room) throws { try remove(member, from: "Neighbours") }

  /// Removes members from `Neighbours`; the inverse follows.
  public func removeFromNeighbours(_ members: [Room]) throws {
    for member in members { try remove(member, from: "Neighbours") }
  }

  /// To-many. Loads the members when it is first asked. After an error of the store, which the context's next
  /// fetch or save throws, there are none.
  public var neighbours: [Room] {
    members(of: "neighbours").map { Gallery2Classes.checked($0) }
  }

  /// Makes these the members of `neighbours`.
  public func set_neighbours(_ members: [Room]) throws { try setObjects(members, for: "neighbours") }

  /// Adds a member to `neighbours`; the inverse follows.
  public func addTo_neighbours(_ member: Room) throws { try add(member, to: "neighbours") }

  /// Adds members to `neighbours`; the inverse follows.
  public func addTo_neighbours(_ members: [Room]) throws {
    for member in members { try add(member, to: "neighbours") }
  }

  /// Removes a member from `neighbours`; the inverse follows.
  public func removeFrom_neighbours(_ member: Room) throws { try remove(member, from: "neighbours") }

  /// Removes members from `neighbours`; the inverse follows.
  public func removeFrom_neighbours(_ members: [Room]) throws {
    for member in members { try remove(member, from: "neighbours") }
  }

  /// To-many. Loads the members when it is first asked. After an error of the store, which the context's next
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
    case \Room.TypeProperty: "Type"
    case \Room.add: "add"
    case \Room.`class`: "class"
    case \Room.context: "context"
    case \Room.`default`: "default"
    case \Room.entityPropertyProperty: "entity"
    case \Room.entityProperty: "entityProperty"
    case \Room.hash: "hash"
    case \Room.insert: "insert"
    case \Room.isDeletedProperty: "isDeleted"
    case \Room.members: "members"
    case \Room.object: "object"
    case \Room.objects: "objects"
    case \Room.remove: "remove"
    case \Room.value: "value"
    case \Room.Neighbours: "Neighbours"
    case \Room.neighbours: "neighbours"
    case \Room.works: "works"
    default: nil
    }
  }
}
