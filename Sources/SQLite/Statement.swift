import CSQLite

/// A prepared statement. Binding, stepping and reading numbers or raw bytes allocate nothing.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Parameters keep their values after `reset`.
///
/// The handle is null for a text without a statement, and after `finalize`. SQLite checks that and returns an error or
/// null; where it does not check (`sqlite3_clear_bindings`), this type does. Indexes that a statement does not have
/// give an error when they are bound, and null when they are read.
@safe public final class Statement {
  /// The storage class of a column's value.
  public enum StorageClass: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
  }

  /// The connection that it was prepared on, which lives as long as the statement.
  public let connection: Connection
  /// The text it was prepared from.
  public let sql: String
  @unsafe private var handle: OpaquePointer?
  /// Whether it ran since it was reset or ended, and the rows that it gave meanwhile.
  private var isRunning = false
  private var rowCount = 0

  /// Prepares the first statement of `sql`.
  /// - Parameter isPersistent: tells SQLite that the statement will be kept and used often.
  public init(_ connection: Connection, _ sql: String, isPersistent: Bool = false) throws(SQLiteError) {
    self.connection = connection
    self.sql = sql
    var prepared: OpaquePointer?
    let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let result = unsafe sqlite3_prepare_v3(try connection.handle(), sql, -1, flags, &prepared, nil)
    guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
    unsafe handle = prepared
    if let didPrepare = connection.didPrepare {
      // The closure prepares statements too.
      connection.didPrepare = nil
      didPrepare(connection, sql)
      connection.didPrepare = didPrepare
    }
  }

  deinit {
    noteEnd()
    unsafe sqlite3_finalize(handle)
  }

  /// Frees the statement before its object is released; afterwards it must not be used.
  public func finalize() {
    noteEnd()
    unsafe sqlite3_finalize(handle)
    unsafe handle = nil
  }

  /// The text with the values that are bound in the places of its parameters; nil when there is no memory or the text
  /// exceeds SQLite's limit.
  public var expandedSQL: String? {
    guard let text = unsafe sqlite3_expanded_sql(handle) else { return nil }
    defer { unsafe sqlite3_free(text) }
    return unsafe String(cString: text)
  }

  /// Number of parameters, that is the highest index in use.
  public var parameterCount: Int32 { unsafe sqlite3_bind_parameter_count(handle) }

  // MARK: - Binding

  @inline(__always)
  private func check(_ result: Int32) throws(SQLiteError) {
    if result != SQLITE_OK { throw connection.error(result, sql: sql) }
  }

  /// Binds NULL to the parameter with this index, from 1.
  public func bindNull(_ index: Int32) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_null(handle, index))
  }

  /// Binds an integer to the parameter with this index, from 1.
  public func bind(_ index: Int32, _ value: Int64) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_int64(handle, index, value))
  }

  /// Binds an integer to the parameter with this index, from 1.
  public func bind(_ index: Int32, _ value: Int) throws(SQLiteError) {
    try bind(index, Int64(value))
  }

  /// SQLite stores a NaN as null; a caller that must not lose it checks first.
  public func bind(_ index: Int32, _ value: Double) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_double(handle, index, value))
  }

  /// Binds a copy of the text.
  public func bind(_ index: Int32, _ value: String) throws(SQLiteError) {
    var text = value
    let result = text.withUTF8 { bytes in
      unsafe csqlite_bind_text_transient(
        handle, index, UnsafeRawPointer(bytes.baseAddress), UInt64(bytes.count))
    }
    try check(result)
  }

  /// Binds a copy of the bytes as a blob.
  public func bind(_ index: Int32, blob bytes: some Collection<UInt8>) throws(SQLiteError) {
    let result: Int32
    if let contiguous = bytes.withContiguousStorageIfAvailable({ buffer in
      unsafe csqlite_bind_blob_transient(
        handle, index, UnsafeRawPointer(buffer.baseAddress), UInt64(buffer.count))
    }) {
      result = contiguous
    } else {
      result = unsafe Array(bytes).withUnsafeBytes { buffer in
        unsafe csqlite_bind_blob_transient(
          handle, index, buffer.baseAddress, UInt64(buffer.count))
      }
    }
    try check(result)
  }

  /// Binds UTF-8 text without a copy. The bytes must stay in place until the parameter is bound anew.
  @unsafe public func bindText(_ index: Int32, _ bytes: UnsafeRawPointer, count: Int) throws(SQLiteError) {
    try check(unsafe csqlite_bind_text_static(handle, index, bytes, UInt64(count)))
  }

  /// Binds a blob without a copy. The bytes must stay in place until the parameter is bound anew.
  @unsafe public func bindBlob(_ index: Int32, _ bytes: UnsafeRawPointer, count: Int) throws(SQLiteError) {
    try check(unsafe csqlite_bind_blob_static(handle, index, bytes, UInt64(count)))
  }

  /// Binds NULL to every parameter.
  public func clearBindings() {
    guard let handle = unsafe handle else { return }
    unsafe sqlite3_clear_bindings(handle)
  }

  // MARK: - Running

  /// Moves to the next row.
  /// - Returns: false when there is none. The statement must be reset before it runs again.
  public func step() throws(SQLiteError) -> Bool {
    if let counter = connection.stepCounter, counter.countsPerCall { counter.steps = 0 }
    if !isRunning {
      isRunning = true
      connection.counter.noteBegin()
    }
    let result = unsafe sqlite3_step(handle)
    if result == SQLITE_ROW {
      rowCount &+= 1
      return true
    }
    noteEnd()
    if result == SQLITE_DONE { return false }
    let failure = connection.error(result, sql: sql)
    unsafe sqlite3_reset(handle)
    throw failure
  }

  /// Makes it ready to run again, with its parameters unchanged. Never fails: a failed step has been reported already.
  public func reset() {
    noteEnd()
    unsafe sqlite3_reset(handle)
  }

  /// Steps once, drops a row if there is one, and resets.
  public func run() throws(SQLiteError) {
    _ = try step()
    reset()
  }

  private func noteEnd() {
    if rowCount > 0 { connection.counter.add(rows: rowCount) }
    rowCount = 0
    isRunning = false
  }

  // MARK: - Reading

  /// Number of columns of a row, 0 for a statement that gives none.
  public var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

  /// The column's name or its `AS`.
  public func columnName(at column: Int32) -> String {
    unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
  }

  /// The storage class of the current row's value.
  public func type(at column: Int32) -> StorageClass {
    StorageClass(rawValue: unsafe sqlite3_column_type(handle, column)) ?? .null
  }

  /// Whether the current row's value is NULL.
  public func isNull(at column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// The value as an integer, converted as SQLite does; 0 for NULL.
  public func int64(at column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// The value as a real, converted as SQLite does; 0 for NULL.
  public func double(at column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  /// Reads all numbers of the current row at once.
  /// - Parameters:
  ///   - cells: gets integers, and the bit patterns of reals; of other cells 0.
  ///   - types: gets `StorageClass` numbers.
  ///   - count: the number of columns, at most `columnCount`.
  @unsafe public func readNumbers(
    into cells: UnsafeMutablePointer<Int64>, types: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let handle = unsafe handle
    for column in 0..<count {
      let value = unsafe sqlite3_column_value(handle, Int32(truncatingIfNeeded: column))
      let type = unsafe sqlite3_value_type(value)
      unsafe types[column] = UInt8(truncatingIfNeeded: type)
      switch type {
      case SQLITE_INTEGER: unsafe cells[column] = sqlite3_value_int64(value)
      case SQLITE_FLOAT: unsafe cells[column] = Int64(bitPattern: sqlite3_value_double(value).bitPattern)
      default: unsafe cells[column] = 0
      }
    }
  }

  /// Text as a string, ill-formed UTF-8 repaired; nil for null.
  public func string(at column: Int32) -> String? {
    // Safety: the count is asked for after the text, which may have been converted; nothing steps before it is copied.
    guard let bytes = unsafe sqlite3_column_text(handle, column) else { return nil }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// A copy of a blob or text; nil for null.
  public func blob(at column: Int32) -> [UInt8]? {
    if isNull(at: column) { return nil }
    return unsafe Array(rawBytes(at: column))
  }

  /// The bytes of a text or blob, valid until the next step, reset, or conversion of this column.
  @unsafe public func rawBytes(at column: Int32) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }
}
