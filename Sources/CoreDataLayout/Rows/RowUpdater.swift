import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// Updates rows of one batch: compares each cell with what is stored and writes only what differs.
final class RowUpdater {
  private let plan: RowPlan
  private let writer: StoreWriter
  private let select: Statement
  private var binder: RowBinder
  private let isReplacing: Bool
  /// Parameter of the SELECT with which SQLite itself compares a cell, 0 where the bytes are compared here.
  private var comparisonParameters: [Int32] = []
  private let unmappedComparisons: ClosedRange<Int32>?

  init(_ batch: RowBatch, plan: RowPlan, writer: StoreWriter, replacing: Bool) throws {
    self.plan = plan
    self.writer = writer
    isReplacing = replacing
    binder = try RowBinder(batch, plan: plan, session: writer.session)
    // Decimal text compares by the column's numeric affinity, and defaults are compared seldom: SQLite does both.
    // External values are told apart by their bytes here, wherever those lie.
    var expressions: [String] = []
    var parameter: Int32 = 1
    for cell in plan.cells {
      if cell.kind == .decimal {
        parameter += 1
        comparisonParameters.append(parameter)
        expressions.append("\(cell.name) IS ?\(parameter)")
      } else {
        comparisonParameters.append(0)
        expressions.append(cell.name)
      }
    }
    let first = parameter + 1
    if replacing {
      for unmapped in plan.unmapped {
        parameter += 1
        expressions.append("\(unmapped.name) IS ?\(parameter)")
      }
    }
    unmappedComparisons = replacing && !plan.unmapped.isEmpty ? first...parameter : nil
    let list = (["Z_ENT"] + expressions).joined(separator: ", ")
    select = try writer.cached("SELECT \(list) FROM \(plan.table.name) WHERE Z_PK = ?1")
    if let unmappedComparisons {
      for (index, unmapped) in plan.unmapped.enumerated() {
        try ValueCoding.bind(
          unmapped.value, kind: unmapped.kind, to: select, at: unmappedComparisons.lowerBound + Int32(index),
          externalData: writer.externalData, seed: UInt64(index))
      }
    }
  }

  /// - Returns: the outcome for the row.
  func update(row: Int, key: Int64) throws -> RowOutcome {
    try select.bind(1, key)
    for index in plan.cells.indices where comparisonParameters[index] > 0 {
      try binder.bind(index, row: row, to: select, at: comparisonParameters[index], key: key)
    }
    guard try select.step() else {
      select.reset()
      return .missing
    }
    let number = Int(select.int64(at: 0))
    var changed = CellSet()
    var hasMovedAway = false
    for index in plan.cells.indices {
      if try differs(index, row) { changed.insert(index) }
    }
    for unordered in plan.unordered {
      if let index = plan.cells.firstIndex(where: { $0.source == unordered.source }), changed.contains(index) {
        hasMovedAway = true
      }
    }
    if isReplacing {
      for index in plan.unmapped.indices where select.int64(at: Int32(1 + plan.cells.count + index)) == 0 {
        changed.insert(plan.cells.count + index)
      }
    }
    select.reset()
    if changed.isEmpty { return .unchanged }
    do {
      try record(changed, number, key) { try write(changed, row: row, key: key) }
    } catch let error as SQLiteError where error.isUniqueViolation {
      return .conflict
    }
    if hasMovedAway {
      for unordered in plan.unordered { writer.noteMissingOrderKey(unordered.relationship, key) }
    }
    return .updated
  }

  /// Makes a change with its history, and notes the external files that it lets go.
  private func record(_ changed: CellSet, _ number: Int, _ key: Int64, _ body: () throws -> Void) throws {
    if !plan.hasExternalData && writer.history == nil { return try body() }
    let names = (plan.cells.map(\.name) + plan.unmapped.map(\.name)).enumerated()
      .filter { changed.contains($0.offset) }.map(\.element)
    if plan.hasExternalData { try writer.noteExternalData(of: plan.entity, key, columns: Set(names)) }
    guard let history = writer.history else { return try body() }
    try history.recordingUpdate(entityNumber: number, key: key, columns: names, body)
  }

