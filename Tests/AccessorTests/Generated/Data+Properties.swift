// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

extension Data {
  /// Date.
  public var Date: Seedbed.Date? {
    get { if case .date(let value) = self["Date"] { value } else { nil } }
    set { self["Date"] = newValue.map { Seedbed.Value.date($0) } ?? .null }
  }

  /// String.
  public var String: Swift.String? {
    get { if case .string(let value) = self["String"] { value } else { nil } }
    set { self["String"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// Binary.
  public var bytes: Seedbed.Data? {
    get { if case .data(let value) = self["bytes"] { value } else { nil } }
    set { self["bytes"] = newValue.map { Seedbed.Value.data($0) } ?? .null }
  }
}

extension Data: PropertyNaming, ClassListing {
  /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
  /// of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \Data.Date: "Date"
    case \Data.String: "String"
    case \Data.bytes: "bytes"
    default: nil
    }
  }

  /// The classes of the model, which a container that was given none takes when it first meets this one.
  public static var modelClasses: [Swift.String: ManagedObject.Type] {
    Gallery2Classes.byEntityName
  }
}
