import CSQLite

/// A statement that has run, for logs and profiles.
public struct TraceEvent: Sendable {
  /// The statement's text with its parameters as they were written, not their values.
  public var sql: String
  /// Wall-clock time from the first step to the end.
  public var durationSeconds: Double
}

final class TraceBox {
  let body: (TraceEvent) -> Void
  init(_ body: @escaping (TraceEvent) -> Void) {
    self.body = body
  }
}

extension Connection {
  /// Calls `body` whenever a statement has finished; nil stops it.
  public func setTrace(_ body: ((TraceEvent) -> Void)?) throws(SQLiteError) {
    let handle = unsafe try handle()
    guard let body else {
      unsafe sqlite3_trace_v2(handle, 0, nil, nil)
      traceBox = nil
      return
    }
    let box = TraceBox(body)
    let result = unsafe sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_PROFILE),
      { _, data, statement, nanoseconds in
        guard let data = unsafe data, let statement = unsafe statement, let nanoseconds = unsafe nanoseconds,
          let text = unsafe sqlite3_sql(OpaquePointer(statement))
        else { return 0 }
        let duration = unsafe Double(nanoseconds.assumingMemoryBound(to: Int64.self).pointee) / 1e9
        let box = unsafe Unmanaged<TraceBox>.fromOpaque(data).takeUnretainedValue()
        box.body(TraceEvent(sql: unsafe String(cString: text), durationSeconds: duration))
        return 0
      }, Unmanaged.passUnretained(box).toOpaque())
    try check(result)
    traceBox = box
  }
}
