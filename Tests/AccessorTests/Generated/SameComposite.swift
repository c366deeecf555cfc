// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Foundation
public import ObjectModel

/// The elements of the composite type Same.
public struct SameComposite: Swift.Hashable, Sendable {
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

  /// Boolean.
  public var open: Bool? {
    get { if case .boolean(let value) = self["open"] { value } else { nil } }
    set { self["open"] = newValue.map { ObjectModel.Value.boolean($0) } ?? .null }
  }

  /// URI.
  public var page: URL? {
    get { if case .uri(let value) = self["page"] { value } else { nil } }
    set { self["page"] = newValue.map { ObjectModel.Value.uri($0) } ?? .null }
  }

  /// Binary.
  public var photo: Foundation.Data? {
    get { if case .data(let value) = self["photo"] { value } else { nil } }
    set { self["photo"] = newValue.map { ObjectModel.Value.data($0) } ?? .null }
  }
}
