import SQLite
import Testing

@Suite("Counted statements")
struct StatementCounterTests {
  @Test("a statement counts when it begins to run, and its rows when it is reset or ended")
  func counted() throws {
    let connection = try Connection(path: ":memory:", options: .init(createsFile: true))
    let counter = StatementCounter()
    connection.observe(counter: counter)
    try connection.execute("CREATE TABLE t (a)")
    #expect(counter.statements == 1 && counter.rows == 0)
    let insert = try Statement(connection, "INSERT INTO t VALUES (?1)")
    for value in 1...3 {
      try insert.bind(1, value)
      try insert.run()
    }
    #expect(counter.statements == 4 && counter.rows == 0)
    let select = try Statement(connection, "SELECT a FROM t")
    #expect(counter.statements == 4)
    while try select.step() {}
    #expect(counter.statements == 5 && counter.rows == 3)
    select.reset()
    #expect(try select.step() && select.step())
    #expect(counter.statements == 6)
    select.reset()
    #expect(counter.rows == 5)
    #expect(try connection.integer("SELECT count(*) FROM t") == 3)
    #expect(counter.statements == 7 && counter.rows == 6)
  }

  @Test("a statement that fails counts once, and connections may share a counter")
  func shared() throws {
    let counter = StatementCounter()
    let connections = try (0..<2).map { _ in try Connection(path: ":memory:", options: .init(createsFile: true)) }
    for connection in connections {
      connection.observe(counter: counter)
      try connection.execute("CREATE TABLE t (a UNIQUE)")
      let insert = try Statement(connection, "INSERT INTO t VALUES (1)")
      try insert.run()
      #expect(throws: SQLiteError.self) { try insert.run() }
    }
    #expect(counter.statements == 6)
  }
}
