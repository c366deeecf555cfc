import ObjectModel
import SQLite
import StoreInterface

/// Inserts the rows of a batch request, or gives their values to the rows that have their unique values already.
final class BatchInserter {
  private let writer: StoreWriter
  private let insertion: BatchInsertion
  private let touched: TouchedRows
  /// The key that was given out last.
  private var last: Int64 = 0
  /// Rows that have come so far.
  private var number = 0

  private var entity: Entity { insertion.entity }
  private var layout: StoreLayout { writer.layout }

  init(_ writer: StoreWriter, _ insertion: BatchInsertion) {
    self.writer = writer
    self.insertion = insertion
    touched = TouchedRows(writer, insertion.entity)
  }

  /// - Throws: `ValidationError` for a row that breaks a rule, `StoreError.constraintConflict`.
  func run(wantsObjectIDs: Bool) throws -> BatchOutcome {
    guard entity.model === writer.file.model else {
      throw StoreError.failure("\(entity.name) belongs to another model than the store's")
    }
    let before = try writer.session.lastPrimaryKey(of: entity)
    last = before
    try touched.begin(after: before)
    var shape: (columns: [RowBatch.Column], rules: BatchRowRules)?
    while let batch = try insertion.next() {
      try insertion.check(batch, model: writer.file.model)
      if shape?.columns != batch.columns {
        shape = (batch.columns, try BatchRowRules(entity, columns: batch.columns))
      }
      if let rules = shape?.rules, batch.count > 0 { try insert(batch, rules) }
    }
    try writer.setLastPrimaryKey(last, of: entity)
    var outcome = try touched.finish(last: last, wantsObjectIDs: wantsObjectIDs)
    outcome.insertedCount = Int(last - before)
    if wantsObjectIDs && last > before {
      outcome.inserted = (before + 1...last).map { writer.file.objectID(entity, $0) }
    }
    return outcome
  }

  private func insert(_ batch: RowBatch, _ rules: BatchRowRules) throws {
    let plan = try writer.plan(for: batch)
    let inserter = try RowInserter(batch, plan: plan, writer: writer)
    let updater = try RowUpdater(batch, plan: plan, writer: writer, replacing: insertion.conflictRule == .replace)
    let finders = try constraints(in: batch).map { columns in
      try RowFinder(batch, plan: plan, session: writer.session, keyColumns: columns)
    }
    let defaultFinders = try entity.uniquenessConstraints.compactMap {
      try DefaultFinder($0, batch, plan, writer)
    }
    let destinations = batch.columns.indices.compactMap { column -> (column: Int, relationship: Relationship)? in
      guard case .toOne(let name) = batch.columns[column].source else { return nil }
      return entity.relationship(name).map { (column, $0) }
    }
    for row in 0..<batch.count {
      number += 1
      var found: [Int64] = []
      for finder in finders {
        if let key = try finder.find(row: row), !found.contains(key) { found.append(key) }
      }
      if found.isEmpty {
        for finder in defaultFinders {
          if let key = try finder.find(row: row), !found.contains(key) { found.append(key) }
        }
      }
      if !found.isEmpty && insertion.conflictRule == .keep { continue }
      if found.count > 1 { throw rules.severalObjects(number: number, found.sorted()) }
      if !found.isEmpty && insertion.conflictRule == .fail { throw conflict(found[0]) }
      let problems = rules.problems(number: number, isNew: found.isEmpty) { batch.value($0, row) }
      if !problems.isEmpty { throw ValidationError(problems) }
      for (column, relationship) in destinations { try check(batch, row, column, relationship, rules) }
      if let key = found.first {
        try update(row, key, updater)
      } else {
        try insert(row, inserter)
      }
    }
  }

  /// The columns of each constraint of which the batch has all.
  private func constraints(in batch: RowBatch) -> [[Int]] {
    entity.uniquenessConstraints.compactMap { properties in
      let columns = properties.compactMap { property in
        batch.columns.firstIndex { $0.source == .attribute(property) || $0.source == .toOne(property) }
      }
      return columns.count == properties.count ? columns : nil
    }
  }

  private func conflict(_ key: Int64) -> StoreError {
    .constraintConflict(
      entity: entity.name, constraint: entity.uniquenessConstraints.joined().sorted { $0.precedesByCodePoint($1) },
      message: "row \(number) has the values of object \(key)")
  }

  private func check(
    _ batch: RowBatch, _ row: Int, _ column: Int, _ relationship: Relationship, _ rules: BatchRowRules
  ) throws {
    guard case .integer(let key)? = batch.value(column, row) else { return }
    let find = try writer.cached(
      "SELECT Z_ENT FROM \(layout.table(for: relationship.destination).name) WHERE Z_PK = ?1")
    defer { find.reset() }
    try find.bind(1, key)
    guard try find.step(), try writer.file.entity(numbered: find.int64(at: 0)).isKind(of: relationship.destination)
    else {
      throw ValidationError([rules.missingDestination(number: number, relationship, key: key)])
    }
  }

  private func insert(_ row: Int, _ inserter: RowInserter) throws {
    if last == Int64.max { throw StoreError.failure("\(entity.root.name) has no primary keys left") }
    try inserter.insert(row: row, key: last + 1)
    last += 1
  }

  private func update(_ row: Int, _ key: Int64, _ updater: RowUpdater) throws {
    let isFirst = try touched.note(key)
    switch try updater.update(row: row, key: key) {
    case .updated: return
    case .conflict:
      throw StoreError.constraintConflict(
        entity: entity.name, constraint: entity.uniquenessConstraints.joined().sorted { $0.precedesByCodePoint($1) },
        message: "row \(number) would give object \(key) the values of another")
    default: if isFirst { try touched.forget(key) }
    }
  }
}
