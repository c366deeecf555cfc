public import ObjectModel

/// Which objects, in which order.
public struct FetchRequest: Sendable {
  /// A key path and a direction. Values sort as `Value.sortOrder` says: strings by their UTF-8 bytes, missing values
  /// first (last when descending).
  public struct SortDescriptor: Sendable, Hashable {
    /// Through to-one relationships to an attribute.
    public var keyPath: Predicate.KeyPath
    /// Smallest first; missing values then come first too.
    public var isAscending: Bool
    /// Sorts by the value at the key path.
    public init(_ keyPath: Predicate.KeyPath, ascending: Bool = true) {
      self.keyPath = keyPath
      self.isAscending = ascending
    }
  }
  /// Whose objects are selected.
  public var entity: Entity
  /// Which of them.
  public var predicate: Predicate = .all
  /// The first decides, then the next. Ties are broken by primary key, ascending.
  public var sortDescriptors: [SortDescriptor] = []
  /// The greatest number of objects; 0: no limit.
  public var fetchLimit = 0
  /// How many objects to leave out at the start of the ordered result.
  public var fetchOffset = 0
  /// Whether objects of sub-entities are selected too.
  public var includesSubentities = true
  /// A request for every object of the entity and its sub-entities.
  public init(_ entity: Entity) {
    self.entity = entity
  }

  /// Checks every key path of the predicate and of the sort descriptors against the model.
  /// - Throws: `StoreError.failure` that names the first one that does not exist.
  public func checkKeyPaths() throws(StoreError) {
    try predicate.checkKeyPaths(for: entity)
    for descriptor in sortDescriptors { try Predicate.check(descriptor.keyPath, endsAt: .attribute, from: entity) }
  }
}
