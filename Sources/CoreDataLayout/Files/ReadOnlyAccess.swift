import Foundation
import Platform
package import SQLite
import StoreInterface

/// Opens a store for reading without changing a byte of it or of its sidecars, also in a read-only folder.
///
/// A store with a write-ahead log or a rollback journal is copied with it, as SQLite would write to the log's index
/// while reading. One in WAL mode without a log is opened as immutable, as SQLite would make sidecars for it, and read
/// again when it was changed meanwhile. Any other is locked for as long as it is read.
package enum ReadOnlyAccess {
  /// How often a file is read that others change meanwhile.
  static let attempts = 10

  package static func withConnection<Result>(to path: String, _ body: (Connection) throws -> Result) throws -> Result {
    try StoreFiles.requireFile(path)
    do {
      for _ in 0..<attempts where try !StoreFiles.hasLog(path) {
        let stamp = try StoreFiles.stamp(path)
        let isImmutable = try StoreFiles.isWriteAheadLogged(path: path)
        let connection = try Connection(path: path, options: .init(isReadOnly: true, isImmutable: isImmutable))
        try connection.logStatements()
        try connection.limit(forFileOf: try StoreFiles.byteCount(path))
        // All that is read is of one moment.
        try connection.begin(.deferred)
        let result = Swift.Result { try body(connection) }
        if try !isImmutable || StoreFiles.stamp(path) == stamp { return try result.get() }
      }
      if try !StoreFiles.hasLog(path) { throw StoreError.busy(path: path) }
      let copy = try PrivateCopy(of: path)
      return try copy.naming {
        let connection = try Connection(path: copy.path)
        try connection.logStatements()
        try connection.limit(forFileOf: try StoreFiles.byteCount(copy.path))
        let result = try body(connection)
        try connection.close()
        return result
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }
}

extension Connection {
  /// Limits the cost of a file of unknown origin: no value may be longer than the file, and a statement may not take
  /// more work than reading the file many times.
  /// - Parameter byteCount: bytes of the file and its log.
  func limit(forFileOf byteCount: Int) throws(SQLiteError) {
    try limitValues(toBytes: max(byteCount, 1 << 20))
    try limitWork(forFileOf: byteCount)
  }

  /// Limits the work of statements to that of reading a file many times.
  /// - Parameter byteCount: bytes of the file and its log.
  func limitWork(forFileOf byteCount: Int, per scope: WorkLimitScope = .connection) throws(SQLiteError) {
    try limitWork(toSteps: 50_000_000 + 2_000 * Int64(clamping: byteCount), per: scope)
  }
}
