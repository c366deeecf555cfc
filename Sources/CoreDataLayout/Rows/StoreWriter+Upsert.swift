import ObjectModel
import SQLite
import StoreInterface

extension StoreWriter {
  /// See `SQLiteStore.upsert`. The batch is written in one transaction, or in a savepoint of the open one. `outcomes`
  /// and `primaryKeys` are replaced only when it has succeeded.
  func upsert(
    _ batch: RowBatch, keyColumns: [Int], options: UpsertOptions,
    isNew: (Int) -> Bool, known: [Int64], outcomes: inout [RowOutcome], primaryKeys: inout [Int64]
  ) throws {
    var results: [RowOutcome] = []
    var keys: [Int64] = []
    results.reserveCapacity(batch.count)
    keys.reserveCapacity(batch.count)
    try performAtomically {
      guard !keyColumns.isEmpty, keyColumns.allSatisfy({ batch.columns.indices.contains($0) }) else {
        throw StoreError.failure("an upsert of \(batch.entity.name) needs key columns of its batch")
      }
      let plan = try plan(for: batch)
      if hasDeferredIndexes { try buildUniqueIndexes(of: plan.table) }
      let inserter = try RowInserter(batch, plan: plan, writer: self)
      let updater = try RowUpdater(batch, plan: plan, writer: self, replacing: options.onMatch == .replace)
      let finder = try RowFinder(batch, plan: plan, session: session, keyColumns: keyColumns)
      var last = try session.lastPrimaryKey(of: batch.entity)
      for row in 0..<batch.count {
        let found = row < known.count && known[row] != 0 ? known[row] : nil
        if let key = try found ?? (isNew(row) ? nil : finder.find(row: row)) {
          keys.append(key)
          switch options.onMatch {
          case .keep: results.append(.kept)
          case .fail: results.append(.failedMatch)
          case .update, .replace: results.append(try updater.update(row: row, key: key))
          }
          continue
        }
        do {
          if last == Int64.max { throw StoreError.failure("\(batch.entity.root.name) has no primary keys left") }
          try inserter.insert(row: row, key: last + 1)
          last += 1
          keys.append(last)
          results.append(.inserted)
        } catch let error as SQLiteError where error.isUniqueViolation {
          keys.append(0)
          results.append(.conflict)
        }
      }
      try setLastPrimaryKey(last, of: batch.entity)
    }
    outcomes = results
    primaryKeys = keys
  }

  /// See `SQLiteStore.update`. The batch is written in one transaction, or in a savepoint of the open one. `outcomes`
  /// is replaced only when it has succeeded.
  func update(
    _ batch: RowBatch, primaryKeys: UnsafeBufferPointer<Int64>, outcomes: inout [RowOutcome]
  ) throws {
    guard primaryKeys.count >= batch.count else {
      throw StoreError.failure("\(batch.count) rows need as many primary keys")
    }
    var results: [RowOutcome] = []
    results.reserveCapacity(batch.count)
    try performAtomically {
      let updater = try RowUpdater(batch, plan: try plan(for: batch), writer: self, replacing: false)
      for row in 0..<batch.count { results.append(try updater.update(row: row, key: unsafe primaryKeys[row])) }
    }
    outcomes = results
  }
}
