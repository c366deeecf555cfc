import CSQLite
import Platform

/// One connection to a SQLite database.
///
/// It is opened without SQLite's own mutexes, so its owner must make sure that only one thread uses it and its
/// statements at a time.
@safe public final class Connection {
  /// How a database is opened.
  public struct Options: Sendable, Hashable {
    /// Refuses every write. A database in WAL mode still needs a writable folder, unless `isImmutable` is set.
    public var isReadOnly = false
    /// Creates the file when it is not there.
    public var createsFile = false
    /// Promises that nothing changes the file while it is open: no locks are taken and no sidecar is read or made.
    public var isImmutable = false
    /// How long a call waits for another connection's lock before it fails with `busy`.
    public var busyTimeoutMilliseconds: Int32 = 5_000
    /// Allows the file's schema everything that SQLite can do, even what only forged files use. Tests make such files
    /// with it.
    public var trustsSchema = false
    /// All options by name.
    public init(
      isReadOnly: Bool = false, createsFile: Bool = false, isImmutable: Bool = false,
      busyTimeoutMilliseconds: Int32 = 5_000, trustsSchema: Bool = false
    ) {
      self.isReadOnly = isReadOnly
      self.createsFile = createsFile
      self.isImmutable = isImmutable
      self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
      self.trustsSchema = trustsSchema
    }
  }

  /// Path of the database file; empty for a private temporary database, ":memory:" for one in memory.
  public let path: String
  @unsafe private var database: OpaquePointer?
  /// Counts what its statements do, `execute` as one. Connections of one owner may share it.
  public private(set) var counter = StatementCounter()
  /// The box of `setTrace`, held here because SQLite only has a plain pointer to it.
  var traceBox: TraceBox?
  /// The function of `observe`, called with each statement that is prepared.
  var didPrepare: ((_ connection: Connection, _ sql: String) -> Void)?
  /// The watch of `setWatch`, held here because SQLite only has a plain pointer to it.
  var rowWatch: RowWatch?
  /// Whether the file was opened as one that nothing changes: without locks, and without a look at a log.
  public let isImmutable: Bool
  /// The file, while it is open.
  private var openFile: OpenFiles.Identity?
  /// The counter of `limitWork`, held here because SQLite only has a plain pointer to it.
  var stepCounter: StepCounter?

  /// - Throws: `cannotOpen` when the file is not there or may not be opened. A file that is no database is only
  ///   noticed by the first statement.
  public init(path: String, options: Options = Options()) throws(SQLiteError) {
    self.path = path
    isImmutable = options.isImmutable
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    flags |= options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    if options.createsFile && !options.isReadOnly { flags |= SQLITE_OPEN_CREATE }
    // SQLite takes names that begin so for URIs and for databases without a file.
    var name = path.hasPrefix("file:") || (path.hasPrefix(":") && path != ":memory:") ? "./" + path : path
    if options.isImmutable {
      flags |= SQLITE_OPEN_URI
      name = "file:" + Connection.percentEncoded(path) + "?immutable=1"
    }
    var opened: OpaquePointer?
    let result = unsafe sqlite3_open_v2(name, &opened, flags, nil)
    guard result == SQLITE_OK, unsafe opened != nil else {
      let message = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      unsafe sqlite3_close_v2(opened)
      throw SQLiteError(extendedCode: result, message: message, path: path)
    }
    unsafe database = opened
    openFile = OpenFiles.register(path)
    unsafe sqlite3_busy_timeout(opened, options.busyTimeoutMilliseconds)
    // Apple's SQLite begins with other settings.
    #if canImport(Darwin)
      if !options.isReadOnly { try? setKeepsWriteAheadLog(false) }
      if options.trustsSchema {
        try set(.defensive, false)
        try set(.trustedSchema, true)
      }
    #endif
    if !options.trustsSchema { try protect() }
  }

  /// Sets the counter of statements, and the closure for prepared statements. A nil argument changes nothing.
  /// - Parameter didPrepare: called with every statement that was prepared, before it runs; it may use the connection.
  public func observe(
    counter: StatementCounter? = nil, didPrepare: ((_ connection: Connection, _ sql: String) -> Void)? = nil
  ) {
    if let counter { self.counter = counter }
    if let didPrepare { self.didPrepare = didPrepare }
  }

  deinit {
    unsafe sqlite3_close_v2(database)
    OpenFiles.unregister(openFile)
  }

  /// Closes the database. Statements that are still alive become useless; closing twice does nothing.
  /// - Throws: `busy` when a statement or a backup of this connection is still alive; nothing is closed then.
  public func close() throws(SQLiteError) {
    guard unsafe database != nil else { return }
    let result = unsafe sqlite3_close(database)
    guard result == SQLITE_OK else { throw error(result) }
    unsafe database = nil
    OpenFiles.unregister(openFile)
    openFile = nil
  }

