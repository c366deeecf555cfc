public import StoreInterface

extension SQLiteStore {
  /// From how many rows on a batch writes a table or its indexes anew instead of row by row, where that costs less.
  static let rebuildsFrom = 20_000

  /// Carries out a batch in one SQL transaction, set by set: no object is made, and keys lie in temporary tables on
  /// disk.
  /// - Throws: see `BatchWriting`. Nothing is changed then.
  @discardableResult
  public func perform(_ batch: StoreBatch, beforeCommit body: (BatchOutcome) throws -> Void) throws -> BatchOutcome {
    try perform(batch, rebuildsFrom: Self.rebuildsFrom, beforeCommit: body)
  }

  /// As `perform(_:beforeCommit:)`, for tests that have few rows.
  @discardableResult
  package func perform(
    _ batch: StoreBatch, rebuildsFrom: Int, beforeCommit body: (BatchOutcome) throws -> Void = { _ in }
  ) throws -> BatchOutcome {
    try writing { writer in
      try writer.writePendingBeforeReading()
      return try writer.perform(batch, reader, rebuildsFrom: rebuildsFrom, beforeCommit: body)
    }
  }
}
