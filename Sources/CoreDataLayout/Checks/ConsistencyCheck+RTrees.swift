import SQLite

extension ConsistencyCheck {
  /// R-tree entries that are missing, left over, or not around their row's values.
  func rTrees() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for tree in try RTree.all(in: connection, layout) {
      // SQLite rounds coordinates outward to 32 bits, but not beyond the range of 32-bit numbers. A missing one is 0.
      let fits = tree.columns.map {
        """
         AND ((r.\($0)_MIN <= ifnull(t.\($0), 0) AND r.\($0)_MAX >= ifnull(t.\($0), 0))
          OR (t.\($0) <> 0 AND abs(t.\($0) * 1.0) NOT BETWEEN 1.2e-38 AND 3.4e38))
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
