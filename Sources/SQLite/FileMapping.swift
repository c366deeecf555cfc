import CSQLite

/// The main database file of a connection in memory, as SQLite itself has mapped it.
///
/// A separate descriptor cannot be used: when a process closes any descriptor of a file, the system drops all locks
/// that the process has on the file, those of SQLite too.
@safe public final class FileMapping {
  /// The whole file. It must not be used after `release`, or when the connection is closed.
  @unsafe public let bytes: UnsafeRawBufferPointer
  private let connection: Connection
  @unsafe private let file: UnsafeMutablePointer<sqlite3_file>
  private var isReleased = false

  fileprivate init(
    _ bytes: UnsafeRawBufferPointer, _ file: UnsafeMutablePointer<sqlite3_file>, of connection: Connection
  ) {
    unsafe self.bytes = unsafe bytes
    unsafe self.file = unsafe file
    self.connection = connection
  }

  deinit { release() }

  /// Gives the mapping back, before the transaction ends.
  public func release() {
    if isReleased { return }
    isReleased = true
    // A connection that was closed has unmapped its file.
    guard unsafe (try? connection.handle()) != nil else { return }
    // Safety: `connection` is open, and so its file is.
    let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    unsafe _ = file.pointee.pMethods.pointee.xUnfetch?(file, 0, base)
    try? connection.execute("PRAGMA mmap_size = 0")
  }
}

extension Connection {
  /// Maps the main database file. Only a transaction guarantees that nothing changes the file.
  /// - Returns: nil where SQLite cannot map it: it was built without that, or the file has 2 GiB or more.
  public func mapFile() throws(SQLiteError) -> FileMapping? {
    var pointer: UnsafeMutableRawPointer?
    guard
      unsafe sqlite3_file_control(try handle(), "main", SQLITE_FCNTL_FILE_POINTER, &pointer) == SQLITE_OK,
      let file = unsafe pointer?.assumingMemoryBound(to: sqlite3_file.self), let methods = unsafe file.pointee.pMethods,
      unsafe methods.pointee.iVersion >= 3, let fetch = unsafe methods.pointee.xFetch
    else { return nil }
    var size: sqlite3_int64 = 0
    // Newer releases hand out no part that ends within so many bytes before the end of what is mapped.
    let spare: sqlite3_int64 = 256
    guard unsafe methods.pointee.xFileSize(file, &size) == SQLITE_OK, size > spare, size < sqlite3_int64(Int32.max)
    else { return nil }
    try execute("PRAGMA mmap_size = \(size + 1)")
    var base: UnsafeMutableRawPointer?
    let result = unsafe fetch(file, 0, Int32(size - spare), &base)
    guard result == SQLITE_OK, let base = unsafe base else {
      try execute("PRAGMA mmap_size = 0")
      return nil
    }
    // Safety: SQLite maps a file whole, or up to a limit of its own that is a multiple of every page size, so with all
    // but the spare bytes these are mapped too. They stay until `xUnfetch`; the transaction keeps the file's length.
    return unsafe FileMapping(UnsafeRawBufferPointer(start: base, count: Int(size)), file, of: self)
  }
}
