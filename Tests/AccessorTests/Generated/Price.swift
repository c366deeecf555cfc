// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// The elements of the composite type Price.
public struct Price: Swift.Hashable, Sendable, PropertyNaming {
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
    amount: Decimal? = nil,
    currency: Swift.String? = nil
  ) {
    compositeValue = .composite([:])
    if let amount { self.amount = amount }
    if let currency { self.currency = currency }
  }

  /// Decimal, required.
  public var amount: Decimal {
    get { if case .decimal(let value) = self["amount"] { value } else { 0 } }
    set { self["amount"] = .decimal(newValue) }
  }

  /// String.
  public var currency: Swift.String? {
    get { if case .string(let value) = self["currency"] { value } else { nil } }
    set { self["currency"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// The element that a key path of this struct stands for, so that `#Predicate` can speak of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \Price.amount: "amount"
    case \Price.currency: "currency"
    default: nil
    }
  }
}
