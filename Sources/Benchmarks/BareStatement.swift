import CSQLite

/// A prepared statement of SQLite's own C API, as one would write it by hand.
@safe final class BareStatement {
  @unsafe private var database: OpaquePointer?
  @unsafe private var statement: OpaquePointer?

  struct Failure: Error {
    var message: String
  }

  init(path: String, sql: String) throws {
    // Safety: `deinit` also runs after a failure here, and SQLite takes nil for both handles.
    guard unsafe sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
      unsafe sqlite3_exec(database, "PRAGMA cache_size = -32768", nil, nil, nil) == SQLITE_OK,
      unsafe sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK
    else { throw Failure(message: unsafe String(cString: sqlite3_errmsg(database))) }
  }

  deinit {
    unsafe sqlite3_finalize(statement)
    unsafe sqlite3_close_v2(database)
  }

  func bind(_ index: Int32, _ value: Double) { unsafe sqlite3_bind_double(statement, index, value) }
  func bind(_ index: Int32, _ value: Int64) { unsafe sqlite3_bind_int64(statement, index, value) }
  func bind(_ index: Int32, _ value: String) {
    unsafe sqlite3_bind_text(statement, index, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
  }

  /// Steps to the end and reads every column. Column 0 is the primary key.
  func drain(into answer: inout Answer) {
    let columns = unsafe sqlite3_column_count(statement)
    var sum: Int64 = 0
    while unsafe sqlite3_step(statement) == SQLITE_ROW {
      answer.rows += 1
      unsafe answer.keys += sqlite3_column_int64(statement, 0)
      for column in 1..<max(columns, 1) {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: unsafe sum &+= sqlite3_column_int64(statement, column)
        case SQLITE_FLOAT: unsafe sum &+= Int64(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
          unsafe sum &+= Int64(sqlite3_column_text(statement, column)?.pointee ?? 0)
          answer.bytes += Int(unsafe sqlite3_column_bytes(statement, column))
        default: break
        }
      }
    }
    blackHole = sum
    unsafe sqlite3_reset(statement)
  }

  /// Steps to the end: the sum of column 0, and as `bytes` that of column 1.
  func sums() -> Answer {
    var answer = Answer()
    while unsafe sqlite3_step(statement) == SQLITE_ROW {
      answer.rows += 1
      unsafe answer.keys += sqlite3_column_int64(statement, 0)
      answer.bytes += Int(unsafe sqlite3_column_int64(statement, 1))
    }
    unsafe sqlite3_reset(statement)
    return answer
  }

  /// Keeps the compiler from leaving the reads out.
  private var blackHole: Int64 = 0
}
