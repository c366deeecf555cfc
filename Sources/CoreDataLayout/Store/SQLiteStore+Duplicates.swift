import SQLite

extension SQLiteStore {
  /// What breaks the model's uniqueness constraints in a store that lacks their indexes: in words, entity by entity.
  package func duplicateKeys() throws -> [String] {
    try perform {
      try ConsistencyCheck(connection: connection, layout: layout).uniqueness().filter { $0.code == .duplicateKey }
        .map(\.message)
    }
  }
}
