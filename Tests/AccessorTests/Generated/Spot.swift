// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Foundation
public import ObjectModel

/// The elements of the composite type Spot.
public struct Spot: Swift.Hashable, Sendable {
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

  /// Date.
  public var seen: Foundation.Date? {
    get { if case .date(let value) = self["seen"] { value } else { nil } }
    set { self["seen"] = newValue.map { ObjectModel.Value.date($0) } ?? .null }
  }

  /// UUID.
  public var tag: UUID? {
    get { if case .uuid(let value) = self["tag"] { value } else { nil } }
    set { self["tag"] = newValue.map { ObjectModel.Value.uuid($0) } ?? .null }
  }

  /// Double.
  public var x: Double? {
    get { if case .double(let value) = self["x"] { value } else { nil } }
    set { self["x"] = newValue.map { ObjectModel.Value.double($0) } ?? .null }
  }
}
