import ObjectModel
import SQLite

/// An R-tree that is in a store.
struct RTree: Sendable, Hashable {
  var name: String
  /// The table whose rows it holds.
  var source: String
  var columns: [String]
  /// The entity numbers of the rows that it holds.
  var numbers: String
  /// Whether the file has Core Data's trigger that fills it. Then every row of the table is in it, whatever its entity. Stores
  /// that were migrated may lack them; there rows of the index's entity are in it. A missing coordinate is 0.
  var hasTriggers = false

  /// A foreign file may call it anything.
  var quotedName: String { SQLiteStore.quoted(name) }

  /// Whether a row of the table is of the index's entity.
  private var isOfEntity: String { "Z_ENT IN (\(numbers))" }

  /// What makes a row of the table worth finding: it has all coordinates, and is of the index's entity.
  var membership: String { columns.map { "\($0) IS NOT NULL AND " }.joined() + isOfEntity }

  /// Adds every row that belongs into it.
  /// - Parameter condition: what the rows must meet besides.
  func fillStatement(where condition: String? = nil) -> String {
    let values = columns.map { "\($0), \($0)" }.joined(separator: ", ")
    let conditions = [hasTriggers ? nil : isOfEntity, condition].compactMap { $0 }
    return "INSERT INTO \(quotedName) SELECT Z_PK, \(values) FROM \(source)"
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  /// The three triggers by which Core Data keeps an R-tree, blank by blank.
  static func triggerStatements(name: String, source: String, columns: [String]) -> [String] {
    let ranges = columns.map { "\($0)_MIN, \($0)_MAX" }.joined(separator: ", ")
    let values = columns.enumerated().map { index, column in
      "NEW.\(column)\(index == 0 ? " ," : ", ")NEW.\(column)"
    }.joined(separator: ", ")
    let row = "INTO \(name) (Z_PK, \(ranges)) VALUES (NEW.Z_PK, \(values)) ; END"
    return [
      "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON \(source) FOR EACH ROW BEGIN INSERT OR REPLACE \(row)",
      "CREATE TRIGGER \(name)_UPDATE AFTER UPDATE ON \(source) FOR EACH ROW BEGIN "
        + "DELETE FROM \(name) WHERE Z_PK = NEW.Z_PK ; INSERT \(row)",
      "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON \(source) FOR EACH ROW BEGIN "
        + "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK ; END",
    ]
  }

  /// The triggers that the tree would have; none where its name would have to be quoted, as no index of a model is called
  /// so and a text would mean something else.
  var triggerStatements: [String] {
    guard
      name.unicodeScalars.allSatisfy({ $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil })
    else { return [] }
    return RTree.triggerStatements(name: name, source: source, columns: columns)
  }

  /// The R-trees of a file. The file decides, not the model: fetch indexes do not count for compatibility, and a
  /// cached model does not have them.
  static func all(in connection: Connection, _ layout: StoreLayout) throws(SQLiteError) -> [RTree] {
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

extension Consistency {
  /// R-tree entries that are missing, left over, or not around their row's values.
  func rTrees() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for tree in try RTree.all(in: connection, layout) {
      // SQLite rounds to 32 bits; beyond their range the rounding does not go outward.
      let fits = tree.columns.map {
        """
         AND ((r.\($0)_MIN <= t.\($0) AND r.\($0)_MAX >= t.\($0))
          OR (t.\($0) <> 0 AND abs(t.\($0)) NOT BETWEEN 1.2e-38 AND 3.4e38))
        """
      }.joined()
      let statement = try Statement(
        connection,
        """
        SELECT count(*), min(Z_PK) FROM (
          SELECT Z_PK FROM \(tree.source) AS t WHERE \(tree.membership)
            AND NOT EXISTS (SELECT 1 FROM \(tree.quotedName) AS r WHERE r.Z_PK = t.Z_PK\(fits))
          UNION ALL
          SELECT Z_PK FROM \(tree.quotedName) AS r WHERE NOT EXISTS (SELECT 1 FROM \(tree.source) AS t WHERE t.Z_PK = r.Z_PK)
        )
        """)
      guard try statement.step(), statement.int64(at: 0) > 0 else { continue }
      result.append(
        StoreFinding(
          .rTree, table: tree.name, count: Int(statement.int64(at: 0)), exampleKey: statement.int64(at: 1),
          "\(tree.name) does not hold just the rows of \(tree.source)"))
    }
    return result
  }
}
