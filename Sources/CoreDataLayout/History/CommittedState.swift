import Platform
import SQLite
import StoreInterface

/// Tells, through a connection of its own, whether any other connection committed something to a store's file since it
/// last looked. Other connections of this process count too.
///
/// One thread at a time uses it.
final class CommittedState {
  /// What the file says of itself.
  struct Content {
    /// The UUID of the store in the file.
    let storeUUID: String
    /// The number of the last transaction of the history; nil where none is kept.
    var transactionNumber: Int64?

    init(_ connection: Connection) throws {
      storeUUID = try connection.string("SELECT Z_UUID FROM Z_METADATA") ?? ""
      if try connection.integer("SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTION'") != nil {
        transactionNumber = try HistoryReader.lastTransactionNumber(connection)
      }
    }

    /// Reads a file that took the place of another one. A log beside it belongs to the other file, so the file is read
    /// alone, without locks.
    init(replacementAt path: String) throws {
      let connection = try Connection(path: path, options: .init(isReadOnly: true, isImmutable: true))
      try self.init(connection)
      try connection.close()
    }
  }

  private(set) var content: Content
  /// The file that was opened.
  let identity: OpenFiles.Identity

  private let path: String
  private let connection: Connection
  /// SQLite's own count of commits by other connections.
  private var version: Int64
  private var lock: WriteLock?

  /// Opens the file.
  /// - Throws: `StoreError.missing` when there is none, `SQLiteError`.
  init(path: String) throws {
    self.path = path
    // Read before the file is opened, so that a file that takes its place in between counts as another one.
    guard let identity = OpenFiles.identity(path) else { throw StoreError.missing(path: path) }
    self.identity = identity
    // The watch looks again later rather than wait here.
    connection = try Connection(path: path, options: .init(isReadOnly: true, busyTimeoutMilliseconds: 0))
    version = try Self.version(connection)
    content = try Content(connection)
  }

  /// Whether a transaction is under way that may have been written to the log and is not committed yet. If this returns
  /// false, every commit so far is visible to later reads.
  var isBeingWritten: Bool {
    if lock == nil { lock = WriteLock(path: path, identity) }
    return lock?.isHeld ?? false
  }

  /// Looks for what was committed since it looked last. Where a history is kept, its transactions count; otherwise
  /// whatever was written.
  /// - Throws: `SQLiteError`, busy where another connection keeps readers out.
  func advance() throws -> Bool {
    let version = try Self.version(connection)
    if version == self.version { return false }
    if let last = content.transactionNumber {
      let number = try HistoryReader.lastTransactionNumber(connection)
      self.version = version
      content.transactionNumber = number
      return number != last
    }
    self.version = version
    return true
  }

  private static func version(_ connection: Connection) throws -> Int64 {
    try connection.integer("PRAGMA data_version") ?? 0
  }
}

/// The lock that a writer to a write-ahead log holds until readers see the transaction.
///
/// SQLite writes a transaction to the log, of which the system tells, and then to the log's index in shared memory, of
/// which nothing tells; the lock is let go of after that.
private final class WriteLock {
  private let descriptor: Int32
  private let database: OpenFiles.Identity
  /// The byte of the log's index that stands for it (`WAL_WRITE_LOCK`).
  private static let byte: Int64 = 120

  /// - Returns: nil when there is no log.
  init?(path: String, _ database: OpenFiles.Identity) {
    guard let descriptor = FileLock.open(StoreFiles.sidecar(.index, of: path)) else { return nil }
    self.descriptor = descriptor
    self.database = database
  }

  // A plain close would release the locks of other connections of this process.
  deinit { OpenFiles.close(descriptor, besides: database) }

  var isHeld: Bool { FileLock.isHeld(Self.byte..<Self.byte + 1, of: descriptor) }
}
