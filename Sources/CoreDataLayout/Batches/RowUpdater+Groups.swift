import ObjectModel
import SQLite

/// Rows in which the same columns change are written some at a time, by one statement.
extension RowUpdater {
  private static let rowsPerStatement = 32
  /// So many columns in so many rows are within SQLite's limit of 32,766 parameters.
  private static let greatestWidth = 1_000

  /// Whether a change can be made later in the batch, with others: nobody has to know of it at once, and nothing of what
  /// comes before can stand in its way.
  func canWait(_ changed: CellSet) -> Bool {
    store.history == nil && !plan.hasExternalData && plan.cells.count < Self.greatestWidth
      && changed.isDisjoint(with: plan.uniqueCells)
      && changed.isWithin(plan.cells.count)
  }

  func wait(_ changed: CellSet, row: Int, key: Int64) throws {
    let group = waiting.firstIndex { $0.changed == changed } ?? waiting.count
    if group == waiting.count {
      // Rows that all differ in other columns gain nothing.
      if group == 16 { try writeWaiting() }
      waiting.append((changed, []))
    }
    let place = min(group, waiting.count - 1)
    waiting[place].rows.append((row, key))
    waitingKeys.insert(key)
    if waiting[place].rows.count == Self.rowsPerStatement { try writeWaiting(place) }
  }

  /// Writes everything that waits.
  func writeWaiting() throws {
    for group in waiting.indices { try writeWaiting(group) }
    waiting.removeAll(keepingCapacity: true)
    waitingKeys.removeAll(keepingCapacity: true)
  }

  private func writeWaiting(_ group: Int) throws {
    let (changed, rows) = waiting[group]
    waiting[group].rows.removeAll(keepingCapacity: true)
    for (_, key) in rows { waitingKeys.remove(key) }
    if rows.count == Self.rowsPerStatement, try writeAtOnce(changed, rows) { return }
    for (row, key) in rows { try writeAlone(changed, row: row, key: key) }
  }

  /// - Returns: false when one of the rows breaks a uniqueness constraint; none of them is written then.
  private func writeAtOnce(_ changed: CellSet, _ rows: [(row: Int, key: Int64)]) throws -> Bool {
    let statement = try groupStatement(changed)
    let width = 1 + plan.cells.indices.count { changed.contains($0) }
    for (place, (row, key)) in rows.enumerated() {
      try bind(changed, row: row, key: key, to: statement, at: Int32(place * width + 1))
    }
    do throws(SQLiteError) {
      try statement.run()
      return true
    } catch {
      if error.isUniqueViolation { return false }
      throw error
    }
  }

  /// The UPDATE that sets just these columns in as many rows as a group has, prepared once per set.
  private func groupStatement(_ changed: CellSet) throws -> Statement {
    if let known = plan.groupUpdates[changed] { return known }
    if plan.groupUpdates.count >= 32 { plan.groupUpdates.removeAll() }
    let names = plan.cells.indices.filter { changed.contains($0) }.map { plan.cells[$0].name }
    let assignments = names.enumerated().map { ", \($1) = changes.column\($0 + 2)" }.joined()
    let row = "(" + Array(repeating: "?", count: names.count + 1).joined(separator: ", ") + ")"
    let rows = Array(repeating: row, count: Self.rowsPerStatement).joined(separator: ", ")
    let table = plan.table.name
    let statement = try Statement(
      store.connection,
      "UPDATE \(table) SET Z_OPT = IFNULL(Z_OPT, 1) + 1\(assignments) FROM (VALUES \(rows)) AS changes "
        + "WHERE \(table).Z_PK = changes.column1", isPersistent: true)
    plan.groupUpdates[changed] = statement
    return statement
  }
}
