// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// The elements of the composite type default.
public struct defaultComposite: Swift.Hashable, Sendable, PropertyNaming {
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
    size: Float? = nil
  ) {
    compositeValue = .composite([:])
    if let size { self.size = size }
  }

  /// Float.
  public var size: Float? {
    get { if case .double(let value) = self["size"] { Float(value) } else { nil } }
    set { self["size"] = newValue.map { Seedbed.Value.double(Double($0)) } ?? .null }
  }

  /// The element that a key path of this struct stands for, so that `#Predicate` can speak of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \defaultComposite.size: "size"
    default: nil
    }
  }
}
