import CoreDataLayout
import SQLite

/// Tells which views and triggers work with some tables: SQLite compiles them, in an empty database in memory.
struct SchemaTrial {
  private let connection: Connection

  /// - Parameters:
  ///   - tables: statements that make the tables. One that cannot be made is left out.
  ///   - views: made in their order, as one view may read another.
  init(tables: [String], views: [ForeignView]) throws {
    connection = try Connection(path: ":memory:")
    try TriggerFunctions.register(on: connection)
    for statement in tables + views.filter({ $0.type == "view" }).map(\.statement) { try? make(statement) }
  }

  /// Runs one statement that makes or changes a table, a view or a trigger. A forged file may have others behind it, or
  /// anything in its place; modules of virtual tables may do what they like.
  private func make(_ sql: String) throws {
    let words = sql.split(maxSplits: 2) { $0.isWhitespace }.prefix(2).map { $0.uppercased() }
    guard [["CREATE", "TABLE"], ["CREATE", "VIEW"], ["CREATE", "TRIGGER"], ["ALTER", "TABLE"]].contains(words) else {
      return
    }
    try Statement(connection, sql).run()
  }

  /// Whether an index can be made.
  func works(_ index: ForeignIndex) -> Bool { (try? index.make(in: connection)) != nil }

  /// Why a view or trigger does not work; nil where it does.
  func obstacle(_ view: ForeignView) -> String? {
    if view.type == "view" { return obstacle("SELECT * FROM \(SQLText.identifier(view.name))") }
    let table = SQLText.identifier(view.table)
    guard (try? make(view.statement)) != nil else { return "no such table: \(view.table)" }
    defer { try? connection.execute("DROP TRIGGER \(SQLText.identifier(view.name))") }
    let column = try? connection.string(
      "SELECT name FROM pragma_table_info(\(SQLText.literal(view.table)))")
    return obstacle("INSERT INTO \(table) DEFAULT VALUES")
      ?? column.flatMap { name in
        obstacle("UPDATE \(table) SET \(SQLText.identifier(name)) = \(SQLText.identifier(name))")
      }
      ?? obstacle("DELETE FROM \(table)")
  }

  private func obstacle(_ sql: String) -> String? {
    do {
      _ = try Statement(connection, sql)
      return nil
    } catch {
      return error.message
    }
  }
}
