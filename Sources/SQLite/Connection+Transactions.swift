import CSQLite

extension Connection {
  /// Makes every commit wait until it is on the disk. Apple's systems leave it in the drive's cache without
  /// `fullfsync`, which other systems do not have.
  package func forceCommitsToDisk() throws(SQLiteError) {
    try execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
  }

  /// Keeps every lock of the file that this connection takes from now on, until `releaseLocks`: no other connection
  /// uses the file then.
  package func keepLocks() throws(SQLiteError) { try execute("PRAGMA locking_mode = EXCLUSIVE") }

  /// Releases the locks that `keepLocks` kept. SQLite releases them only at its next access, so the schema is read.
  package func releaseLocks() throws(SQLiteError) {
    try execute("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_master")
  }

  /// When a transaction takes the write lock.
  public enum TransactionKind: String, Sendable {
    case deferred = "DEFERRED"
    case immediate = "IMMEDIATE"
    case exclusive = "EXCLUSIVE"
  }

  /// Opens a transaction.
  /// - Throws: `busy` when the write lock cannot be had in time.
  public func begin(_ kind: TransactionKind = .immediate) throws(SQLiteError) {
    try execute("BEGIN " + kind.rawValue)
  }

  /// Ends the open transaction and keeps its changes.
  public func commit() throws(SQLiteError) {
    try execute("COMMIT")
  }

  /// Undoes the open transaction; does nothing when there is none, as SQLite itself may have ended it.
  public func rollback() throws(SQLiteError) {
    if isInTransaction { try execute("ROLLBACK") }
  }

  /// Runs `body` so that its changes are made all or not at all: in a transaction of its own, or in a savepoint when
  /// a transaction is open already.
  public func atomically<Result, Failure: Error>(
    mapping: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isNested = isInTransaction
    do { try execute(isNested ? "SAVEPOINT atomically" : "BEGIN IMMEDIATE") } catch { throw mapping(error) }
    let result: Result
    do {
      result = try body()
    } catch {
      // A failure such as a full disk ends the whole transaction by itself; there is nothing left to undo then.
      if isInTransaction {
        try? execute(isNested ? "ROLLBACK TO atomically; RELEASE atomically" : "ROLLBACK")
      }
      throw error
    }
    do {
      try execute(isNested ? "RELEASE atomically" : "COMMIT")
    } catch {
      if !isNested && isInTransaction { try? execute("ROLLBACK") }
      throw mapping(error)
    }
    return result
  }

  /// Whether the database is in WAL mode.
  package var isWriteAheadLogged: Bool {
    get throws(SQLiteError) { try string("PRAGMA journal_mode") == "wal" }
  }

  /// How far a checkpoint goes.
  public enum CheckpointMode: Sendable {
    case passive, full, restart, truncate
    var value: Int32 {
      switch self {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .full: SQLITE_CHECKPOINT_FULL
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    }
  }

  /// Moves pages from the write-ahead log into the main file. Does nothing in other journal modes.
  /// - Returns: frames in the log, and how many of them are in the main file now; -1 when not in WAL mode.
  /// - Throws: `busy` when readers or a writer stand in the way.
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> (logFrames: Int, movedFrames: Int) {
    var logFrames: Int32 = -1
    var movedFrames: Int32 = -1
    let result = unsafe sqlite3_wal_checkpoint_v2(try handle(), nil, mode.value, &logFrames, &movedFrames)
    try check(result)
    return (Int(logFrames), Int(movedFrames))
  }
}
