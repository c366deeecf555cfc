import ObjectModel
import SQLite
public import StoreInterface

/// What became of a row of a batch.
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
  /// What to do with a row that is there.
  public enum OnMatch: Sendable, Hashable {
    /// Cells that are not absent are written.
    case update
    case keep
    /// As `update`, and attributes that are absent or unmapped go back to the model's defaults.
    case replace
    case fail
  }
  /// What to do with a row that is there.
  public var onMatch: OnMatch
  /// All options by name.
  public init(onMatch: OnMatch = .update) {
    self.onMatch = onMatch
  }
}

extension SQLiteStore {
  /// Updates the rows that have the batch's keys and inserts the others, in the batch's order; later rows see what
  /// earlier ones did. A null or absent key matches nothing.
  /// - Parameters:
  ///   - keyColumns: columns of the batch that make up the key; a unique index over them makes lookups fast.
  ///   - isNew: rows of the batch with whose keys there is no stored row and no other row of the batch, as somebody
  ///     knows: they are inserted without being looked for.
  ///   - known: what `primaryKeys(matching:)` said of the rows, if nothing was written since: they are not looked for
  ///     again, those with 0 excepted.
  ///   - outcomes: replaced by one outcome per row.
  ///   - primaryKeys: replaced by the key of the row found or inserted, 0 for a row in conflict.
  public func upsert(
    _ batch: RowBatch, keyColumns: [Int], options: UpsertOptions = UpsertOptions(),
    isNew: (Int) -> Bool = { _ in false }, known: [Int64] = [], outcomes: inout [RowOutcome], primaryKeys: inout [Int64]
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
      let inserter = try RowInserter(batch, plan: plan, store: self)
      let updater = try RowUpdater(batch, plan: plan, store: self, replacing: options.onMatch == .replace)
      let finder = try RowFinder(batch, plan: plan, store: self, keyColumns: keyColumns)
      var last = try lastPrimaryKey(of: batch.entity)
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

  /// Writes the cells of a batch that are not absent into the rows with the keys given.
  /// - Parameter outcomes: replaced by one outcome per row.
  public func update(
    _ batch: RowBatch, primaryKeys: UnsafeBufferPointer<Int64>, outcomes: inout [RowOutcome]
  ) throws {
    guard primaryKeys.count >= batch.count else {
      throw StoreError.failure("\(batch.count) rows need as many primary keys")
    }
    var results: [RowOutcome] = []
    results.reserveCapacity(batch.count)
    try performAtomically {
      let updater = try RowUpdater(batch, plan: try plan(for: batch), store: self, replacing: false)
      for row in 0..<batch.count { results.append(try updater.update(row: row, key: unsafe primaryKeys[row])) }
    }
    outcomes = results
  }
}

/// Finds rows by the key columns of a batch.
final class RowFinder {
  private let keyCells: [Int]
  private let plan: RowPlan
  private let statement: Statement
  private var binder: RowBinder

  init(_ batch: RowBatch, plan: RowPlan, store: SQLiteStore, keyColumns: [Int]) throws {
    self.plan = plan
    binder = try RowBinder(batch, plan: plan, store: store)
    keyCells = keyColumns.compactMap { column in plan.cells.firstIndex { $0.source == column } }
    for index in keyCells where plan.cells[index].kind == .externalBlob {
      throw StoreError.unsupported("\(plan.entity.name): \(plan.cells[index].name) cannot be a key")
    }
    var conditions = keyCells.enumerated().map { "\(plan.cells[$1].name) = ?\($0 + 1)" }
    if plan.entity.superentity != nil {
      let numbers = store.layout.numbers(ofKind: plan.entity).map(String.init).joined(separator: ", ")
      // The plus keeps SQLite from using the index of Z_ENT, which finds far more rows than the key's.
      conditions.append("+Z_ENT IN (\(numbers))")
    }
    statement = try store.cached(
      "SELECT Z_PK FROM \(plan.table.name) WHERE \(conditions.joined(separator: " AND ")) ORDER BY Z_PK LIMIT 2")
  }

  /// The row with the key; of several the one with the lowest primary key.
  func find(row: Int) throws -> Int64? { try find(row: row, looksForOthers: false).key }

  /// Likewise, and whether there is another.
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
