import CSQLite

/// An event of a connection's statements, for logs and profiles.
public enum TraceEvent: Sendable {
  /// A statement begins to run. Its text has the parameters as they were written, or the values that are bound to them.
  case began(sql: String)
  /// A row came; its values as SQL literals, of blobs their lengths, or only the storage classes.
  case row([String])
  /// A statement ended, after so many rows. The time is the wall clock's, from the first step to the end, with what the
  /// program did between the rows.
  case ended(sql: String, durationSeconds: Double, rowCount: Int)
}

/// Which events a trace has beside the end of each statement.
public struct TraceDetail: Sendable, Hashable {
  /// Whether the begins of statements are reported.
  public var begins = false
  /// Whether begins have the values that are bound.
  public var boundValues = false
  /// Whether rows are reported.
  public var rows = false
  /// Whether rows have values; otherwise their storage classes.
  public var rowValues = true
  /// A trace of ends only.
  public init() {}
}

/// Turns SQLite's trace callbacks into events.
///
/// What its unsafe code relies on: SQLite calls it on the thread that uses the connection, and pointers to statements
/// and texts are good during a callback. `begun` and `rowCounts` keep addresses of statements as keys only; none is
/// followed after its callback. The connection holds the box until the trace has ended or the connection is closed.
@safe final class TraceBox {
  let detail: TraceDetail
  let body: (TraceEvent) -> Void
  /// Statements whose begin was told. SQLite tells no begin of statements that it runs itself for a virtual table, nor
  /// of query plans.
  private var begun: Set<OpaquePointer> = unsafe []
  /// Rows of the statements that run.
  private var rowCounts: [OpaquePointer: Int] = unsafe [:]

  init(_ detail: TraceDetail, _ body: @escaping (TraceEvent) -> Void) {
    self.detail = detail
    self.body = body
  }

  /// - Parameter text: the statement's text; that of a trigger's statement begins with `--`.
  @unsafe func began(_ statement: OpaquePointer, _ text: UnsafePointer<CChar>) {
    let sql = unsafe String(cString: text)
    if sql.hasPrefix("--") { return }
    unsafe begun.insert(statement)
    if detail.boundValues, let expanded = unsafe sqlite3_expanded_sql(statement) {
      defer { unsafe sqlite3_free(expanded) }
      return body(.began(sql: unsafe String(cString: expanded)))
    }
    body(.began(sql: sql))
  }

  @unsafe func row(_ statement: OpaquePointer) {
    if detail.begins, unsafe !begun.contains(statement) { return }
    unsafe rowCounts[statement, default: 0] += 1
    guard detail.rows else { return }
    let count = unsafe sqlite3_data_count(statement)
    body(.row((0..<count).map { column in unsafe literal(statement, column) }))
  }

  @unsafe func ended(_ statement: OpaquePointer, nanoseconds: Int64) {
    if detail.begins, unsafe begun.remove(statement) == nil { return }
    guard let text = unsafe sqlite3_sql(statement) else { return }
    let count = unsafe rowCounts.removeValue(forKey: statement)
    body(
      .ended(
        sql: unsafe String(cString: text), durationSeconds: Double(nanoseconds) / 1e9, rowCount: count ?? 0))
  }

  /// The current row's value in a column. It reads each value as its own type, because a conversion would change the
  /// value that the statement's owner reads.
  @unsafe private func literal(_ statement: OpaquePointer, _ column: Int32) -> String {
    let count = unsafe Int(sqlite3_column_bytes(statement, column, ifTextOrBlob: true))
    switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return detail.rowValues ? String(unsafe sqlite3_column_int64(statement, column)) : "integer"
    case SQLITE_FLOAT: return detail.rowValues ? String(unsafe sqlite3_column_double(statement, column)) : "real"
    case SQLITE_TEXT:
      guard detail.rowValues, let bytes = unsafe sqlite3_column_text(statement, column) else { return "text" }
      let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
      return SQLText.literal(text)
    case SQLITE_BLOB: return detail.rowValues ? "blob of \(count) bytes" : "blob"
    default: return "NULL"
    }
  }
}

/// The bytes of a text or blob; 0 for other values, which SQLite would convert.
@unsafe private func sqlite3_column_bytes(_ statement: OpaquePointer, _ column: Int32, ifTextOrBlob: Bool) -> Int32 {
  let type = unsafe sqlite3_column_type(statement, column)
  return type == SQLITE_TEXT || type == SQLITE_BLOB ? unsafe sqlite3_column_bytes(statement, column) : 0
}

extension Connection {
  /// Ends what `setTrace` began.
  public func stopTrace() throws(SQLiteError) {
    try check(unsafe sqlite3_trace_v2(try handle(), 0, nil, nil))
    traceBox = nil
  }

  /// Calls `body` whenever a statement has ended, and for the other events of `detail`. The body must not use the
  /// connection.
  public func setTrace(_ detail: TraceDetail = TraceDetail(), _ body: @escaping (TraceEvent) -> Void)
    throws(SQLiteError)
  {
    let handle = unsafe try handle()
    let box = TraceBox(detail, body)
    let events = SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW | (detail.begins ? SQLITE_TRACE_STMT : 0)
    let result = unsafe sqlite3_trace_v2(
      handle, UInt32(events),
      { event, data, statement, detail in
        guard let data = unsafe data, let statement = unsafe statement.map({ OpaquePointer($0) }) else { return 0 }
        // Safety: `traceBox` holds the box as long as SQLite has its address. Statements hold their connection, which
        // so goes last.
        let box = unsafe Unmanaged<TraceBox>.fromOpaque(data).takeUnretainedValue()
        switch Int32(event) {
        case SQLITE_TRACE_ROW: unsafe box.row(statement)
        case SQLITE_TRACE_STMT:
          // Safety: of this event the last argument is a C string, of a profile it is 64 bits of nanoseconds.
          if let text = unsafe detail?.assumingMemoryBound(to: CChar.self) { unsafe box.began(statement, text) }
        default:
          if let time = unsafe detail?.assumingMemoryBound(to: Int64.self) {
            unsafe box.ended(statement, nanoseconds: time.pointee)
          }
        }
        return 0
      }, Unmanaged.passUnretained(box).toOpaque())
    try check(result)
    traceBox = box
  }
}
