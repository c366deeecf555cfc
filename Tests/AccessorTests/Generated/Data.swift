// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// An object of the entity Data.
public final class Data: ManagedObject, PropertyNaming {
  /// Makes a new object with the model's defaults.
  @discardableResult
  public class func insert(into context: ManagedObjectContext) -> Data {
    Gallery2Classes.checked(
      context.insert(Gallery2Classes.entity("Data", in: context.persistentStoreCoordinator.managedObjectModel)))
  }

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

  /// The property that a key path of this class stands for, so that `#Predicate` can speak of it.
  public class func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \Data.Date: "Date"
    case \Data.String: "String"
    case \Data.bytes: "bytes"
    default: nil
    }
  }
}
