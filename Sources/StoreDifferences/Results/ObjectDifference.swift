public import ObjectModel

/// An object that one of two stores has and the other has not, or that they have with other values.
public struct ObjectDifference: Sendable {
  /// The change of the object from the first store to the second.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    case inserted, updated, deleted
  }

  /// The kind of change.
  public var change: Change
  /// Which object it is.
  public var object: ObjectKey
  /// Its primary key in the first store; nil for an inserted one.
  public var leftPrimaryKey: Int64?
  /// Its primary key in the second store; nil for a deleted one.
  public var rightPrimaryKey: Int64?
  /// The differences, in the order of the entity's properties; empty unless it was updated.
  public var properties: [PropertyDifference] = []
}

/// How an object is known in both stores.
public struct ObjectKey: Sendable {
  /// The name of its entity.
  public var entity: String
  /// The attributes that make up the key, with their values; empty where the primary key is all there is.
  public var values: [(name: String, value: Value)]
  /// The primary key in the store that the object was read from.
  public var primaryKey: Int64
}

/// A property that differs.
public struct PropertyDifference: Sendable {
  /// The name of the property.
  public var name: String
  /// Its former and its present value.
  public var difference: Difference

  /// The former and the present value of a property.
  public enum Difference: Sendable {
    case attribute(left: Value, right: Value)
    /// Values of an attribute or a foreign key that are stored differently, at least one of them in another way than
    /// its type demands, so that they may read as equal.
    case stored(left: StoredValue, right: StoredValue)
    case toOne(left: ObjectKey?, right: ObjectKey?)
    /// The members of a to-many relationship that are gone and that are new, and whether those that stay have another
    /// order.
    case toMany(removed: [ObjectKey], added: [ObjectKey], isReordered: Bool)
  }
}

/// A value as it is in a column.
public struct StoredValue: Sendable, Hashable {
  /// SQLite's name for how it is stored: `null`, `integer`, `real`, `text` or `blob`.
  public var storageClass: String
  /// A number, a text, bytes, or null.
  public var value: Value
}
