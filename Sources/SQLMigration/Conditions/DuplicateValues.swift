import ObjectModel
import SQLite

/// Values that are in several rows under a uniqueness constraint. A row in which one of them is null equals no other.
struct DuplicateValues {
  let constraint: (entity: Entity, names: [String])
  let columns: [String]

  /// The most keys that are shown.
  private static let shownCount = 20

  /// The values that several rows have, as SQL over a table or a query of rows.
  func groups(in rows: String) -> String {
    let list = columns.joined(separator: ", ")
    let isWhole = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    return "SELECT \(list) FROM (\(rows)) WHERE \(isWhole) GROUP BY \(list) HAVING count(*) > 1"
  }

  func find(in rows: String, _ connection: Connection) throws -> MigrationCondition? {
    let count = Int(try connection.integer("SELECT count(*) FROM (\(groups(in: rows)))") ?? 0)
    guard count > 0 else { return nil }
    let shown = columns.map {
      "CASE typeof(\($0)) WHEN 'blob' THEN hex(substr(\($0), 1, 16)) ELSE substr(\($0), 1, 60) END"
    }
    let statement = try Statement(
      connection,
      "SELECT \(shown.joined(separator: ", ")) FROM (\(groups(in: rows))) ORDER BY \(columns.joined(separator: ", ")) "
        + "LIMIT \(Self.shownCount)")
    var examples: [String] = []
    while try statement.step() {
      examples.append(columns.indices.map { statement.string(at: Int32($0)) ?? "" }.joined(separator: ", "))
    }
    return MigrationCondition(
      kind: .duplicateKeys, entity: constraint.entity.name, property: constraint.names.joined(separator: ", "),
      count: count, examples: examples)
  }
}
