import ObjectModel
import SQLite
import StoreInterface

extension StoreWriter {
  /// See `SQLiteStore.primaryKeys(matching:keyColumns:isNew:ambiguous:)`. Only reads; `writePendingBeforeReading` is
  /// called before.
  func primaryKeys(
    matching batch: RowBatch, keyColumns: [Int], isNew: (Int) -> Bool, ambiguous: inout [Int]
  ) throws -> [Int64] {
    let finder = try RowFinder(batch, plan: try plan(for: batch), session: session, keyColumns: keyColumns)
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

  /// See `SQLiteStore.entityIndexes(of:primaryKeys:)`.
  func entityIndexes(of entity: Entity, primaryKeys: [Int64]) throws -> [Int] {
    let statement = try session.cached(
      "SELECT Z_ENT FROM \(session.file.layout.table(for: entity).name) WHERE Z_PK = ?1")
    return try primaryKeys.map { key in
      if key == 0 { return entity.index }
      defer { statement.reset() }
      try statement.bind(1, key)
      return try statement.step() ? session.file.entity(numbered: statement.int64(at: 0)).index : entity.index
    }
  }
}

/// Finds rows by the key columns of a batch.
final class RowFinder {
  private let keyCells: [Int]
  private let plan: RowPlan
  private let statement: Statement
  private var binder: RowBinder

  init(_ batch: RowBatch, plan: RowPlan, session: StoreSession, keyColumns: [Int]) throws {
    self.plan = plan
    binder = try RowBinder(batch, plan: plan, session: session)
    keyCells = keyColumns.compactMap { column in plan.cells.firstIndex { $0.source == column } }
    for index in keyCells where plan.cells[index].kind == .externalBlob {
      throw StoreError.unsupported("\(plan.entity.name): \(plan.cells[index].name) cannot be a key")
    }
    statement = try session.cached(
      RowFinder.text(plan, columns: keyCells.map { plan.cells[$0].name }, session.file.layout))
  }

  /// The SELECT for the rows that have given values in some columns.
  static func text(_ plan: RowPlan, columns: [String], _ layout: StoreLayout) -> String {
    var conditions = columns.enumerated().map { "\($1) = ?\($0 + 1)" }
    if plan.entity.superentity != nil {
      let numbers = layout.numbers(ofKind: plan.entity).map(String.init).joined(separator: ", ")
      // The plus keeps SQLite from using the index of Z_ENT, which finds far more rows than the key's.
      conditions.append("+Z_ENT IN (\(numbers))")
    }
    return "SELECT Z_PK FROM \(plan.table.name) WHERE \(conditions.joined(separator: " AND ")) ORDER BY Z_PK LIMIT 2"
  }

  /// The row with the key; of several the one with the lowest primary key.
  func find(row: Int) throws -> Int64? { try find(row: row, looksForOthers: false).key }

  /// The row with the key, and whether several rows have it.
  func findAll(row: Int) throws -> (key: Int64?, isAmbiguous: Bool) { try find(row: row, looksForOthers: true) }

  @inline(__always)
  private func find(row: Int, looksForOthers: Bool) throws -> (key: Int64?, isAmbiguous: Bool) {
    for (position, index) in keyCells.enumerated() {
      guard binder.state(plan.cells[index].source, row) == RowBatch.State.value.rawValue else { return (nil, false) }
      try binder.bind(index, row: row, to: statement, at: Int32(position + 1), key: 0)
    }
    let isFound = try statement.step()
    let key = isFound ? statement.int64(at: 0) : nil
    let isAmbiguous = try isFound && looksForOthers && statement.step()
    statement.reset()
    return (key, isAmbiguous)
  }
}
