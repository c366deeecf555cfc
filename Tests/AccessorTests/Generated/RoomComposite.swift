// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// The elements of the composite type Room.
public struct RoomComposite: Swift.Hashable, Sendable, PropertyNaming {
  /// What objects hold: the elements by name.
  public private(set) var compositeValue: Seedbed.Value

  /// A composite whose elements have no values.
  public init() { compositeValue = .composite([:]) }

  /// A composite as objects hold it; nil without a value.
  public init?(_ value: Seedbed.Value?) {
    guard let value, case .composite = value else { return nil }
    compositeValue = value
  }

  private subscript(name: Swift.String) -> Seedbed.Value? {
    get {
      let value = compositeValue.element(at: [name])
      return value == .null ? nil : value
    }
    set { compositeValue = compositeValue.settingElement(at: [name], to: newValue ?? .null) }
  }

  /// A composite of these elements; those that are nil have no values.
  public init(
    Hashable: Swift.String? = nil,
    TypeProperty: Swift.String? = nil,
    Value: Swift.String? = nil,
    `class`: Swift.String? = nil,
    compositeValueProperty: Swift.String? = nil,
    hash: Swift.String? = nil,
    initProperty: Swift.String? = nil,
    name: Swift.String? = nil,
    selfProperty: Swift.String? = nil,
    value: Swift.String? = nil
  ) {
    compositeValue = .composite([:])
    if let Hashable { self.Hashable = Hashable }
    if let TypeProperty { self.TypeProperty = TypeProperty }
    if let Value { self.Value = Value }
    if let `class` { self.`class` = `class` }
    if let compositeValueProperty { self.compositeValueProperty = compositeValueProperty }
    if let hash { self.hash = hash }
    if let initProperty { self.initProperty = initProperty }
    if let name { self.name = name }
    if let selfProperty { self.selfProperty = selfProperty }
    if let value { self.value = value }
  }

  /// String.
  public var Hashable: Swift.String? {
    get { if case .string(let value) = self["Hashable"] { value } else { nil } }
    set { self["Hashable"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var TypeProperty: Swift.String? {
    get { if case .string(let value) = self["Type"] { value } else { nil } }
    set { self["Type"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var Value: Swift.String? {
    get { if case .string(let value) = self["Value"] { value } else { nil } }
    set { self["Value"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var `class`: Swift.String? {
    get { if case .string(let value) = self["class"] { value } else { nil } }
    set { self["class"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var compositeValueProperty: Swift.String? {
    get { if case .string(let value) = self["compositeValue"] { value } else { nil } }
    set { self["compositeValue"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var hash: Swift.String? {
    get { if case .string(let value) = self["hash"] { value } else { nil } }
    set { self["hash"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var initProperty: Swift.String? {
    get { if case .string(let value) = self["init"] { value } else { nil } }
    set { self["init"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var name: Swift.String? {
    get { if case .string(let value) = self["name"] { value } else { nil } }
    set { self["name"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var selfProperty: Swift.String? {
    get { if case .string(let value) = self["self"] { value } else { nil } }
    set { self["self"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// String.
  public var value: Swift.String? {
    get { if case .string(let value) = self["value"] { value } else { nil } }
    set { self["value"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// The element that a key path of this struct stands for, so that `#Predicate` can speak of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \RoomComposite.Hashable: "Hashable"
    case \RoomComposite.TypeProperty: "Type"
    case \RoomComposite.Value: "Value"
    case \RoomComposite.`class`: "class"
    case \RoomComposite.compositeValueProperty: "compositeValue"
    case \RoomComposite.hash: "hash"
    case \RoomComposite.initProperty: "init"
    case \RoomComposite.name: "name"
    case \RoomComposite.selfProperty: "self"
    case \RoomComposite.value: "value"
    default: nil
    }
  }
}
