// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

extension Room {
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
    get { members(of: "Neighbours").map { Gallery2Classes.checked($0) } }
    set { setValue(newValue, forKey: "Neighbours") }
  }

  /// Adds a member at the end; inverses follow.
  public func addToNeighbours(_ value: Room) {
    mutableOrderedSetValue(forKey: "Neighbours").add(value)
  }

  /// Adds members at the end; inverses follow.
  public func addToNeighbours(_ values: some Sequence<Room>) {
    mutableOrderedSetValue(forKey: "Neighbours").addObjects(from: values.map { $0 })
  }

  /// Removes a member; inverses follow.
  public func removeFromNeighbours(_ value: Room) {
    mutableOrderedSetValue(forKey: "Neighbours").remove(value)
  }

  /// Removes members; inverses follow.
  public func removeFromNeighbours(_ values: some Sequence<Room>) {
    mutableOrderedSetValue(forKey: "Neighbours").removeObjects(in: values.map { $0 })
  }

  /// To-many. Loads the members when it is first asked. After an error of the store, which the context's next
  /// fetch or save throws, there are none.
  public var neighbours: [Room] {
    get { members(of: "neighbours").map { Gallery2Classes.checked($0) } }
    set { setValue(newValue, forKey: "neighbours") }
  }

  /// Adds a member at the end; inverses follow.
  public func addTo_neighbours(_ value: Room) {
    mutableOrderedSetValue(forKey: "neighbours").add(value)
  }

  /// Adds members at the end; inverses follow.
  public func addTo_neighbours(_ values: some Sequence<Room>) {
    mutableOrderedSetValue(forKey: "neighbours").addObjects(from: values.map { $0 })
  }

  /// Removes a member; inverses follow.
  public func removeFrom_neighbours(_ value: Room) {
    mutableOrderedSetValue(forKey: "neighbours").remove(value)
  }

  /// Removes members; inverses follow.
  public func removeFrom_neighbours(_ values: some Sequence<Room>) {
    mutableOrderedSetValue(forKey: "neighbours").removeObjects(in: values.map { $0 })
  }

  /// To-many. Loads the members when it is first asked. After an error of the store, which the context's next
  /// fetch or save throws, there are none.
  public var works: [Work] {
    get { members(of: "works").map { Gallery2Classes.checked($0) } }
    set { setValue(newValue, forKey: "works") }
  }

  /// Adds a member at the end; inverses follow.
  public func addToWorks(_ value: Work) {
    mutableOrderedSetValue(forKey: "works").add(value)
  }

  /// Adds members at the end; inverses follow.
  public func addToWorks(_ values: some Sequence<Work>) {
    mutableOrderedSetValue(forKey: "works").addObjects(from: values.map { $0 })
  }

  /// Removes a member; inverses follow.
  public func removeFromWorks(_ value: Work) {
    mutableOrderedSetValue(forKey: "works").remove(value)
  }

  /// Removes members; inverses follow.
  public func removeFromWorks(_ values: some Sequence<Work>) {
    mutableOrderedSetValue(forKey: "works").removeObjects(in: values.map { $0 })
  }
}

extension Room: PropertyNaming, ClassListing {
  /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
  /// of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
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

  /// The classes of the model, which a container that was given none takes when it first meets this one.
  public static var modelClasses: [Swift.String: ManagedObject.Type] {
    Gallery2Classes.byEntityName
  }
}
