import CSQLite

/// Counts the work of a connection's statements; SQLite only holds a plain pointer to it.
final class StepCounter {
  /// How many steps SQLite makes between two calls.
  static let interval: Int32 = 1_000

  let limit: Int64
  let countsPerCall: Bool
  var steps: Int64 = 0
  /// Asked whether the running statement must stop for another reason.
  var isCancelled: (() -> Bool)?
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
    return steps > limit || isCancelled?() == true
  }
}

extension Connection {
  /// The scope of a limit of work.
  public enum WorkLimitScope: Sendable, Hashable {
    /// Everything that the connection does together.
    case connection
    /// Each step of a statement by itself, triggers included.
    case step
  }

  /// Switches off features that a database file of unknown origin could misuse: its schema may call only harmless
  /// functions and no virtual table with side effects, plain SQL cannot write to SQLite's own tables, cells are checked
  /// against their pages, and texts and trigger chains are bounded.
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

  /// Refuses texts, blobs and rows that are longer, even when a damaged file states such lengths.
  public func limitValues(toBytes count: Int) throws(SQLiteError) {
    unsafe sqlite3_limit(try handle(), SQLITE_LIMIT_LENGTH, Int32(clamping: count))
  }

  /// Makes a statement fail with `corrupt` after so many steps of SQLite's virtual machine, so that a forged file
  /// cannot keep it busy for ever; nil removes the limit. A step is a few to some hundred nanoseconds.
  public func limitWork(toSteps limit: Int64?, per scope: WorkLimitScope = .connection) throws(SQLiteError) {
    try count(with: limit.map { StepCounter(limit: $0, countsPerCall: scope == .step) })
  }

  /// Runs the body; its statements fail with `interrupted` soon after the closure returns true. It is called every
  /// thousand steps of SQLite's virtual machine. Other statements are not affected.
  public func stopping<Result>(when isCancelled: @escaping () -> Bool, _ body: () throws -> Result) throws -> Result {
    let counter = stepCounter ?? StepCounter(limit: .max, countsPerCall: false)
    let outer = (counter: stepCounter, question: counter.isCancelled)
    counter.isCancelled = isCancelled
    if outer.counter == nil { try count(with: counter) }
    defer {
      counter.isCancelled = outer.question
      // A connection that was closed meanwhile has no handler any more.
      if outer.counter == nil { try? count(with: nil) }
    }
    return try body()
  }

  private func count(with counter: StepCounter?) throws(SQLiteError) {
    let handle = unsafe try handle()
    guard let counter else {
      unsafe sqlite3_progress_handler(handle, 0, nil, nil)
      stepCounter = nil
      return
    }
    unsafe sqlite3_progress_handler(
      handle, StepCounter.interval,
      { data in
        // Safety: `stepCounter` holds the counter as long as SQLite has its address.
        guard let data = unsafe data else { return 0 }
        return unsafe Unmanaged<StepCounter>.fromOpaque(data).takeUnretainedValue().count() ? 1 : 0
      }, Unmanaged.passUnretained(counter).toOpaque())
    stepCounter = counter
  }
}
