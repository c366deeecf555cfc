// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// The elements of the composite type Place.
public struct Place: Swift.Hashable, Sendable, PropertyNaming {
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
    x: Double? = nil
  ) {
    compositeValue = .composite([:])
    if let x { self.x = x }
  }

  /// Double.
  public var x: Double? {
    get { if case .double(let value) = self["x"] { value } else { nil } }
    set { self["x"] = newValue.map { Seedbed.Value.double($0) } ?? .null }
  }

  /// The element that a key path of this struct stands for, so that `#Predicate` can speak of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \Place.x: "x"
    default: nil
    }
  }
}
