/// Why the values of an object were replaced, for `ManagedObject.awake(fromSnapshotEvents:)`.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
  /// One bit for each reason.
  public let rawValue: Int

  /// Reasons by their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// An insertion was undone.
  public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
  /// A deletion was undone: the object is back.
  public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
  /// A change of values was undone or done again.
  public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
  /// All changes were taken back.
  public static let rollback = SnapshotEvents(rawValue: 1 << 4)
  /// The object was refreshed and its changes were kept.
  public static let refresh = SnapshotEvents(rawValue: 1 << 5)
  /// A merge policy resolved a conflict.
  public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}

/// Core Data's name of `SnapshotEvents`.
public typealias SnapshotEventType = SnapshotEvents
