package import SQLite
import StoreInterface

/// Makes sure that the tables which are about to be read are tables: a forged file may have a view, a virtual table or
/// a computed column in their place, which can run for ever or give other rows each time.
package struct SchemaGuard {
  let connection: Connection

  package init(connection: Connection) { self.connection = connection }

  /// What stands under a table's name.
  package enum Table {
    case missing
    /// No ordinary table with row ids; `column` is the column that shows it, nil where the table itself does.
    case foreign(column: String?, message: String)
    /// An ordinary table with these columns, in upper case.
    case ordinary(columns: Set<String>)
  }

  /// - Complexity: O(size of the schema).
  package func table(_ name: String) throws(SQLiteError) -> Table {
    let entry = try Statement(
      connection, "SELECT type, rootpage FROM sqlite_master WHERE lower(name) = lower(?1) AND type IN ('table', 'view')"
    )
    try entry.bind(1, name)
    guard try entry.step() else { return .missing }
    if entry.string(at: 0) == "view" { return .foreign(column: nil, message: "\(name) is a view, not a table") }
    if entry.int64(at: 1) <= 0 { return .foreign(column: nil, message: "\(name) is a virtual table") }
    entry.finalize()
    let list = try Statement(connection, "SELECT wr FROM pragma_table_list(?1) WHERE schema = 'main'")
    try list.bind(1, name)
    if try list.step(), list.int64(at: 0) != 0 {
      return .foreign(column: nil, message: "\(name) is a table WITHOUT ROWID, which Core Data never makes")
    }
    list.finalize()
    var columns: Set<String> = []
    let info = try Statement(connection, "SELECT name, hidden, pk, type FROM pragma_table_xinfo(?1)")
    try info.bind(1, name)
    while try info.step() {
      let column = (info.string(at: 0) ?? "").uppercased()
      if info.int64(at: 1) != 0 {
        return .foreign(column: column, message: "column \(name).\(column) is computed, not stored")
      }
      if column == "Z_PK", info.int64(at: 2) != 1 || info.string(at: 3)?.uppercased() != "INTEGER" {
        return .foreign(column: column, message: "\(name).Z_PK is not an INTEGER PRIMARY KEY")
      }
      columns.insert(column)
    }
    return .ordinary(columns: columns)
  }

  /// What is wrong with the schema: every table and column of the layout must be there and be ordinary.
  package func findings(_ layout: StoreLayout) throws(SQLiteError) -> [StoreFinding] {
    var expected = layout.tables.map { ($0.name, $0.columns.map(\.name)) }
    for join in layout.joinTables {
      let orders = [join.master.orderColumn, join.inverse.orderColumn].compactMap { $0 }
      expected.append((join.name, [join.master.ownerColumn, join.master.memberColumn] + orders))
    }
    expected.append(("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]))
    var result: [StoreFinding] = []
    for (name, columns) in expected {
      switch try table(name) {
      case .missing: result.append(StoreFinding(.schema, table: name, "table \(name) is missing"))
      case .foreign(let column, let message):
        result.append(StoreFinding(.schema, table: name, column: column, message))
      case .ordinary(let found):
        for column in columns where !found.contains(column.uppercased()) {
          result.append(StoreFinding(.schema, table: name, column: column, "column \(name).\(column) is missing"))
        }
      }
    }
    return result
  }

  /// Columns that the layout does not have, and that must not be null: the app's rows have no value for them.
  func unfillableColumns(_ layout: StoreLayout) throws(SQLiteError) -> [StoreFinding] {
    var known = layout.tables.map { ($0.name, Set($0.columns.map { $0.name.uppercased() })) }
    for join in layout.joinTables {
      let names = [
        join.master.ownerColumn, join.master.memberColumn, join.master.orderColumn, join.inverse.orderColumn,
      ]
      known.append((join.name, Set(names.compactMap { $0?.uppercased() })))
    }
    var result: [StoreFinding] = []
    for (table, columns) in known {
      let info = try Statement(
        connection,
        "SELECT name FROM pragma_table_xinfo(?1) WHERE \"notnull\" <> 0 AND dflt_value IS NULL AND hidden = 0 ORDER BY cid"
      )
      try info.bind(1, table)
      while try info.step() {
        guard let column = info.string(at: 0), !columns.contains(column.uppercased()) else { continue }
        result.append(
          StoreFinding(
            .schema, table: table, column: column,
            "\(table) cannot be written to: its column \(column) is none of the model's, must not be null, and has no default"
          ))
      }
    }
    return result
  }

  /// Refuses anything but an ordinary table with these columns.
  /// - Throws: `StoreError.notAStore`.
  func require(_ name: String, columns: [String], path: String) throws {
    switch try table(name) {
    case .missing: throw StoreError.notAStore(path: path, message: "there is no table \(name)")
    case .foreign(_, let message): throw StoreError.notAStore(path: path, message: message)
    case .ordinary(let found):
      if let missing = columns.first(where: { !found.contains($0) }) {
        throw StoreError.notAStore(path: path, message: "column \(missing) of table \(name) is missing")
      }
    }
  }
}

/// A trigger that the model of a store does not explain.
public struct ForeignTrigger: Sendable, Hashable {
  /// The trigger's name.
  public var name: String
  /// The table whose changes set it off.
  public var table: String

  /// The warning of a program that wrote to the store without it.
  package var warning: String {
    "the trigger \(name) on \(table) does not belong to the model and was not run; the app runs it on every change"
  }
}

extension SchemaGuard {
  /// The texts of all triggers in the file.
  func triggerTexts() throws(SQLiteError) -> Set<String> {
    let statement = try Statement(connection, "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
    var texts: Set<String> = []
    while try statement.step() { texts.insert(statement.string(at: 0) ?? "") }
    return texts
  }

  /// Triggers that do not belong to Core Data, by name: on the layout's tables, those of bookkeeping and history, and
  /// the tables behind R-trees. Those on other tables are never set off here.
  package func foreignTriggers(_ layout: StoreLayout) throws(SQLiteError) -> [ForeignTrigger] {
    let tables = Set((layout.tables.map(\.name) + layout.joinTables.map(\.name)).map { $0.uppercased() })
      .union(StoreLayout.bookkeepingTables)
    let trees = try RTree.all(in: connection, layout)
    let known = Set(layout.triggers.flatMap(\.createStatements) + trees.flatMap(\.triggerStatements))
    let statement = try Statement(
      connection, "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    var result: [ForeignTrigger] = []
    while try statement.step() {
      let table = statement.string(at: 1) ?? ""
      let isWritten = tables.contains(table.uppercased()) || table.uppercased().hasPrefix("Z_RT_")
      guard isWritten, !known.contains(statement.string(at: 2) ?? "") else { continue }
      result.append(ForeignTrigger(name: statement.string(at: 0) ?? "", table: table))
    }
    return result
  }

  /// Why rows of a table cannot be written, nil when they can. SQLite compiles a table's triggers with each statement,
  /// so that nothing has to be run to know. Core Data trusts the schema, without which triggers cannot write R-trees.
  func writeObstacle(_ table: String) throws(SQLiteError) -> String? {
    try connection.set(.trustedSchema, true)
    try connection.set(.triggers, true)
    let obstacle = try compilingObstacle(table)
    try connection.set(.triggers, false)
    try connection.set(.trustedSchema, false)
    return obstacle
  }

  private func compilingObstacle(_ table: String) throws(SQLiteError) -> String? {
    let name = SQLText.identifier(table)
    for sql in ["INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET rowid = rowid", "DELETE FROM \(name)"] {
      do {
        _ = try Statement(connection, sql)
      } catch {
        if error.code != .error { throw error }
        return error.message
      }
    }
    return nil
  }
}

extension SchemaGuard {
  /// Where a table is in the file, and where its columns lie in its records; nil when something of it is not as this
  /// program makes it, so that its rows have to be read through SQLite. The first statement takes the lock of the open
  /// transaction.
  func pagePlaces(of table: TableLayout) throws -> (root: UInt32, columns: [String: Int])? {
    guard
      let root = try connection.rootPage(ofTable: table.name),
      // A primary key with an index of its own is not the row id, in whose order the pages are.
      try connection.integer("SELECT count(*) FROM pragma_index_list('\(table.name)') WHERE origin = 'pk'") == 0,
      let columns = try storedPositions(of: table)
    else { return nil }
    return (root, columns)
  }

  /// Where the layout's columns lie in the table's records; nil when a column is not declared as this program does it,
  /// so that SQLite might compare it in another way or read a default where the record ends.
  func storedPositions(of table: TableLayout) throws -> [String: Int]? {
    let statement = try Statement(
      connection,
      """
      SELECT i.cid, upper(i.name), i.type, i.dflt_value IS NOT NULL, instr(upper(s.sql), 'COLLATE')
      FROM pragma_table_info(?1) AS i JOIN sqlite_schema AS s ON s.type = 'table' AND s.name = ?1
      """)
    try statement.bind(1, table.name)
    var positions: [String: Int] = [:]
    while try statement.step() {
      guard statement.int64(at: 3) == 0, statement.int64(at: 4) == 0 else { return nil }
      let name = statement.string(at: 1) ?? ""
      let type = (statement.string(at: 2) ?? "").uppercased()
      if let column = table.columns.first(where: { $0.name == name }), column.sqlType.uppercased() == type {
        positions[name] = Int(statement.int64(at: 0))
      }
    }
    return positions
  }
}
