import ObjectModel
import SQLite
import StoreInterface

/// Order keys of ordered relationships: the first is 2048, each next one 1024 more.
enum OrderKey {
  static let first: Int64 = 2_048
  static let step: Int64 = 1_024
}

extension SQLiteStore {
  /// Remembers that a row refers to a destination and may have no place in its order yet.
  func noteMissingOrderKey(_ relationship: Relationship, _ key: Int64) {
    let declared = relationship.declaringEntity.relationship(relationship.name) ?? relationship
    if let known = pendingOrderKeys[declared] {
      if !known.contains(key) {
        pendingOrderKeys[declared] = min(known.lowerBound, key)...max(known.upperBound, key)
      }
    } else {
      pendingOrderKeys[declared] = key...key
    }
  }

  /// Puts rows without an order key at the end of their destination's order, by primary key; and takes the order key
  /// from rows that refer to nothing any more.
  func settleOrderKeys() throws {
    for (relationship, range) in pendingOrderKeys.sorted(by: { $0.key.name < $1.key.name }) {
      guard let key = layout.foreignKeyColumn(of: relationship)?.name,
        let order = layout.orderColumn(of: relationship)?.name
      else { continue }
      let table = layout.table(for: relationship.entity).name
      let bounds = "BETWEEN \(range.lowerBound) AND \(range.upperBound)"
      try connection.execute(
        "UPDATE \(table) SET \(order) = NULL WHERE Z_PK \(bounds) AND \(key) IS NULL AND \(order) IS NOT NULL")
      try connection.execute(
        """
        UPDATE \(table) SET \(order) = placed.place FROM (
          SELECT t.Z_PK AS row, IFNULL(
              (SELECT max(o.\(order)) FROM \(table) AS o WHERE o.\(key) = t.\(key)), \(OrderKey.first - OrderKey.step))
            + \(OrderKey.step) * row_number() OVER (PARTITION BY t.\(key) ORDER BY t.Z_PK) AS place
          FROM \(table) AS t WHERE t.Z_PK \(bounds) AND t.\(key) IS NOT NULL AND t.\(order) IS NULL
        ) AS placed WHERE \(table).Z_PK = placed.row
        """)
    }
    pendingOrderKeys.removeAll()
  }

  /// Brings a row's entry in the R-trees up to date. A row with a missing coordinate has none.
  func refreshRTrees(_ rTrees: [IndexLayout], key: Int64) throws {
    if hasDeferredIndexes { return }
    for tree in rTrees {
      guard case .rTree(let columns) = tree.kind else { continue }
      let delete = try cached("DELETE FROM \(tree.name) WHERE Z_PK = ?1")
      try delete.bind(1, key)
      try delete.run()
      let insert = try cached(SQLiteStore.rTreeFill(tree, columns) + " AND Z_PK = ?1")
      try insert.bind(1, key)
      try insert.run()
    }
  }

  /// Fills an R-tree with every row that has all coordinates; more conditions may follow.
  static func rTreeFill(_ tree: IndexLayout, _ columns: [String]) -> String {
    let values = columns.map { "\($0), \($0)" }.joined(separator: ", ")
    let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    return "INSERT INTO \(tree.name) SELECT Z_PK, \(values) FROM \(tree.table) WHERE \(present)"
  }
}