  /// Whether the cell has another value than the stored row. Absent cells differ only from their default, and only
  /// when attributes are replaced.
  private func differs(_ index: Int, _ row: Int) throws -> Bool {
    let cell = plan.cells[index]
    let column = Int32(index + 1)
    let state = binder.state(cell.source, row)
    if cell.isDerivedFromForeignKey {
      // These follow the foreign key: they are written when it changes, or when they are given and differ.
      if let keyCell = cell.foreignKeyCell, try differs(keyCell, row) { return true }
      guard let key = cell.foreignKeySource, binder.state(key, row) == RowBatch.State.value.rawValue,
        state == RowBatch.State.value.rawValue, !select.isNull(at: column)
      else { return false }
      let value = binder.integer(cell.source, row)
      let expected = cell.kind == .entityNumber ? plan.entityNumbers[Int(value)] : value
      return select.int64(at: column) != expected
    }
    if state == RowBatch.State.absent.rawValue && !(isReplacing && !cell.isForeignKey) { return false }
    if comparisonParameters[index] > 0 { return select.int64(at: column) == 0 }
    if state == RowBatch.State.absent.rawValue { return try differsFromDefault(cell, column) }
    if state == RowBatch.State.null.rawValue { return !select.isNull(at: column) }
    if select.isNull(at: column) { return true }
    switch cell.kind {
    case .externalBlob:
      return unsafe !writer.externalData.holds(select.rawBytes(at: column), binder.bytes(cell.source, row))
    case .integer, .entityNumber: return select.int64(at: column) != binder.integer(cell.source, row)
    case .real: return select.double(at: column) != binder.real(cell.source, row)
    case .float: return select.double(at: column) != Double(Float(binder.real(cell.source, row)))
    case .text, .uuid, .blob:
      // Safety: both stay until the SELECT goes on, or the batch is given more, and are compared before that.
      let stored = unsafe select.rawBytes(at: column)
      let given = unsafe binder.bytes(cell.source, row)
      return unsafe stored.count != given.count || !stored.elementsEqual(given)
    case .decimal: return true
    }
  }

  private func differsFromDefault(_ cell: RowPlan.Cell, _ column: Int32) throws -> Bool {
    switch cell.defaultValue {
    case .null: return !select.isNull(at: column)
    case .integer(let value): return select.isNull(at: column) || select.double(at: column) != Double(value)
    case .boolean(let value): return select.isNull(at: column) || (select.int64(at: column) != 0) != value
    case .double(let value):
      return select.isNull(at: column)
        || select.double(at: column) != (cell.kind == .float ? Double(Float(value)) : value)
    case .date(let value):
      return select.isNull(at: column) || select.double(at: column) != value.timeIntervalSinceReferenceDate
    case .string(let value): return select.string(at: column) != value
    case .uri(let value): return select.string(at: column) != value.absoluteString
    case .data(let value):
      guard cell.kind == .externalBlob else { return select.blob(at: column) != Array(value) }
      return unsafe value.withUnsafeBytes { unsafe !writer.externalData.holds(select.rawBytes(at: column), $0) }
    case .uuid(let value):
      return unsafe select.blob(at: column) != withUnsafeBytes(of: value.uuid) { unsafe Array($0) }
    case .decimal, .composite: return true
    }
  }

  private func write(_ changed: CellSet, row: Int, key: Int64) throws {
    let statement = try plan.update(of: changed) { try makeUpdate(of: changed) }
    try statement.bind(1, key)
    var parameter: Int32 = 1
    for index in plan.cells.indices where changed.contains(index) {
      parameter += 1
      try binder.bind(index, row: row, to: statement, at: parameter, key: key)
    }
    for (index, unmapped) in plan.unmapped.enumerated() where changed.contains(plan.cells.count + index) {
      parameter += 1
      try ValueCoding.bind(
        unmapped.value, kind: unmapped.kind, to: statement, at: parameter, externalData: writer.externalData,
        seed: RowBinder.seed(plan.entityNumber, key, index))
    }
    try statement.run()
  }

  /// The UPDATE that sets just these columns.
  private func makeUpdate(of changed: CellSet) throws -> Statement {
    var assignments = ["Z_OPT = \(VersionCounter.next)"]
    var parameter = 1
    for (index, name) in (plan.cells.map(\.name) + plan.unmapped.map(\.name)).enumerated() where changed.contains(index)
    {
      parameter += 1
      assignments.append("\(name) = ?\(parameter)")
    }
    for unordered in plan.unordered {
      // A row that moves to another destination loses its place, unless the batch gives the new one.
      guard let index = plan.cells.firstIndex(where: { $0.source == unordered.source }), changed.contains(index),
        let order = writer.layout.orderColumn(of: unordered.relationship)?.name,
        !plan.cells.contains(where: { $0.name == order })
      else { continue }
      assignments.append("\(order) = NULL")
    }
    return try Statement(
      writer.connection, "UPDATE \(plan.table.name) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1",
      isPersistent: true)
  }
}
