import SQLite
import Testing

@Suite("statement")
struct StatementTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:", options: .init(createsFile: true))
  }

  @Test("integers come back exactly", arguments: [Int64.min, -1, 0, 1, .max])
  func integers(value: Int64) throws {
    let statement = try Statement(connection, "SELECT ?1")
    try statement.bind(1, value)
    #expect(try statement.step())
    #expect(statement.type(at: 0) == .integer)
    #expect(statement.int64(at: 0) == value)
  }

  @Test("reals come back exactly", arguments: [0.1, -.infinity, .leastNonzeroMagnitude, 1e300])
  func reals(value: Double) throws {
    let statement = try Statement(connection, "SELECT ?1")
    try statement.bind(1, value)
    #expect(try statement.step())
    #expect(statement.type(at: 0) == .real)
    #expect(statement.double(at: 0) == value)
  }

  @Test("text and blobs come back byte for byte, empty ones too", arguments: ["", "a", "Ünïcødé 🚏", "a\0b"])
  func bytes(value: String) throws {
    let statement = try Statement(connection, "SELECT ?1, ?2, ?3, ?4")
    try statement.bind(1, value)
    try statement.bind(2, blob: Array(value.utf8))
    try unsafe Array(value.utf8).withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8) ?? UnsafeRawPointer(#dsohandle)
      try unsafe statement.bindText(3, start, count: bytes.count)
      try unsafe statement.bindBlob(4, start, count: bytes.count)
      #expect(try statement.step())
      #expect(statement.string(at: 0) == value)
      #expect(statement.type(at: 1) == .blob)
      #expect(statement.blob(at: 1) == Array(value.utf8))
      #expect(statement.string(at: 2) == value)
      #expect(statement.blob(at: 3) == Array(value.utf8))
      statement.clearBindings()
    }
  }

  @Test("null is told from empty, and parameters stay over a reset")
  func nulls() throws {
    let statement = try Statement(connection, "SELECT ?1 AS a, ?2 AS b")
    try statement.bindNull(1)
    try statement.bind(2, "")
    for _ in 0..<2 {
      #expect(try statement.step())
      #expect(statement.isNull(at: 0))
      #expect(statement.string(at: 0) == nil)
      #expect(statement.blob(at: 0) == nil)
      #expect(statement.string(at: 1) == "")
      #expect(try statement.step() == false)
      statement.reset()
    }
    #expect(statement.columnCount == 2)
    #expect(statement.columnName(at: 1) == "b")
    #expect(statement.parameterCount == 2)
  }

  @Test("a failed step leaves the statement ready to run again")
  func failure() throws {
    try connection.execute("CREATE TABLE t (a UNIQUE)")
    let statement = try Statement(connection, "INSERT INTO t VALUES (?1)", isPersistent: true)
    try statement.bind(1, 1)
    try statement.run()
    #expect(throws: SQLiteError.self) { try statement.run() }
    try statement.bind(1, 2)
    try statement.run()
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }

  @Test("a wrong parameter index is an error")
  func range() throws {
    let statement = try Statement(connection, "SELECT ?1")
    #expect(throws: SQLiteError.self) { try statement.bind(2, 1) }
  }

  @Test("a text without a statement has nothing to bind, run or forget", arguments: ["", "-- nothing"])
  func noStatement(text: String) throws {
    let statement = try Statement(connection, text)
    statement.clearBindings()
    statement.reset()
    #expect(statement.parameterCount == 0 && statement.columnCount == 0 && statement.expandedSQL == nil)
    #expect(throws: SQLiteError.self) { try statement.bind(1, 1) }
    #expect(throws: SQLiteError.self) { _ = try statement.step() }
    #expect(statement.isNull(at: 0) && statement.string(at: 0) == nil && statement.int64(at: 0) == 0)
  }
}
