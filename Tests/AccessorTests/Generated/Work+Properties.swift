// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

extension Work {
  /// Binary.
  public var binaryValue: Seedbed.Data? {
    get { if case .data(let value) = self["binaryValue"] { value } else { nil } }
    set { self["binaryValue"] = newValue.map { Seedbed.Value.data($0) } ?? .null }
  }

  /// Boolean.
  public var booleanValue: Bool? {
    get { if case .boolean(let value) = self["booleanValue"] { value } else { nil } }
    set { self["booleanValue"] = newValue.map { Seedbed.Value.boolean($0) } ?? .null }
  }

  /// Date.
  public var dateValue: Seedbed.Date? {
    get { if case .date(let value) = self["dateValue"] { value } else { nil } }
    set { self["dateValue"] = newValue.map { Seedbed.Value.date($0) } ?? .null }
  }

  /// Decimal.
  public var decimalValue: Decimal? {
    get { if case .decimal(let value) = self["decimalValue"] { value } else { nil } }
    set { self["decimalValue"] = newValue.map { Seedbed.Value.decimal($0) } ?? .null }
  }

  /// Double.
  public var doubleValue: Double? {
    get { if case .double(let value) = self["doubleValue"] { value } else { nil } }
    set { self["doubleValue"] = newValue.map { Seedbed.Value.double($0) } ?? .null }
  }

  /// Float.
  public var floatValue: Float? {
    get { if case .double(let value) = self["floatValue"] { Float(value) } else { nil } }
    set { self["floatValue"] = newValue.map { Seedbed.Value.double(Double($0)) } ?? .null }
  }

  /// Integer 16.
  public var integer16Value: Int16? {
    get { if case .integer(let value) = self["integer16Value"] { Int16(clamping: value) } else { nil } }
    set { self["integer16Value"] = newValue.map { Seedbed.Value.integer(Int64($0)) } ?? .null }
  }

  /// Integer 32.
  public var integer32Value: Int32? {
    get { if case .integer(let value) = self["integer32Value"] { Int32(clamping: value) } else { nil } }
    set { self["integer32Value"] = newValue.map { Seedbed.Value.integer(Int64($0)) } ?? .null }
  }

  /// Integer 64.
  public var integer64Value: Int64? {
    get { if case .integer(let value) = self["integer64Value"] { value } else { nil } }
    set { self["integer64Value"] = newValue.map { Seedbed.Value.integer($0) } ?? .null }
  }

  /// Composite Place.
  public var place: Place? {
    get { Place(self["place"]) }
    set { self["place"] = newValue?.compositeValue ?? .null }
  }

  /// Undefined, not stored.
  public var scratch: Seedbed.Value? {
    get { self["scratch"] }
    set { self["scratch"] = newValue }
  }

