// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import ObjectModel

/// The elements of the composite type Address.
public struct Address: Swift.Hashable, Sendable {
  /// What objects hold: the elements by name.
  public private(set) var compositeValue: ObjectModel.Value

  /// A composite whose elements have no values.
  public init() { compositeValue = .composite([:]) }

  /// A composite as objects hold it; nil without a value.
  public init?(_ value: ObjectModel.Value) {
    guard case .composite = value else { return nil }
    compositeValue = value
  }

  private subscript(name: Swift.String) -> ObjectModel.Value {
    get { compositeValue.element(at: [name]) }
    set { compositeValue = compositeValue.settingElement(at: [name], to: newValue) }
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
    set { self["street"] = newValue.map { ObjectModel.Value.string($0) } ?? .null }
  }
}
