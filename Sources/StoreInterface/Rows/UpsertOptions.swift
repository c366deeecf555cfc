/// The outcome of a row of a batch.
public enum RowOutcome: UInt8, Sendable, Hashable, CaseIterable {
  case inserted, updated
  /// A row was found and has all the values already: nothing was written, its version stays.
  case unchanged
  /// A row was found and left alone, as `UpsertOptions.onMatch` says.
  case kept
  /// A row was found where none may be.
  case failedMatch
  /// Writing the row would break another uniqueness constraint; nothing was written.
  case conflict
  /// An update's row is not there.
  case missing
}

/// How an upsert treats rows whose key is in the store.
public struct UpsertOptions: Sendable, Hashable {
  /// What an upsert does with a stored row that has the same key.
  public enum OnMatch: Sendable, Hashable {
    /// Cells that are not absent are written.
    case update
    case keep
    /// Cells are written as by `update`; attributes that are absent or unmapped go back to the model's defaults.
    case replace
    case fail
  }
  /// What an upsert does with a stored row that has the same key.
  public var onMatch: OnMatch
  /// All options by name.
  public init(onMatch: OnMatch = .update) {
    self.onMatch = onMatch
  }
}