  /// String.
  public var stringValue: Swift.String? {
    get { if case .string(let value) = self["stringValue"] { value } else { nil } }
    set { self["stringValue"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// Transformable.
  public var tags0: [Any]? {
    get { value(forKey: "tags0") as? [Any] }
    set { setValue(newValue, forKey: "tags0") }
  }

  /// Transformable.
  public var tags1: [Swift.String: Any]? {
    get { value(forKey: "tags1") as? [Swift.String: Any] }
    set { setValue(newValue, forKey: "tags1") }
  }

  /// Transformable.
  public var tags2: Set<AnyHashable>? {
    get { value(forKey: "tags2") as? Set<AnyHashable> }
    set { setValue(newValue, forKey: "tags2") }
  }

  /// Transformable.
  public var tags3: Swift.String? {
    get { value(forKey: "tags3") as? Swift.String }
    set { setValue(newValue, forKey: "tags3") }
  }

  /// Transformable.
  public var tags4: [Swift.String]? {
    get { value(forKey: "tags4") as? [Swift.String] }
    set { setValue(newValue, forKey: "tags4") }
  }

  /// Transformable.
  public var transformableValue: Any? {
    get { value(forKey: "transformableValue") }
    set { setValue(newValue, forKey: "transformableValue") }
  }

  /// URI.
  public var uriValue: URL? {
    get { if case .uri(let value) = self["uriValue"] { value } else { nil } }
    set { self["uriValue"] = newValue.map { Seedbed.Value.uri($0) } ?? .null }
  }

  /// UUID.
  public var uuidValue: UUID? {
    get { if case .uuid(let value) = self["uuidValue"] { value } else { nil } }
    set { self["uuidValue"] = newValue.map { Seedbed.Value.uuid($0) } ?? .null }
  }

  /// To-one.
  public var artist: Artist? {
    get { object(for: "artist").map { Gallery2Classes.checked($0) } }
    set { setObject(newValue, for: "artist") }
  }

  /// To-many. Loads the members when it is first asked. After an error of the store, which the context's next
  /// fetch or save throws, there are none.
  public var rooms: [Room] {
    get { members(of: "rooms").map { Gallery2Classes.checked($0) } }
    set { setValue(newValue, forKey: "rooms") }
  }

  /// Adds a member at the end; inverses follow.
  public func addToRooms(_ value: Room) {
    mutableOrderedSetValue(forKey: "rooms").add(value)
  }

  /// Adds members at the end; inverses follow.
  public func addToRooms(_ values: some Sequence<Room>) {
    mutableOrderedSetValue(forKey: "rooms").addObjects(from: values.map { $0 })
  }

  /// Removes a member; inverses follow.
  public func removeFromRooms(_ value: Room) {
    mutableOrderedSetValue(forKey: "rooms").remove(value)
  }

  /// Removes members; inverses follow.
  public func removeFromRooms(_ values: some Sequence<Room>) {
    mutableOrderedSetValue(forKey: "rooms").removeObjects(in: values.map { $0 })
  }
}

extension Work: PropertyNaming, ClassListing {
  /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
  /// of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \Work.binaryValue: "binaryValue"
    case \Work.booleanValue: "booleanValue"
    case \Work.dateValue: "dateValue"
    case \Work.decimalValue: "decimalValue"
    case \Work.doubleValue: "doubleValue"
    case \Work.floatValue: "floatValue"
    case \Work.integer16Value: "integer16Value"
    case \Work.integer32Value: "integer32Value"
    case \Work.integer64Value: "integer64Value"
    case \Work.place: "place"
    case \Work.scratch: "scratch"
    case \Work.stringValue: "stringValue"
    case \Work.tags0: "tags0"
    case \Work.tags1: "tags1"
    case \Work.tags2: "tags2"
    case \Work.tags3: "tags3"
    case \Work.tags4: "tags4"
    case \Work.transformableValue: "transformableValue"
    case \Work.uriValue: "uriValue"
    case \Work.uuidValue: "uuidValue"
    case \Work.artist: "artist"
    case \Work.rooms: "rooms"
    case \Painting.binaryRequired: "binaryRequired"
    case \Painting.binaryValue: "binaryValue"
    case \Painting.booleanRequired: "booleanRequired"
    case \Painting.booleanScalar: "booleanScalar"
    case \Painting.booleanValue: "booleanValue"
    case \Painting.dateRequired: "dateRequired"
    case \Painting.dateScalar: "dateScalar"
    case \Painting.dateValue: "dateValue"
    case \Painting.decimalRequired: "decimalRequired"
    case \Painting.decimalValue: "decimalValue"
    case \Painting.doubleScalar: "doubleScalar"
    case \Painting.doubleValue: "doubleValue"
    case \Painting.floatRequired: "floatRequired"
    case \Painting.floatScalar: "floatScalar"
    case \Painting.floatValue: "floatValue"
    case \Painting.integer16Required: "integer16Required"
    case \Painting.integer16Value: "integer16Value"
    case \Painting.integer32Scalar: "integer32Scalar"
    case \Painting.integer32Value: "integer32Value"
    case \Painting.integer64Scalar: "integer64Scalar"
    case \Painting.integer64Value: "integer64Value"
    case \Painting.place: "place"
    case \Painting.roomCount: "roomCount"
    case \Painting.scratch: "scratch"
    case \Painting.stringRequired: "stringRequired"
    case \Painting.stringValue: "stringValue"
    case \Painting.tags0: "tags0"
    case \Painting.tags1: "tags1"
    case \Painting.tags2: "tags2"
    case \Painting.tags3: "tags3"
    case \Painting.tags4: "tags4"
    case \Painting.transformableValue: "transformableValue"
    case \Painting.uriRequired: "uriRequired"
    case \Painting.uriValue: "uriValue"
    case \Painting.uuidRequired: "uuidRequired"
    case \Painting.uuidValue: "uuidValue"
    case \Painting.artist: "artist"
    case \Painting.rooms: "rooms"
    default: nil
    }
  }

  /// The classes of the model, which a container that was given none takes when it first meets this one.
  public static var modelClasses: [Swift.String: ManagedObject.Type] {
    Gallery2Classes.byEntityName
  }
}
