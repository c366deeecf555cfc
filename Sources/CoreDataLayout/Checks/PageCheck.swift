package import SQLite
package import SQLitePages
import StoreInterface

/// How the pages of a store's file are checked.
package struct PageCheck {
  let connection: Connection
  let path: String
  /// Whether the file was made or sealed by this program.
  let isMadeHere: Bool

  package init(connection: Connection, path: String, isMadeHere: Bool) {
    self.connection = connection
    self.path = path
    self.isMadeHere = isMadeHere
  }

  /// What is wrong with the file. One that was made or sealed here is checked page by page on several threads. One that
  /// came from elsewhere also has its indexes compared with its rows, value by value.
  func problem() throws -> String? {
    if !isMadeHere { return try ConsistencyCheck.integrity(connection).first?.message }
    do {
      return try databaseCheck().problems().first
    } catch let error as PageError {
      if error.kind == .inputOutput { throw StoreError.inputOutput(path: path, message: error.message) }
      return error.message
    }
  }

  /// The check of the file's pages. Only virtual tables and views have no tree.
  package func databaseCheck() throws -> DatabaseCheck {
    var trees: [DatabaseCheck.Tree] = []
    let list = try Statement(
      connection,
      """
      SELECT s.name, s.rootpage, s.type = 'index' OR instr(upper(IFNULL(s.sql, '')), 'WITHOUT ROWID') > 0, t.rootpage, instr(upper(IFNULL(s.sql, '')), ' WHERE ') > 0
      FROM sqlite_schema AS s
      LEFT JOIN sqlite_schema AS t ON s.type = 'index' AND t.type = 'table' AND t.name = s.tbl_name
      WHERE s.rootpage > 0 ORDER BY s.rootpage
      """)
    while try list.step() {
      let isPartial = list.int64(at: 4) == 1
      trees.append(
        DatabaseCheck.Tree(
          name: list.string(at: 0) ?? "", root: UInt32(list.int64(at: 1)), isIndex: list.int64(at: 2) == 1,
          tableRoot: list.isNull(at: 3) || isPartial ? nil : UInt32(list.int64(at: 3))))
    }
    return DatabaseCheck(path: path, trees: trees, workers: StoreFiles.workers(2, for: path))
  }
}
