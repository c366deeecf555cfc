import Foundation
import Platform
package import SQLite
import StoreInterface

/// One connection to a store's file, with the statements that were prepared for it.
///
/// One lock guards it: calls from several threads wait for each other. Sessions over one file are independent: SQLite
/// decides which writes of one the transaction of another sees.
package final class StoreSession: @unchecked Sendable {
  /// What the connection is for.
  struct Options: Sendable {
    /// Refuses every write.
    var isReadOnly = false
    /// With `isReadOnly`: neither the store nor what lies beside it is changed in any way.
    var leavesSidecarsAlone = false
    /// With `isReadOnly`: reads within one transaction, so that it sees the store as it was when the first read began.
    var keepsSnapshot = false
    /// The file is thrown away if the program dies: nothing is forced to disk.
    var isUnderConstruction = false
    /// Every commit is forced to disk, also in WAL mode.
    var forcesCommitsToDisk = false
    /// How long a call waits for another process before it fails with `busy`.
    var busyTimeoutMilliseconds: Int32 = 5_000
    /// The size of SQLite's page cache, in KiB.
    var cacheKibibytes = 32_768
  }

  let file: StoreFile
  let options: Options
  let connection: Connection
  /// Its ledger has the files that the transaction of this connection decides over.
  let externalData: ExternalDataFolder
  private let lock = NSRecursiveLock()
  /// How often the thread that has the lock took it.
  private var lockDepth = 0
  private var wasLocked = false
  private var statements: [String: Statement] = [:]
  /// The session whose connection and statements this one uses; nil for one of its own.
  private let owner: StoreSession?
  /// The copy that is read in place of the store. Sessions share it, and the last one removes it.
  private(set) var privateCopy: PrivateCopy?
  /// The file when it was opened as one that nothing changes; nil where locks keep others from changing it.
  var immutableFile: FileSystem.Stamp?
  /// The file and its schema when both were last looked at; for sessions that keep snapshots.
  var checked: SeenFile?

  /// Prepares a connection that is open.
  init(_ file: StoreFile, _ connection: Connection, _ options: Options, privateCopy: PrivateCopy? = nil) throws {
    self.file = file
    self.options = options
    self.connection = connection
    self.privateCopy = privateCopy
    owner = nil
    externalData = ExternalDataFolder(storePath: file.path)
    // Sorting for an index goes through temporary files: in memory it would take as much as the index.
    try connection.execute("PRAGMA cache_size = -\(options.cacheKibibytes); PRAGMA temp_store = FILE")
    if options.isUnderConstruction && !options.isReadOnly {
      try connection.execute("PRAGMA synchronous = OFF")
      try connection.keepLocks()
      _ = try connection.string("PRAGMA journal_mode = MEMORY")
    } else if options.forcesCommitsToDisk {
      try connection.forceCommitsToDisk()
    } else {
      try connection.execute("PRAGMA synchronous = NORMAL")
    }
    try TriggerFunctions.register(on: connection)
    try followConnection()
    if options.keepsSnapshot { try connection.begin(.deferred) }
  }

  /// A session over the connection of another one, with a model and layout of its own. It must not be used after that
  /// one is closed.
  init(sharing owner: StoreSession, as file: StoreFile) {
    self.file = file
    self.owner = owner
    options = owner.options
    connection = owner.connection
    externalData = owner.externalData
  }

  /// A session over a connection that something else owns and has set up, for work inside of the owner's transaction.
  /// The owner must release the session's statements (`forgetStatements`) before it closes the connection.
  package init(borrowing connection: Connection, as file: StoreFile) {
    self.file = file
    owner = nil
    options = Options()
    self.connection = connection
    externalData = ExternalDataFolder(storePath: file.path)
  }

  /// Runs `body` while no other thread uses the connection.
  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    if let owner { return try owner.locked(body) }
    lock.lock()
    lockDepth += 1
    wasLocked = true
    defer {
      lockDepth -= 1
      lock.unlock()
    }
    return try body()
  }

  /// Whether this thread has the lock, or none had it yet: a session that is just being made needs none.
  var isLockedHere: Bool {
    guard lock.try() else { return false }
    defer { lock.unlock() }
    return lockDepth > 0 || !wasLocked
  }

  /// Runs `body` alone, with SQLite's errors as the store's.
  func perform<Result>(_ body: () throws -> Result) throws -> Result {
    try locked {
      do {
        return try privateCopy?.naming(body) ?? body()
      } catch let error as SQLiteError { throw storeError(error) }
    }
  }

  /// An error as the store's.
  func storeError(_ error: SQLiteError) -> StoreError {
    error.isUniqueViolation ? file.constraintConflict(error.message) : StoreError(error, path: file.path)
  }

  // MARK: - Statements

  /// A prepared statement, from the cache when it was prepared before.
  func cached(_ sql: String) throws(SQLiteError) -> Statement {
    if let owner { return try owner.cached(sql) }
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    if statements.count >= 256 { statements.removeAll() }
    let statement = try Statement(connection, sql, isPersistent: true)
    statements[sql] = statement
    return statement
  }

  /// Resets all statements, so that a transaction can end.
  func resetStatements() { for statement in statements.values { statement.reset() } }

  /// Finalises all statements.
  package func forgetStatements() { statements.removeAll() }

  /// Undoes the transaction that is open, and closes the connection. Closing again does nothing.
  func close() throws {
    forgetStatements()
    try connection.rollback()
    try connection.close()
    privateCopy = nil
  }
}
