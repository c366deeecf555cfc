public import StoreInterface

/// Finds indexes that would help statements over one store. The `sqlite3` shell is asked about a copy of the store, in
/// which each suggestion is tried and which is removed with this object: the store and the files beside it do not
/// change.
public final class IndexAdvisor {
  private let store: SQLiteStore
  /// Made for the first question.
  private var trial: IndexTrial?

  /// An advisor about a store that is open.
  public init(_ store: SQLiteStore) { self.store = store }

  /// Indexes that would help a statement.
  /// - Returns: none where it has the indexes that it needs.
  /// - Throws: `IndexAdviceError`, and `StoreError` where the store cannot be copied.
  public func advice(for explanation: FetchExplanation) throws -> [IndexAdvice] {
    let trial = try self.trial ?? IndexTrial(of: store.path)
    self.trial = trial
    let layout = store.session.file.layout
    return try trial.suggestions(for: explanation.boundStatement).compactMap { IndexAdvice(suggestion: $0, layout) }
      .compactMap { try trial.measured($0, on: explanation.boundStatement) }
  }
}
