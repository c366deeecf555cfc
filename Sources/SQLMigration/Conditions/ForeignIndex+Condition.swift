import CoreDataLayout
import ObjectModel
import SQLite

extension ForeignIndex {
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
      names.append(SQLText.identifier(column))
    }
    list.finalize()
    guard let root, !names.isEmpty else { return condition }
    let duplicates = DuplicateValues(constraint: (root, []), columns: names)
    if let found = try duplicates.find(in: "SELECT * FROM \(SQLText.identifier(table))", connection) {
      condition.count = found.count
      condition.examples += found.examples
    }
    return condition
  }
}
