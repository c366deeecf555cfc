import CSQLite

/// Counts the work of a connection's statements; SQLite only holds a plain pointer to it.
final class StepCounter {
  /// How many steps SQLite makes between two calls.
  static let interval: Int32 = 1_000

  let limit: Int64
  let countsPerCall: Bool
  var steps: Int64 = 0
  /// Whether the limit stopped a statement.
  var isExceeded = false

  init(limit: Int64, countsPerCall: Bool) {
    self.limit = limit
    self.countsPerCall = countsPerCall
  }

  /// Whether the running statement must stop.
  func count() -> Bool {
    steps += Int64(StepCounter.interval)
    if steps > limit { isExceeded = true }
    return steps > limit
  }
}

extension Connection {
  /// What a limit of work holds for.
  public enum WorkLimitScope: Sendable, Hashable {
    /// Everything that the connection does together.
    case connection
    /// Each step of a statement by itself, triggers included.
    case step
  }

  /// Switches off what a database file of unknown origin could misuse: its schema may call only harmless functions and
  /// no virtual table with side effects, plain SQL cannot write to SQLite's own tables, cells are checked against their
  /// pages, and texts and trigger chains are bounded.
  func protect() throws(SQLiteError) {
    try set(.defensive, true)
    try set(.trustedSchema, false)
    let handle = unsafe try handle()
    for (limit, value) in Connection.limits { unsafe sqlite3_limit(handle, limit, value) }
    try execute("PRAGMA cell_size_check = ON")
  }

  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_SQL_LENGTH, 4 << 20), (SQLITE_LIMIT_TRIGGER_DEPTH, 16), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10_000),
  ]

  /// Refuses texts, blobs and rows that are longer, whatever a damaged file says of them.
  public func limitValues(toBytes count: Int) throws(SQLiteError) {
    unsafe sqlite3_limit(try handle(), SQLITE_LIMIT_LENGTH, Int32(clamping: count))
  }

  /// Makes a statement fail with `corrupt` after so many steps of SQLite's virtual machine, so that a forged file cannot
  /// keep it busy for ever; nil takes the limit away. A step is a few to some hundred nanoseconds.
  public func limitWork(toSteps limit: Int64?, per scope: WorkLimitScope = .connection) throws(SQLiteError) {
    let handle = unsafe try handle()
    guard let limit else {
      unsafe sqlite3_progress_handler(handle, 0, nil, nil)
      stepCounter = nil
      return
    }
    let counter = StepCounter(limit: limit, countsPerCall: scope == .step)
    unsafe sqlite3_progress_handler(
      handle, StepCounter.interval,
      { data in
        guard let data = unsafe data else { return 0 }
        return unsafe Unmanaged<StepCounter>.fromOpaque(data).takeUnretainedValue().count() ? 1 : 0
      }, Unmanaged.passUnretained(counter).toOpaque())
    stepCounter = counter
  }
}
