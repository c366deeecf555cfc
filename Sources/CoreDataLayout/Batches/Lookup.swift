public import StoreInterface

extension SQLiteStore {
  /// The primary keys of the rows that have the batch's keys, 0 where there is none. Of several rows the one with the
  /// lowest key is returned. A null or absent key matches nothing.
  /// - Parameter keyColumns: columns of the batch that make up the key; a unique index over them makes this fast.
  public func primaryKeys(matching batch: RowBatch, keyColumns: [Int]) throws -> [Int64] {
    var ambiguous: [Int] = []
    return try primaryKeys(matching: batch, keyColumns: keyColumns, ambiguous: &ambiguous)
  }

  /// Like `primaryKeys(matching:keyColumns:)`, and says where there are several rows.
  /// - Parameters:
  ///   - isNew: rows of the batch with whose keys there is no stored row, as somebody knows: they are not looked for.
  ///   - ambiguous: gets the positions of the batch's rows with whose keys there is more than one stored row.
  public func primaryKeys(
    matching batch: RowBatch, keyColumns: [Int], isNew: (Int) -> Bool = { _ in false }, ambiguous: inout [Int]
  ) throws -> [Int64] {
    try perform {
      try writePendingBeforeReading()
      let finder = try RowFinder(batch, plan: try plan(for: batch), store: self, keyColumns: keyColumns)
      var keys: [Int64] = []
      keys.reserveCapacity(batch.count)
      for row in 0..<batch.count {
        if isNew(row) {
          keys.append(0)
          continue
        }
        let (key, isAmbiguous) = try finder.findAll(row: row)
        keys.append(key ?? 0)
        if isAmbiguous { ambiguous.append(row) }
      }
      return keys
    }
  }
}
