import SQLite
import SQLitePages

/// Checks of a table before pages of it are written.
extension StoreLoads {
  /// Whether a table and its indexes are declared as this program does it, to the letter: records are then encoded
  /// for its columns, and its indexes can be filled.
  func isAsMadeHere(_ table: String) throws -> Bool {
    let statement = try Statement(
      connection, "SELECT sql FROM sqlite_schema WHERE tbl_name = ?1 AND sql IS NOT NULL ORDER BY type = 'index'")
    try statement.bind(1, table)
    var statements: [String] = []
    while try statement.step() { statements.append(statement.string(at: 0) ?? "") }
    let made = Set(layout.indexes.map(\.createStatement))
    return statements.first == layout.tables.first { $0.name == table }?.createStatement
      && statements.dropFirst().allSatisfy(made.contains)
  }

  /// Whether a table has triggers, temporary ones included, or indexes over some of its rows only: pages that are
  /// written behind SQLite's back would not set them off.
  func hasDependents(_ table: String) throws -> Bool {
    let statement = try Statement(
      connection,
      """
      SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1)
        OR EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE type = 'trigger' AND tbl_name = ?1
          AND \(ChangedOwners.othersCondition))
        OR EXISTS (SELECT 1 FROM pragma_index_list(?1) WHERE partial = 1)
      """)
    try statement.bind(1, table)
    return try statement.step() && statement.int64(at: 0) != 0
  }

  /// Creates the indexes of an empty table whose keys are plain columns, and says how they are made. Others, such as
  /// partial ones, wait for `buildDeferredIndexes`.
  func makeEmptyIndexes(of table: String) throws -> [IndexShape] {
    for index in layout.indexes
    where writer.hasDeferredIndexes && index.table == table && (index.kind == .ordinary || index.kind == .unique) {
      if index.createStatement.contains(" WHERE ") { continue }
      try connection.execute(StoreWriter.ifMissing(index.createStatement))
    }
    return try IndexShape.all(of: table, in: connection)
  }
}
