/// The capability of a store to check a save before it is final, so that a save over several stores is one of all or of
/// none: each store's save begins inside of another's, and none commits before all have checked their parts.
public protocol TwoPhaseSaving: PersistentStore {
  /// Writes everything in one transaction, checks it, runs the body and only then commits: nothing is written when the
  /// body throws.
  /// - Throws: what `save(_:)` throws, and what the body throws, which must not use this store.
  func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws
  /// Whether the store only checks before the body runs and writes when it has returned, so that writing may still
  /// fail. At most one such store keeps a save over several stores atomic.
  var writesAfterBody: Bool { get }
}

extension TwoPhaseSaving {
  /// False, for stores that can undo what they wrote.
  public var writesAfterBody: Bool { false }
}
