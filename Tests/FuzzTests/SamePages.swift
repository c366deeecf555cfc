import Foundation
import SQLite

/// A file that pages were put into, beside one that SQLite wrote.
enum SamePages {
  /// The first file must be sound, have the same pages as the second one when both are made compact, and be one that
  /// SQLite can go on with.
  /// - Parameter update: what SQLite sets in some rows of the table `T`.
  static func require(_ fast: Connection, _ slow: Connection, in folder: URL, update: String) throws {
    guard try isSound(fast) else { throw Target.Broken("the file is damaged") }
    let compact = try [("1", fast), ("2", slow)].map { name, connection in
      let path = folder.appendingPathComponent("compact\(name)").path
      try connection.execute("VACUUM INTO '\(path)'")
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    guard compact[0] == compact[1] else { throw Target.Broken("the pages are not those of SQLite") }
    try fast.execute(
      "DELETE FROM T WHERE ID % 3 = 0; PRAGMA incremental_vacuum; UPDATE T SET \(update) WHERE ID % 7 = 0")
    guard try isSound(fast) else { throw Target.Broken("the file is damaged after changes") }
  }

  private static func isSound(_ connection: Connection) throws -> Bool {
    try connection.string("PRAGMA integrity_check") == "ok"
  }

  /// The root page of a table or an index.
  static func root(_ name: String, _ path: String) throws -> UInt32 {
    let connection = try Connection(path: path)
    return UInt32(try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'") ?? 0)
  }
}
