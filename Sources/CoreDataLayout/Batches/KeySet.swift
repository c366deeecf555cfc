import SQLite

/// Primary keys of one table: in a temporary table, which lies on disk, or simply all that the table has.
struct KeySet {
  /// The table whose rows are meant.
  let table: TableLayout
  /// The name of the temporary table.
  private let name: String
  /// Whether every row of the table is meant; nothing is listed then.
  private(set) var isWhole = false
  private(set) var isEmpty = true

  /// - Parameter purpose: part of the temporary table's name.
  init(_ table: TableLayout, _ purpose: String) {
    self.table = table
    name = "seedbed_\(purpose)_\(table.name)"
  }

  /// A SELECT of the keys; SQLite looks keys up in it as in an index.
  var select: String { isWhole ? "SELECT Z_PK FROM main.\(table.name)" : "SELECT key FROM temp.\(name)" }

  /// A condition on a column with a key of the table.
  func contains(_ column: String) -> String { "\(column) IN (\(select))" }

  /// A condition on a column with a key of the table, which is not NULL.
  func misses(_ column: String) -> String { isEmpty ? "1" : "\(column) NOT IN (\(select))" }

  /// Makes the temporary table, empty.
  mutating func create(in connection: Connection) throws(SQLiteError) {
    try connection.execute("DROP TABLE IF EXISTS temp.\(name); CREATE TEMP TABLE \(name) (key INTEGER PRIMARY KEY)")
  }

  func drop(in connection: Connection) throws(SQLiteError) {
    try connection.execute("DROP TABLE IF EXISTS temp.\(name)")
  }

  mutating func insertAll() {
    isWhole = true
    isEmpty = false
  }

  /// The start of a statement that adds what a SELECT gives.
  var insert: String { "INSERT OR IGNORE INTO temp.\(name) (key) " }

  /// Adds what a SELECT gives.
  /// - Returns: how many keys are new.
  @discardableResult
  mutating func add(_ select: String, in connection: Connection) throws(SQLiteError) -> Int64 {
    if isWhole { return 0 }
    try connection.execute(insert + select)
    return note(connection.changes)
  }

  /// Adds keys one by one.
  mutating func add(_ key: Int64, with statement: Statement) throws(SQLiteError) {
    try statement.bind(1, key)
    try statement.run()
    isEmpty = false
  }

  /// Notes that a statement that began with `insert` added so many keys.
  @discardableResult
  mutating func note(_ count: Int64) -> Int64 {
    if count > 0 { isEmpty = false }
    return count
  }

  /// Deletes the rows of a table whose column has one of the keys, some at a time: SQLite keeps the rows that one
  /// DELETE finds in memory where triggers follow.
  /// - Returns: how many rows went.
  func deleteRows(of name: String, where column: String, in connection: Connection) throws(SQLiteError) -> Int {
    if isEmpty { return 0 }
    if isWhole {
      try connection.execute("DELETE FROM \(name)")
      return Int(connection.changes)
    }
    let next = try Statement(
      connection,
      "SELECT max(key) FROM (SELECT key FROM temp.\(self.name) WHERE key > ?1 ORDER BY key LIMIT \(Self.keysPerDelete))"
    )
    let delete = try Statement(
      connection,
      "DELETE FROM \(name) WHERE \(column) IN (SELECT key FROM temp.\(self.name) WHERE key > ?1 AND key <= ?2)")
    var (last, count) = (Int64.min, 0)
    while true {
      try next.bind(1, last)
      guard try next.step(), !next.isNull(at: 0) else { return count }
      let end = next.int64(at: 0)
      next.reset()
      try delete.bind(1, last)
      try delete.bind(2, end)
      try delete.run()
      count += Int(connection.changes)
      last = end
    }
  }

  private static let keysPerDelete = 250_000

  /// How many there are.
  func count(in connection: Connection) throws(SQLiteError) -> Int {
    if isEmpty { return 0 }
    return Int(try connection.integer("SELECT count(*) FROM (\(select))") ?? 0)
  }
}
