import CoreDataLayout
import ObjectModel
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

  /// Whether the index can be made again after a migration over the same values: its table keeps its name, and every
  /// column of it keeps its values.
  func stays(in work: MigrationWork) -> Bool {
    if work.new.indexes.contains(where: { $0.name.uppercased() == name.uppercased() }) { return false }
    for join in work.joins {
      if case .inPlace(let old) = join.method, isOn(old), isOn(join.new.name) { return join.renamed.isEmpty }
    }
    guard let place = work.tables.first(where: { isOn($0.new.name) }), place.feeds.count == 1,
      isOn(place.feeds[0].old.name)
    else { return false }
    let filled = place.fills.map(\.columns) + place.ordered
    let changed = Set(filled.flatMap { [$0.key, $0.entity, $0.order] }.compactMap { $0?.uppercased() })
    return columns.allSatisfy { column in
      guard let index = place.new.columns.firstIndex(where: { $0.name.uppercased() == column }) else {
        // A column that does not belong to the model either stays where the table does.
        return place.method == .inPlace && !place.feeds[0].old.columns.contains { $0.name.uppercased() == column }
      }
      return place.feeds[0].cells[index].uppercased() == "S.\(column)" && !changed.contains(column)
    }
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

  /// The condition that rows have the same values under a unique index, with the values where the index has only whole
  /// columns.
  /// - Parameter connection: to a file that is thrown away afterwards.
  func condition(_ connection: Connection, _ layout: StoreLayout) throws -> MigrationCondition {
    let root = layout.tables.first { isOn($0.name) }?.root
    var condition = MigrationCondition(kind: .foreignIndex, entity: root?.name ?? table, count: 0, examples: [text])
    let loose = "CREATE INDEX" + statement.dropFirst("CREATE UNIQUE INDEX".count)
    try Statement(connection, loose).run()
    let list = try Statement(
      connection,
      "SELECT i.name, l.partial FROM pragma_index_list(?1) AS l JOIN pragma_index_info(l.name) AS i WHERE l.name = ?2 "
        + "ORDER BY i.seqno")
    try list.bind(1, table)
    try list.bind(2, name)
    var names: [String] = []
    while try list.step() {
      guard let column = list.string(at: 0), list.int64(at: 1) == 0 else { return condition }
      names.append(SchemaGuard.quoted(column))
    }
    list.finalize()
    guard let root, !names.isEmpty else { return condition }
    let duplicates = DuplicateValues(constraint: (root, []), columns: names)
    if let found = try duplicates.find(in: "SELECT * FROM \(SchemaGuard.quoted(table))", connection) {
      condition.count = found.count
      condition.examples += found.examples
    }
    return condition
  }

  private func isOn(_ table: String) -> Bool { table.uppercased() == self.table.uppercased() }
}
