import Foundation
import SQLite
import TestSupport
import Testing

/// What a trace tells of statements, and how plans are read.
@Suite("traces and plans")
struct TraceTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.path("a.db"), options: .init(createsFile: true))
    try connection.execute(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL, name TEXT, picture BLOB);
      INSERT INTO item VALUES (1, 1.5, 'it''s', x'0102'), (2, NULL, 'b', NULL), (3, 3, 'c', NULL)
      """)
  }

  /// What a trace tells of one statement with a bound value, a line for each event.
  private func lines(
    _ detail: TraceDetail, of sql: String = "SELECT * FROM item WHERE id < ?1"
  ) throws -> [String] {
    var lines: [String] = []
    try connection.setTrace(detail) { event in
      switch event {
      case .began(let sql): lines.append("began " + sql)
      case .row(let values): lines.append("row " + values.joined(separator: "|"))
      case .ended(let sql, let seconds, let count):
        #expect(seconds >= 0)
        lines.append("ended \(count) " + sql)
      }
    }
    let statement = try Statement(connection, sql)
    if sql.contains("?1") { try statement.bind(1, 3) }
    while try statement.step() {}
    statement.reset()
    try connection.stopTrace()
    return lines
  }

  @Test("a statement that SQLite runs by itself for another, and one that asks for a plan, are not told")
  func inner() throws {
    var detail = TraceDetail()
    detail.begins = true
    detail.rows = true
    let inner = "SELECT name FROM pragma_table_xinfo('item') WHERE pk = 1"
    #expect(try lines(detail, of: inner) == ["began " + inner, "row 'id'", "ended 1 " + inner])
    #expect(try lines(detail, of: "EXPLAIN QUERY PLAN SELECT * FROM item") == [])
  }

  @Test("ends alone have the number of rows")
  func ends() throws { #expect(try lines(TraceDetail()) == ["ended 2 SELECT * FROM item WHERE id < ?1"]) }

  @Test(
    "begins have bound values, rows have values of every class; both can be kept private", arguments: [true, false])
  func details(hasValues: Bool) throws {
    var detail = TraceDetail()
    detail.begins = true
    detail.rows = true
    detail.boundValues = hasValues
    detail.rowValues = hasValues
    #expect(
      try lines(detail) == [
        "began SELECT * FROM item WHERE id < " + (hasValues ? "3" : "?1"),
        "row " + (hasValues ? "1|1.5|'it''s'|blob of 2 bytes" : "integer|real|text|blob"),
        "row " + (hasValues ? "2|NULL|'b'|NULL" : "integer|NULL|text|NULL"), "ended 2 SELECT * FROM item WHERE id < ?1",
      ])
  }

  @Test("reading rows in a trace leaves their values to the statement as they are")
  func untouched() throws {
    var detail = TraceDetail()
    detail.rows = true
    try connection.setTrace(detail) { _ in }
    let statement = try Statement(connection, "SELECT id, price, name, picture FROM item WHERE id = 1")
    #expect(try statement.step())
    #expect((0..<4).map { statement.type(at: $0) } == [.integer, .real, .text, .blob])
  }

  @Test(
    "a plan says what scans, sorts and makes indexes",
    arguments: [
      ("SELECT * FROM item", true, false, false), ("SELECT * FROM item WHERE id = 1", false, false, false),
      ("SELECT * FROM item ORDER BY name", true, true, false), ("SELECT * FROM item ORDER BY id", true, false, false),
      ("SELECT count(*) FROM item a, item b WHERE a.name = b.name", true, false, true),
      ("SELECT 1", false, false, false),
      ("SELECT name FROM item INDEXED BY byName ORDER BY name", false, false, false),
    ])
  func plans(sql: String, scans: Bool, sorts: Bool, makesIndex: Bool) throws {
    try connection.execute("CREATE INDEX byName ON item (name)")
    if !sql.contains("byName") { try connection.execute("DROP INDEX byName") }
    let plan = try QueryPlan(connection, sql)
    #expect(plan.lines.contains(where: \.isTableScan) == scans, "\(plan)")
    #expect(plan.lines.contains(where: \.usesTemporaryTree) == sorts, "\(plan)")
    #expect(plan.lines.contains(where: \.usesAutomaticIndex) == makesIndex, "\(plan)")
  }

  @Test("a plan is a tree")
  func depths() throws {
    let plan = try QueryPlan(connection, "SELECT * FROM item WHERE id IN (SELECT id FROM item UNION SELECT 2)")
    #expect(plan.lines.first?.depth == 0)
    #expect(plan.lines.contains { $0.depth > 1 })
    #expect(plan.texts.contains { $0.hasPrefix("    ") })
  }
}
