import Foundation
import Platform
package import SQLite
import StoreInterface

/// Opens a store for reading without changing a byte of it or of its sidecars, also in a read-only folder.
///
/// A store with a write-ahead log or a rollback journal is copied with them, as SQLite would write to the log's index
/// while reading. Of others, those in WAL mode are opened as immutable, for which SQLite would make sidecars, and read
/// again when they were changed meanwhile; the rest is locked for as long as it is read.
package enum ReadOnlyCopy {
  /// How often a file is read that others change meanwhile.
  private static let attempts = 10

  package static func withConnection<Result>(to path: String, _ body: (Connection) throws -> Result) throws -> Result {
    try StoreFiles.requireFile(path)
    do {
      for _ in 0..<attempts where try !hasLog(path) {
        let stamp = try StoreFiles.stamp(path)
        let isImmutable = try StoreFiles.isWriteAheadLogged(path: path)
        let connection = try Connection(path: path, options: .init(isReadOnly: true, isImmutable: isImmutable))
        try connection.logStatements()
        try connection.limit(forFileOf: try byteCount(path))
        // All that is read is of one moment.
        try connection.begin(.deferred)
        let result = Swift.Result { try body(connection) }
        if try !isImmutable || StoreFiles.stamp(path) == stamp { return try result.get() }
      }
      if try !hasLog(path) { throw StoreError.busy(path: path) }
      let copy = try PrivateCopy(of: path)
      return try copy.naming {
        let connection = try Connection(path: copy.path)
        try connection.logStatements()
        try connection.limit(forFileOf: try byteCount(copy.path))
        let result = try body(connection)
        try connection.close()
        return result
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  /// Whether rows may lie beside the store, in a log or a journal.
  package static func hasLog(_ path: String) throws -> Bool {
    try Sidecar.withRows.contains { try (StoreFiles.stamp(StoreFiles.sidecar($0, of: path))?.size ?? 0) > 0 }
  }

  /// Bytes of a store with its log or journal.
  static func byteCount(_ path: String) throws -> Int {
    try StoreStamp.read(path: path).byteCount
  }

  /// Copies a store with its log or journal as they are at one moment, also while other connections write to its log.
  /// The log's index (`-shm`) is left out: SQLite builds it anew.
  /// - Throws: `StoreError.busy` when the files keep changing.
  static func copyTriple(from source: String, to target: String, synchronizes: Bool = true) throws {
    // A symbolic link to a store has its log beside the store.
    let source = ResultPath.followed(source)
    var hold: CheckpointHold?
    for _ in 0..<attempts {
      hold = hold ?? CheckpointHold(source)
      let before = try StoreStamp.read(path: source)
      let files = { Sidecar.files(of: $0, Sidecar.withRows) }
      for (from, to) in zip(files(source), files(target)) {
        if FileSystem.exists(from) {
          try StoreFiles.copy(from, to: to, synchronizes: synchronizes)
        } else {
          try StoreFiles.remove(to)
        }
      }
      let after = try StoreStamp.read(path: source)
      if after == before { return }
      if try after.differsOnlyInLog(from: before) && isStartOfLog(in: target, of: source) { return }
      Thread.sleep(forTimeInterval: 0.05)
    }
    throw StoreError.busy(path: source)
  }

  /// Whether what was copied of a log is its start. A log only grows as long as its header stays, and SQLite leaves out
  /// the end of a log that no commit closes. Where a log began anew meanwhile, the copy may have frames of both, and
  /// older pages than the main file.
  private static func isStartOfLog(in target: String, of source: String) throws -> Bool {
    let (copy, log) = (Sidecar.log.path(of: target), Sidecar.log.path(of: source))
    guard FileSystem.exists(copy), FileSystem.exists(log) else { return false }
    let header = try StoreFiles.header(copy).prefix(32)
    return try header.count == 32 && header == StoreFiles.header(log).prefix(32)
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
