// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// The elements of the composite type Address.
public struct Address: Swift.Hashable, Sendable, PropertyNaming {
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
    number: Int16? = nil,
    spot: Spot? = nil,
    street: Swift.String? = nil
  ) {
    compositeValue = .composite([:])
    if let number { self.number = number }
    if let spot { self.spot = spot }
    if let street { self.street = street }
  }

  /// Integer 16, 0 without a value.
  public var number: Int16 {
    get { if case .integer(let value) = self["number"] { Int16(clamping: value) } else { 0 } }
    set { self["number"] = .integer(Int64(newValue)) }
  }

  /// Composite Spot.
  public var spot: Spot? {
    get { Spot(self["spot"]) }
    set { self["spot"] = newValue?.compositeValue ?? .null }
  }

  /// String.
  public var street: Swift.String? {
    get { if case .string(let value) = self["street"] { value } else { nil } }
    set { self["street"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// The element that a key path of this struct stands for, so that `#Predicate` can speak of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \Address.number: "number"
    case \Address.spot: "spot"
    case \Address.street: "street"
    default: nil
    }
  }
}
