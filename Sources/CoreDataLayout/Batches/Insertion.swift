import ObjectModel
import SQLite
public import StoreInterface

extension SQLiteStore {
  /// Inserts the rows of a batch under the keys given, one per row. Absent cells and unmapped attributes take the
  /// model's defaults. Order keys that the batch does not give are assigned at the end of the transaction.
  /// - Throws: `StoreError.constraintConflict` when a uniqueness constraint breaks; nothing is inserted then.
  public func insert(_ batch: RowBatch, primaryKeys: UnsafeBufferPointer<Int64>) throws {
    guard primaryKeys.count >= batch.count else {
      throw StoreError.failure("\(batch.count) rows need as many primary keys")
    }
    guard batch.count > 0 else { return }
    let isLoaded = try locked {
      guard let pageLoad else { return false }
      let plan = try plan(for: batch)
      return try pageErrors { unsafe try pageLoad.insert(batch, plan: plan, primaryKeys: primaryKeys) }
    }
    if isLoaded { return }
    try performAtomically {
      let plan = try plan(for: batch)
      let inserter = try RowInserter(batch, plan: plan, store: self)
      var last: Int64 = 0
      for row in 0..<batch.count {
        let key = unsafe primaryKeys[row]
        try inserter.insert(row: row, key: key)
        last = max(last, key)
      }
      try setLastPrimaryKey(last, of: batch.entity)
    }
  }

  /// How the columns of a batch go into the entity's table.
  func plan(for batch: RowBatch) throws -> RowPlan {
    guard batch.entity.model === model else { throw StoreError.failure("the batch belongs to another model") }
    return try plan(for: RowPlan.Key(entity: batch.entity, columns: batch.columns))
  }

  func plan(for key: RowPlan.Key) throws -> RowPlan {
    if let plan = plans[key] { return plan }
    if plans.count >= 64 { plans.removeAll() }
    let plan = try RowPlan(key, layout: layout)
    plans[key] = plan
    return plan
  }

  /// An error as the store's, with a broken index as the constraint that it stands for.
  func storeError(_ error: SQLiteError) -> StoreError {
    guard error.isUniqueViolation else { return StoreError(error, path: path) }
    return constraintConflict(error.message)
  }

  /// SQLite says which columns are not unique: "UNIQUE constraint failed: ZSTOP.ZIDENTIFIER".
  func constraintConflict(_ message: String) -> StoreError {
    let list = message.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
    let columns = list.split(separator: ",").map { $0.trimmingPrefix(while: { $0 == " " }) }
    let table = columns.first?.split(separator: ".").first.map(String.init) ?? ""
    let names = columns.compactMap { $0.split(separator: ".").last.map(String.init) }
    for entity in layout.entitiesByNumber where layout.table(for: entity).name == table {
      for constraint in entity.description.uniquenessConstraints
      where constraint.map({ layout.propertyColumn($0, of: entity) }) == names.map(Optional.some) {
        return .constraintConflict(entity: entity.name, constraint: constraint, message: message)
      }
    }
    let entity = layout.tables.first { $0.name == table }?.root.name ?? table
    return .constraintConflict(entity: entity, constraint: names, message: message)
  }
}

/// Inserts rows of one batch through one prepared statement.
final class RowInserter {
  private let plan: RowPlan
  private let store: SQLiteStore
  private let statement: Statement
  private var binder: RowBinder

  init(_ batch: RowBatch, plan: RowPlan, store: SQLiteStore) throws {
    self.plan = plan
    self.store = store
    binder = try RowBinder(batch, plan: plan, store: store)
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + plan.cells.map(\.name) + plan.unmapped.map(\.name)
    let parameters = ["?1", String(plan.entityNumber), "1"] + (0..<(names.count - 3)).map { "?\($0 + 2)" }
    statement = try store.cached(
      "INSERT INTO \(plan.table.name) (\(names.joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))"
    )
    // Parameters of unmapped attributes are bound once; SQLite keeps them from row to row.
    for (index, unmapped) in plan.unmapped.enumerated() {
      try ValueCoding.bind(
        unmapped.value, kind: unmapped.kind, to: statement, at: Int32(2 + plan.cells.count + index),
        externalData: store.externalData, seed: UInt64(index))
    }
  }

  func insert(row: Int, key: Int64) throws {
    try statement.bind(1, key)
    for index in plan.cells.indices {
      try binder.bind(index, row: row, to: statement, at: Int32(index + 2), key: key)
    }
    try statement.run()
    for unordered in plan.unordered where binder.state(unordered.source, row) == RowBatch.State.value.rawValue {
      store.noteMissingOrderKey(unordered.relationship, key)
    }
    try store.history?.recordInsert(entityNumber: plan.entityNumber, key: key)
  }
}
