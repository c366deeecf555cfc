extension Connection {
  /// The page at which a table begins in the file; nil where the schema has no table of exactly that name.
  package func rootPage(ofTable table: String) throws(SQLiteError) -> UInt32? {
    try integer("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = \(SQLText.literal(table))")
      .flatMap { UInt32(exactly: $0) }
  }

  /// Whether there is an index of exactly that name.
  package func hasIndex(named name: String) throws(SQLiteError) -> Bool {
    try integer("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = \(SQLText.literal(name))") == 1
  }
}
