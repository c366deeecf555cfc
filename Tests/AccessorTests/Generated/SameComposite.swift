// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// The elements of the composite type Same.
public struct SameComposite: Swift.Hashable, Sendable, PropertyNaming {
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
    open: Bool? = nil,
    page: URL? = nil,
    photo: Seedbed.Data? = nil
  ) {
    compositeValue = .composite([:])
    if let open { self.open = open }
    if let page { self.page = page }
    if let photo { self.photo = photo }
  }

  /// Boolean.
  public var open: Bool? {
    get { if case .boolean(let value) = self["open"] { value } else { nil } }
    set { self["open"] = newValue.map { Seedbed.Value.boolean($0) } ?? .null }
  }

  /// URI.
  public var page: URL? {
    get { if case .uri(let value) = self["page"] { value } else { nil } }
    set { self["page"] = newValue.map { Seedbed.Value.uri($0) } ?? .null }
  }

  /// Binary.
  public var photo: Seedbed.Data? {
    get { if case .data(let value) = self["photo"] { value } else { nil } }
    set { self["photo"] = newValue.map { Seedbed.Value.data($0) } ?? .null }
  }

  /// The element that a key path of this struct stands for, so that `#Predicate` can speak of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \SameComposite.open: "open"
    case \SameComposite.page: "page"
    case \SameComposite.photo: "photo"
    default: nil
    }
  }
}
