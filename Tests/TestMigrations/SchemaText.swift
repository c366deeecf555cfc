import SQLite

/// What a file's schema says, for comparing a migrated store with a new one.
package struct SchemaText {
  /// Text by name. Those of history are left out, which is not there in every store.
  var tables: [String: String] = [:]
  var others: Set<String> = []

  package init(path: String) throws {
    let connection = try Connection(path: path)
    let statement = try Statement(
      connection,
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' "
        + "AND tbl_name NOT IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING')")
    while try statement.step() {
      let (name, sql) = (statement.string(at: 1) ?? "", statement.string(at: 2) ?? "")
      if statement.string(at: 0) == "table" { tables[name] = sql } else { others.insert(sql) }
    }
    statement.finalize()
    try connection.close()
  }

  /// The columns of a table's text in their order, without blanks around them.
  static func columns(_ text: String) -> [String] {
    guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")") else { return [] }
    let list = text[text.index(after: open)..<close]
    let parts = list.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
    guard let primary = parts.firstIndex(where: { $0.hasPrefix("PRIMARY KEY") }) else { return parts }
    return Array(parts[..<primary]) + [parts[primary...].joined(separator: ",")]
  }

  /// Where the schema of a migrated store differs from a new one's in more than appended columns and quoted names.
  package func difference(from new: SchemaText, appended: [String: [String]]) -> String? {
    if Set(tables.keys) != Set(new.tables.keys) {
      return "tables \(Set(tables.keys).symmetricDifference(new.tables.keys).sorted())"
    }
    for (name, text) in new.tables where tables[name] != text {
      let added = Set(appended[name] ?? [])
      let wanted = Self.columns(text)
      func isAdded(_ column: String) -> Bool { added.contains(String(column.prefix { $0 != " " })) }
      let expected = wanted.filter { !isAdded($0) } + wanted.filter(isAdded)
      let found = Self.columns(tables[name] ?? "")
      if found != expected { return "\(name): \(tables[name] ?? ""), not \(text)" }
    }
    if others != new.others { return "\(others.symmetricDifference(new.others).sorted())" }
    return nil
  }
}
