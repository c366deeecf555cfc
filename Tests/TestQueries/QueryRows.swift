package import SQLite

extension Connection {
  /// The rows of a query, each as its columns' texts joined by `|`; null is `∅`.
  package func rows(ofQuery sql: String) throws -> [String] {
    let statement = try Statement(self, sql)
    defer { statement.finalize() }
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull(at: $0) ? "∅" : statement.string(at: $0) ?? "" }
          .joined(separator: "|"))
    }
    return rows
  }

  /// The rows of a query of a file, which is opened for reading only.
  package static func rows(at path: String, _ sql: String) throws -> [String] {
    let connection = try Connection(path: path, options: .init(isReadOnly: true))
    defer { try? connection.close() }
    return try connection.rows(ofQuery: sql)
  }
}
