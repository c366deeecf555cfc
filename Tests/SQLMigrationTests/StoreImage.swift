import SQLite
import TestQueries

/// All that a database file says, table by table and row by row, with the kind of every value.
struct StoreImage: Equatable {
  private var schema: Set<String> = []
  private var rows: [String: [String]] = [:]

  init(path: String) throws {
    let connection = try Connection(path: path)
    let list = try Statement(connection, "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_master")
    var tables: [String] = []
    while try list.step() {
      let (type, name) = (list.string(at: 0) ?? "", list.string(at: 1) ?? "")
      if type == "table" { tables.append(name) }
      schema.insert("\(type) \(name) \(list.string(at: 2) ?? ""): \(list.string(at: 3) ?? "")")
    }
    list.finalize()
    for table in tables {
      let columns = try connection.rows(ofQuery: "SELECT name FROM pragma_table_info('\(table)')").map { "\"\($0)\"" }
      let texts = columns.map { "typeof(\($0)) || ' ' || quote(\($0))" }.joined(separator: " || ', ' || ")
      rows[table] = try connection.rows(
        ofQuery: "SELECT rowid || ': ' || \(texts) FROM \"\(table)\" ORDER BY rowid")
    }
    try connection.close()
  }

  /// The first difference; nil where there is none.
  func difference(from other: StoreImage) -> String? {
    if schema != other.schema { return "schema: \(schema.symmetricDifference(other.schema).sorted())" }
    for (table, values) in rows.sorted(by: { $0.key < $1.key }) where values != other.rows[table] {
      let others = other.rows[table] ?? []
      let place = zip(values, others).enumerated().first { $1.0 != $1.1 }
      return "\(table): \(values.count) and \(others.count) rows; \(place.map { "\($1.0) is not \($1.1)" } ?? "")"
    }
    return nil
  }
}
