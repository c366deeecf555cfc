/// The journal mode that a store is left in.
public enum SealedJournal: String, Sendable, Hashable, CaseIterable {
  /// One file, which opens read-only from a read-only folder.
  case delete
  /// Three files, as Core Data leaves them.
  case wal
}
