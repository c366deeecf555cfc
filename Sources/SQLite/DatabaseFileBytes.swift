import CSQLite

/// The main database file of a connection, read through SQLite's own descriptor.
///
/// A separate descriptor cannot be used: when a process closes any descriptor of a file, the system drops all locks
/// that the process has on the file, those of SQLite too.
@safe public final class DatabaseFileBytes {
  private let connection: Connection
  @unsafe private let file: UnsafeMutablePointer<sqlite3_file>
  @unsafe private let methods: sqlite3_io_methods

  fileprivate init?(_ connection: Connection) throws(SQLiteError) {
    var pointer: UnsafeMutableRawPointer?
    guard
      unsafe sqlite3_file_control(try connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &pointer) == SQLITE_OK,
      let file = unsafe pointer?.assumingMemoryBound(to: sqlite3_file.self), let methods = unsafe file.pointee.pMethods
    else { return nil }
    self.connection = connection
    unsafe self.file = unsafe file
    unsafe self.methods = unsafe methods.pointee
  }

  // Safety: SQLite's file and its methods stay as long as the connection is open, and a closed one has no handle.
  private var isOpen: Bool { unsafe (try? connection.handle()) != nil }

  /// The size of the file in bytes; nil where the system cannot tell it.
  public var byteCount: Int? {
    var size: sqlite3_int64 = 0
    guard isOpen, unsafe methods.xFileSize(file, &size) == SQLITE_OK else { return nil }
    return Int(size)
  }

  /// Fills memory with the file's bytes from an offset on.
  /// - Returns: false when they cannot be read, or the file ends before.
  @unsafe public func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
    // Safety: SQLite writes as many bytes as it is told that there is room for.
    guard isOpen, let count = Int32(exactly: bytes.count) else { return false }
    return unsafe methods.xRead(file, bytes.baseAddress, count, sqlite3_int64(offset)) == SQLITE_OK
  }

  /// Whether the file has all that the open transaction sees, and keeps it until that ends.
  ///
  /// Without a write-ahead log the transaction's lock guarantees it. With one, a log that is empty now was empty when
  /// the transaction began, or all of it had been copied to the file: a log is only shortened when no transaction reads
  /// from it. What is appended later stays in the log, since nothing that a transaction does not see is copied to the
  /// file before it has ended.
  /// - Parameter hasLog: whether the journal mode is `wal`.
  public func isComplete(hasLog: Bool) -> Bool {
    if !hasLog { return true }
    var pointer: UnsafeMutableRawPointer?
    var size: sqlite3_int64 = 0
    guard isOpen,
      unsafe sqlite3_file_control(try? connection.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &pointer)
        == SQLITE_OK,
      let log = unsafe pointer?.assumingMemoryBound(to: sqlite3_file.self), let methods = unsafe log.pointee.pMethods
    else { return false }
    return unsafe methods.pointee.xFileSize(log, &size) == SQLITE_OK && size == 0
  }
}

extension Connection {
  /// The main database file; nil for a database that has none yet.
  public func fileBytes() throws(SQLiteError) -> DatabaseFileBytes? { try DatabaseFileBytes(self) }

  /// Counts rows that were read from the file's pages, as those of one statement.
  public func noteRead(ofRows count: Int) {
    counter.noteBegin()
    counter.add(rows: count)
  }

  /// Whether a trace is set.
  public var isTraced: Bool { traceBox != nil }
}
