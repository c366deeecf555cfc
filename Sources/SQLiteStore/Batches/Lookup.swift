public import StoreInterface

extension SQLiteStore {
  /// The primary keys of the rows that have the batch's keys, 0 where there is none. Of several rows the one with the
  /// lowest key is returned. A null or absent key matches nothing.
  /// - Parameter keyColumns: columns of the batch that make up the key; a unique index over them makes this fast.
  public func primaryKeys(matching batch: RowBatch, keyColumns: [Int]) throws -> [Int64] {
    try perform {
      try settleBeforeReading()
      let finder = try RowFinder(batch, plan: try plan(for: batch), store: self, keyColumns: keyColumns)
      return try (0..<batch.count).map { try finder.find(row: $0) ?? 0 }
    }
  }
}
