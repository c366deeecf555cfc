import CoreDataLayout
import ObjectModel
import SQLite
import SQLitePages

/// Lists of rows that are not the same to the byte in two tables, read from the pages of both files; all other rows are
/// the same. There is no list where equal bytes do not mean equal rows: of tables with other columns or with other
/// numbers for their entities, or with values that may lie in files beside the stores.
final class DifferentRows {
  private let tables: MatchTables
  private let left: ComparedLayout
  private let right: ComparedLayout
  private let leftPath: String
  private let rightPath: String
  /// The lists by the names of both tables; nil where there can be none.
  private var lists: [String: String?] = [:]

  init(
    _ tables: MatchTables, left: ComparedLayout, leftPath: String, right: ComparedLayout, rightPath: String
  ) {
    self.tables = tables
    self.left = left
    self.right = right
    self.leftPath = leftPath
    self.rightPath = rightPath
  }

  /// The list of the tables that two entities are in: every other row is the same in both.
  func list(_ leftEntity: Entity, _ rightEntity: Entity) throws -> String? {
    let numbers = Dictionary(
      right.layout.model.entities.map { ($0.name, right.number($0)) }, uniquingKeysWith: { first, _ in first })
    let hierarchy = left.layout.model.entities.filter { $0.root == leftEntity.root }
    guard hierarchy.allSatisfy({ numbers[$0.name] == left.number($0) }) else { return nil }
    // Rows that name files of one name may have other bytes in them.
    let leaves = hierarchy.flatMap(\.storedLeaves)
    if leaves.contains(where: \.attribute.allowsExternalBinaryDataStorage) { return nil }
    return try list(left.layout.table(for: leftEntity).name, right.layout.table(for: rightEntity).name)
  }

  /// The list of two tables, whose rows are known by `rowid`.
  func list(_ leftTable: String, _ rightTable: String) throws -> String? {
    let key = "\(leftTable) \(rightTable)"
    if let known = lists[key] { return known }
    let made = try make(leftTable, rightTable, "temp.rows_\(lists.count)")
    lists[key] = .some(made)
    return made
  }

  private func make(_ leftTable: String, _ rightTable: String, _ list: String) throws -> String? {
    func columns(_ side: ComparedLayout, _ table: String) throws -> String? {
      try tables.connection.string("SELECT group_concat(name) FROM pragma_table_info('\(table)', '\(side.schema)')")
    }
    func root(_ side: ComparedLayout, _ table: String) throws -> UInt32? {
      try tables.connection.integer("SELECT rootpage FROM \(side.schema).sqlite_schema WHERE name = '\(table)'")
        .flatMap { UInt32(exactly: $0) }
    }
    guard try columns(left, leftTable) == columns(right, rightTable), let leftRoot = try root(left, leftTable),
      let rightRoot = try root(right, rightTable)
    else { return nil }
    let connection = tables.connection
    try connection.execute("CREATE TABLE \(list) (pk INTEGER PRIMARY KEY); BEGIN")
    defer { try? connection.execute("COMMIT") }
    do {
      let insert = try Statement(connection, "INSERT INTO \(list) VALUES (?1)", isPersistent: true)
      let difference = TableDifference(
        try MappedTable(path: leftPath, root: leftRoot), try MappedTable(path: rightPath, root: rightRoot))
      try difference.rowIDs { id in
        try insert.bind(1, id)
        try insert.run()
      }
      return list
    } catch is PageError {
      // Another encoding, or a damaged page, of which SQLite tells more.
      return nil
    }
  }
}
