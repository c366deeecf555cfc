public import ObjectModel

/// A condition on an object. The SQLite store turns it into SQL, the in-memory store evaluates it; both agree.
public indirect enum Predicate: Sendable, Hashable {
  case all
  case none
  /// The value at a key path (attributes, and to-one relationships to an attribute) compared with a constant.
  /// A missing value equals only `.null`; any ordering comparison with it is false.
  case comparison(KeyPath, Operator, Value)
  /// The value at the key path is one of these. A composite key compares all key paths of a tuple at once.
  case isIn(KeyPath, [Value])
  case tupleIsIn([KeyPath], [[Value]])
  /// A to-one relationship's destination.
  case refersTo(KeyPath, ObjectID?)
  /// The object itself is one of these.
  case selfIsIn([ObjectID])
  case and([Predicate])
  case or([Predicate])
  case not(Predicate)

  /// Property names from the fetched entity on, such as `["parent", "identifier"]`.
  public typealias KeyPath = [String]

  public enum Operator: Sendable, Hashable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// String comparisons by Unicode scalar value, without folding.
    case beginsWith, contains, endsWith
  }
}

/// Which objects, in which order.
public struct FetchRequest: Sendable {
  /// A key path and a direction. Strings sort by their UTF-8 bytes; missing values sort first.
  public struct SortDescriptor: Sendable, Hashable {
    public var keyPath: Predicate.KeyPath
    public var isAscending: Bool
    public init(_ keyPath: Predicate.KeyPath, ascending: Bool = true) {
      self.keyPath = keyPath
      self.isAscending = ascending
    }
  }
  public var entity: Entity
  public var predicate: Predicate = .all
  /// Ties are broken by primary key, ascending.
  public var sortDescriptors: [SortDescriptor] = []
  /// 0: no limit.
  public var fetchLimit = 0
  public var fetchOffset = 0
  public var includesSubentities = true
  public init(_ entity: Entity) {
    self.entity = entity
  }
}
