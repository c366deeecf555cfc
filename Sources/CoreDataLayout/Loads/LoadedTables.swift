import SQLite
import SQLitePages
import StoreInterface

/// What has to be known of a table before pages of it are written.
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
          AND \(OwnerLedger.othersCondition))
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
    var shapes: [IndexShape] = []
    let list = try Statement(
      connection,
      """
      SELECT l.name, l."unique", s.rootpage FROM pragma_index_list(?1) AS l
      JOIN sqlite_schema AS s ON s.type = 'index' AND s.name = l.name ORDER BY s.rootpage
      """)
    try list.bind(1, table)
    let columns = try Statement(
      connection, "SELECT cid, \"desc\", coll, name FROM pragma_index_xinfo(?1) WHERE key = 1 ORDER BY seqno")
    while try list.step() {
      let name = list.string(at: 0) ?? ""
      var shape = IndexShape(
        name: name, root: UInt32(list.int64(at: 2)), columns: [], isUnique: list.int64(at: 1) == 1)
      try columns.bind(1, name)
      while try columns.step() {
        let position = Int(columns.int64(at: 0))
        guard position >= -1, columns.string(at: 2) == "BINARY" else {
          throw StoreError.failure("the index \(name) has a key that is no plain column")
        }
        // The primary key is the row id: the record has null in its place.
        let isRowID = position < 0 || columns.string(at: 3) == "Z_PK"
        shape.columns.append(
          IndexShape.Column(field: isRowID ? nil : position, isDescending: columns.int64(at: 1) == 1))
      }
      columns.reset()
      shapes.append(shape)
    }
    return shapes
  }
}
