import SQLite
import StoreInterface

/// The pragmas that a description may ask for, and which values of them.
enum StorePragmas {
  /// The values that each pragma may have; nil stands for any integer.
  private static let allowed: [String: Set<String>?] = [
    "journal_mode": ["delete", "wal", "truncate"],
    "synchronous": ["1", "2", "3", "normal", "full", "extra"],
    "cache_size": nil, "wal_autocheckpoint": nil,
    "temp_store": ["0", "1", "2", "default", "file", "memory"],
    "secure_delete": ["0", "1", "false", "true", "off", "on", "no", "yes", "fast"], "fullfsync": flags,
    "checkpoint_fullfsync": flags,
  ]
  private static let flags: Set<String> = ["0", "1", "false", "true", "off", "on", "no", "yes"]

  /// - Throws: `StoreError.unsupported` for another pragma or value.
  static func check(_ pragmas: [String: String]) throws(StoreError) {
    for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
      guard let values = allowed[name.lowercased()] else {
        throw .unsupported(
          "the pragma \(name) cannot be set for a store; these can: \(allowed.keys.sorted().joined(separator: ", "))")
      }
      if let values, !values.contains(value.lowercased()) {
        throw .unsupported(
          "the pragma \(name) of a store cannot be \"\(value)\": it takes \(values.sorted().joined(separator: ", "))")
      }
      if values == nil, Int64(value) == nil {
        throw .unsupported("the pragma \(name) of a store takes a number, not \"\(value)\"")
      }
    }
  }

  /// The page cache that pragmas ask for, in KiB; nil where they ask for none. SQLite counts in pages of 4 KiB, or in
  /// KiB where the number is negative, and takes more than its greatest number for none.
  static func cacheKibibytes(_ pragmas: [String: String]) -> Int? {
    pragmas.first { $0.key.lowercased() == "cache_size" }.flatMap { Int($0.value) }.map {
      min($0 < 0 ? Int(min($0.magnitude, 1 << 40)) : min($0, 1 << 38) * 4, Int(Int32.max))
    }
  }

  /// Sets pragmas that have been checked, but for the size of the cache, which is an option of the store. A rollback
  /// journal is made durable (`synchronous = FULL`) where nothing else is asked for.
  /// - Throws: `StoreError.busy` when another connection keeps the journal mode from being changed.
  static func apply(_ pragmas: [String: String], to connection: Connection, isReadOnly: Bool) throws {
    let names = Set(pragmas.keys.map { $0.lowercased() })
    // The journal mode first: with it `fullfsync` may be turned on, which other pragmas may turn off.
    let ordered = pragmas.sorted { one, two in
      let isFirst = (one.key.lowercased() == "journal_mode", two.key.lowercased() == "journal_mode")
      return isFirst.0 == isFirst.1 ? one.key < two.key : isFirst.0
    }
    for (name, value) in ordered where name.lowercased() != "cache_size" {
      guard name.lowercased() == "journal_mode" else {
        _ = try connection.string("PRAGMA \(name) = \(value)")
        continue
      }
      // The mode is kept in the file, which stays as it is.
      if isReadOnly { continue }
      if try connection.isWriteAheadLogged && value.lowercased() != "wal" {
        try connection.checkpoint(.truncate)
      }
      let mode = try connection.string("PRAGMA journal_mode = \(value)")
      guard mode == value.lowercased() else { throw StoreError.busy(path: connection.path) }
      if mode != "wal" && !names.contains("synchronous") { try connection.forceCommitsToDisk() }
    }
  }
}

extension SQLiteStore {
  /// Sets the pragmas of a description, which have been checked, and does what else it says of a file that is opened.
  func apply(_ description: PersistentStoreDescription) throws {
    try perform {
      try StorePragmas.apply(description.sqlitePragmas, to: connection, isReadOnly: isReadOnly)
      if isReadOnly { return }
      if description.vacuumsWhenOpened { try connection.execute("VACUUM") }
      if description.analyzesWhenOpened { try connection.execute("ANALYZE") }
    }
  }
}
