import ObjectModel
import SQLite
import StoreInterface

extension StoreWriter {
  /// Inserts the rows of a batch through SQLite.
  func insert(_ batch: RowBatch, primaryKeys: UnsafeBufferPointer<Int64>) throws {
    try performAtomically {
      let inserter = try RowInserter(batch, plan: try plan(for: batch), writer: self)
      var last: Int64 = 0
      for row in 0..<batch.count {
        // Safety: `SQLiteStore.insert` has seen that there is a key for each row.
        let key = unsafe primaryKeys[row]
        try inserter.insert(row: row, key: key)
        last = max(last, key)
      }
      try setLastPrimaryKey(last, of: batch.entity)
    }
  }
}

/// Inserts rows of one batch through one prepared statement.
final class RowInserter {
  private let plan: RowPlan
  private let writer: StoreWriter
  private let statement: Statement
  private var binder: RowBinder

  init(_ batch: RowBatch, plan: RowPlan, writer: StoreWriter) throws {
    self.plan = plan
    self.writer = writer
    binder = try RowBinder(batch, plan: plan, session: writer.session)
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + plan.cells.map(\.name) + plan.unmapped.map(\.name)
    let parameters = ["?1", String(plan.entityNumber), "1"] + (0..<(names.count - 3)).map { "?\($0 + 2)" }
    statement = try writer.cached(
      "INSERT INTO \(plan.table.name) (\(names.joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))"
    )
    // Parameters of unmapped attributes are bound once; SQLite keeps them from row to row.
    for (index, unmapped) in plan.unmapped.enumerated() {
      try ValueCoding.bind(
        unmapped.value, kind: unmapped.kind, to: statement, at: Int32(2 + plan.cells.count + index),
        externalData: writer.externalData, seed: UInt64(index))
    }
  }

  func insert(row: Int, key: Int64) throws {
    try statement.bind(1, key)
    for index in plan.cells.indices {
      try binder.bind(index, row: row, to: statement, at: Int32(index + 2), key: key)
    }
    try statement.run()
    for unordered in plan.unordered where binder.state(unordered.source, row) == RowBatch.State.value.rawValue {
      writer.noteMissingOrderKey(unordered.relationship, key)
    }
    try writer.history?.recordInsert(entityNumber: plan.entityNumber, key: key)
  }
}