  /// The open handle. Touching a closed connection is a mistake in the program, reported as `misuse`.
  @unsafe func handle() throws(SQLiteError) -> OpaquePointer {
    guard let handle = unsafe database else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the connection is closed", path: path)
    }
    return unsafe handle
  }

  /// The error behind a result code, with SQLite's message for the last call.
  func error(_ result: Int32, sql: String? = nil) -> SQLiteError {
    if result & 0xFF == SQLITE_INTERRUPT, let stepCounter, stepCounter.isExceeded {
      return SQLiteError(
        extendedCode: SQLITE_CORRUPT, message: "reading it takes more work than a sound file of its size can need",
        sql: sql, path: path)
    }
    if result & 0xFF == SQLITE_CORRUPT, let reason = readFailure {
      return SQLiteError(
        extendedCode: Connection.readFailureCode, message: "disk I/O error (\(reason))", sql: sql, path: path)
    }
    let message: String
    // Safety: both texts are copied before the next call; `handle` is open as long as `database` has it.
    if let handle = unsafe database, unsafe sqlite3_extended_errcode(handle) == result {
      message = unsafe String(cString: sqlite3_errmsg(handle))
    } else {
      message = unsafe String(cString: sqlite3_errstr(result))
    }
    return SQLiteError(extendedCode: result, message: message, sql: sql, path: path)
  }

  /// - Throws: `inputOutput` when the file system could not read some part of the file. SQLite's checks report that as
  ///   damage, without an error.
  public func requireReadable() throws(SQLiteError) {
    if let reason = readFailure {
      throw SQLiteError(extendedCode: Connection.readFailureCode, message: "disk I/O error (\(reason))", path: path)
    }
  }

  /// `SQLITE_IOERR_CORRUPTFS`.
  private static let readFailureCode = SQLITE_IOERR | 33 << 8

  /// The file system's reason why it could not read the file. SQLite reports a file on a broken disk as damaged; only
  /// the file's own error number shows the difference.
  private var readFailure: String? {
    guard let handle = unsafe database else { return nil }
    var number: Int32 = 0
    let isKnown = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK
    let numbers = [isKnown ? number : 0, logError]
    guard let failure = numbers.first(where: { $0 == EIO || $0 == ENXIO }) else { return nil }
    return unsafe strerror(failure).map { unsafe String(cString: $0) }
  }

  /// The last error number of the write-ahead log or the journal, 0 when there is none.
  private var logError: Int32 {
    guard let handle = unsafe database else { return 0 }
    var log: UnsafeMutablePointer<sqlite3_file>?
    var number: Int32 = 0
    // Safety: the pager has the file as long as the connection is open, with methods while the file is.
    guard unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK,
      let log = unsafe log, let control = unsafe log.pointee.pMethods?.pointee.xFileControl,
      unsafe control(log, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK
    else { return 0 }
    return number
  }

  func check(_ result: Int32) throws(SQLiteError) {
    if result != SQLITE_OK { throw error(result) }
  }

  /// Runs every statement of `sql` and drops the rows.
  public func execute(_ sql: String) throws(SQLiteError) {
    let handle = unsafe try handle()
    counter.noteBegin()
    let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if result != SQLITE_OK { throw error(result, sql: sql) }
  }

  /// The first column of the first row as an integer, nil when there is no row or it is null.
  public func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try Statement(self, sql)
    guard try statement.step(), statement.type(at: 0) != .null else { return nil }
    return statement.int64(at: 0)
  }

  /// The first column of the first row as text, nil when there is no row or it is null.
  public func string(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try Statement(self, sql)
    guard try statement.step() else { return nil }
    return statement.string(at: 0)
  }

  /// Rows that the last INSERT, UPDATE or DELETE changed itself, without triggers.
  public var changes: Int64 { unsafe database.map { unsafe sqlite3_changes64($0) } ?? 0 }
  /// Rows changed since the connection was opened, triggers included.
  public var totalChanges: Int64 { unsafe database.map { unsafe sqlite3_total_changes64($0) } ?? 0 }
  /// Whether a transaction is open.
  public var isInTransaction: Bool { unsafe database.map { unsafe sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Switches that hold for one connection.
  public enum Setting: Sendable {
    case triggers, foreignKeys, defensive, trustedSchema, noCheckpointOnClose
    var option: Int32 {
      switch self {
      case .triggers: SQLITE_DBCONFIG_ENABLE_TRIGGER
      case .foreignKeys: SQLITE_DBCONFIG_ENABLE_FKEY
      case .defensive: SQLITE_DBCONFIG_DEFENSIVE
      case .trustedSchema: SQLITE_DBCONFIG_TRUSTED_SCHEMA
      case .noCheckpointOnClose: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
      }
    }
  }

  /// Switches a setting on or off for this connection.
  public func set(_ setting: Setting, _ isOn: Bool) throws(SQLiteError) {
    let result = unsafe csqlite_db_config_flag(try handle(), setting.option, isOn ? 1 : 0, nil)
    try check(result)
  }

  /// Keeps `-wal` and `-shm` in place when the last connection closes.
  public func setKeepsWriteAheadLog(_ isOn: Bool) throws(SQLiteError) {
    var value: Int32 = isOn ? 1 : 0
    let result = unsafe sqlite3_file_control(try handle(), "main", SQLITE_FCNTL_PERSIST_WAL, &value)
    try check(result)
  }

  /// Makes the database empty, without any table, whatever state it is in, and leaves WAL mode.
  /// - Throws: `busy` when another connection uses it.
  public func reset() throws(SQLiteError) {
    let handle = unsafe try handle()
    try check(unsafe csqlite_db_config_flag(handle, SQLITE_DBCONFIG_RESET_DATABASE, 1, nil))
    defer { _ = unsafe csqlite_db_config_flag(handle, SQLITE_DBCONFIG_RESET_DATABASE, 0, nil) }
    try execute("VACUUM; PRAGMA journal_mode = DELETE")
  }

  /// A path as the path part of a `file:` URI: everything but unreserved ASCII and "/" is escaped.
  private static func percentEncoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += "%"
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
      }
    }
    return text
  }
}

extension Connection {
  /// Stops SQLite's count of the memory that it uses, in the whole process: SQLite takes a lock for each allocation to
  /// keep it. For a program of its own, before its first connection; later it does nothing.
  public static func stopCountingMemory() { _ = csqlite_config_memory_statistics(0) }
}
