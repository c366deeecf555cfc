import CoreDataLayout
import SQLite
import StoreInterface

/// An index on one of a store's tables that its model does not explain.
package struct ForeignIndex: Sendable, Hashable {
  let name: String
  let table: String
  /// The CREATE INDEX statement as the file has it.
  let statement: String
  /// The table's columns that the statement names, in an expression or a condition too, in upper case.
  let columns: Set<String>
  let isUnique: Bool

  /// Such as `recent on ZNOTE`.
  var text: String { "\(name) on \(table)" }

  /// The foreign indexes of a file, by name.
  /// - Parameter tables: the columns of the layout's tables as they are in the file, by name, both in upper case.
  static func all(_ connection: Connection, _ layout: StoreLayout, tables: [String: Set<String>]) throws
    -> [ForeignIndex]
  {
    let known = Set(layout.indexes.map { $0.name.uppercased() })
    let statement = try Statement(
      connection, "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
    )
    var result: [ForeignIndex] = []
    while try statement.step() {
      let (name, table) = (statement.string(at: 0) ?? "", statement.string(at: 1) ?? "")
      guard let columns = tables[table.uppercased()], !known.contains(name.uppercased()) else { continue }
      let sql = statement.string(at: 2) ?? ""
      result.append(
        ForeignIndex(
          name: name, table: table, statement: sql, columns: columns.intersection(words(sql)),
          isUnique: sql.uppercased().hasPrefix("CREATE UNIQUE ")))
    }
    return result
  }

  /// All words of a statement that may be names, in upper case.
  private static func words(_ sql: String) -> Set<String> {
    Set(sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { $0.uppercased() })
  }

  /// Makes the index again. A forged file may have other SQL in the place of the statement, or after it.
  func make(in connection: Connection) throws {
    let isStatement = ["CREATE INDEX ", "CREATE UNIQUE INDEX "].contains { statement.uppercased().hasPrefix($0) }
    guard isStatement else { throw StoreError.failure("\(name) is no index") }
    try Statement(connection, statement).run()
  }

  /// Whether the index is over values that a migration may compute anew.
  func isOverDerivedValues(of layout: StoreLayout) -> Bool {
    layout.derivedAttributes.contains { derived in
      isOn(layout.table(for: derived.entity).name)
        && layout.propertyColumn(derived.name, of: derived.entity).map { columns.contains($0.uppercased()) } ?? false
    }
  }

  /// Whether it is an index of this table.
  func isOn(_ table: String) -> Bool { table.uppercased() == self.table.uppercased() }
}
