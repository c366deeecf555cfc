import ObjectModel
package import SQLite

/// An R-tree that is in a store.
package struct RTree: Sendable, Hashable {
  var name: String
  /// The table whose rows it holds.
  var source: String
  var columns: [String]
  /// The entity numbers of the rows that it holds.
  var numbers: String
  /// Whether the file has Core Data's trigger that fills it. Then every row of the table is in it, whatever its entity.
  /// Stores that were migrated may lack them; there rows of the index's entity are in it. A missing coordinate is 0.
  var hasTriggers = false

  /// A foreign file may call it anything.
  var quotedName: String { SQLText.identifier(name) }

  /// Whether a row of the table is of the index's entity.
  private var isOfEntity: String { "Z_ENT IN (\(numbers))" }

  /// The rows of the table that have to be in it: those of the index's entity; without triggers, only those that have
  /// all coordinates.
  var membership: String {
    (hasTriggers ? "" : columns.map { "\($0) IS NOT NULL AND " }.joined()) + isOfEntity
  }

  /// The statement that adds every row that belongs into it.
  /// - Parameter condition: what the rows must meet besides.
  package func fillStatement(where condition: String? = nil) -> String {
    let values = columns.map { "\($0), \($0)" }.joined(separator: ", ")
    let conditions = [hasTriggers ? nil : isOfEntity, condition].compactMap { $0 }
    return "INSERT INTO \(quotedName) SELECT Z_PK, \(values) FROM \(source)"
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  /// Core Data's triggers for the tree; none where its name would have to be quoted, as no index of a model has such a
  /// name.
  var triggerStatements: [String] {
    guard
      name.unicodeScalars.allSatisfy({ $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil })
    else { return [] }
    return TriggerLayout.rTreeStatements(name: name, source: source, columns: columns)
  }

  /// The R-trees of a file. The file decides, not the model: fetch indexes do not count for compatibility, and a
  /// cached model does not have them.
  package static func all(in connection: Connection, _ layout: StoreLayout) throws(SQLiteError) -> [RTree] {
    let statement = try Statement(
      connection,
      "SELECT name FROM sqlite_master WHERE name LIKE 'Z!_RT!_%' ESCAPE '!' AND sql LIKE 'CREATE VIRTUAL TABLE% USING RTREE (%' "
        + "ORDER BY name")
    var trees: [RTree] = []
    while try statement.step() {
      let name = statement.string(at: 0) ?? ""
      // Of entities `Place` and `Place_Old`, the longer name is meant where both fit.
      guard
        let entity = layout.entitiesByNumber.filter({ name.hasPrefix("Z_RT_\($0.name)_") })
          .max(by: { $0.name.utf8.count < $1.name.utf8.count })
      else { continue }
      let table = layout.table(for: entity)
      let known = Set(table.columns.map(\.name))
      let columns = try coordinates(of: name, connection)
      guard !columns.isEmpty, known.isSuperset(of: columns) else { continue }
      var tree = RTree(
        name: name, source: table.name, columns: columns,
        numbers: layout.numbers(ofKind: entity).map(String.init).joined(separator: ", "))
      let texts = try SchemaGuard(connection: connection).triggerTexts()
      tree.hasTriggers = tree.triggerStatements.first.map(texts.contains) ?? false
      trees.append(tree)
    }
    return trees
  }

  /// `ZLATITUDE_MIN, ZLATITUDE_MAX` stand for the column `ZLATITUDE`.
  private static func coordinates(of name: String, _ connection: Connection) throws(SQLiteError) -> [String] {
    let statement = try Statement(
      connection, "SELECT name FROM pragma_table_info(?1) WHERE name LIKE '%!_MIN' ESCAPE '!' ORDER BY cid")
    try statement.bind(1, name)
    var columns: [String] = []
    while try statement.step() { columns.append(String((statement.string(at: 0) ?? "").dropLast("_MIN".count))) }
    return columns
  }
}
