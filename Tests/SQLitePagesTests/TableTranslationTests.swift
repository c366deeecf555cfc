import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

@Suite("Tables whose rows all get new records")
struct TableTranslationTests {
  struct Case: CustomStringConvertible, Sendable {
    var form: FileForm
    var rows: Int
    var longest: Int
    var description: String { "\(rows) rows up to \(longest) bytes, \(form)" }
  }

  static let cases: [Case] = (0..<40).map { seed in
    Case(form: FileForm(seed), rows: [0, 1, 70, 900, 2500][seed % 5], longest: [40, 9000, 3000][seed % 3])
  }

  /// Kind, two integers, a real, a text and a blob.
  private static func value(_ column: Int, _ random: inout SeededGenerator, longest: Int) -> TestRecord.Value {
    let length = Int.random(in: 0..<20, using: &random) == 0 ? longest : 30
    let isNull = Int.random(in: 0..<5, using: &random) == 0
    switch column {
    case 0: return .integer(Int64.random(in: 1...3, using: &random))
    case _ where isNull: return .null
    case 1: return .integer(Int64.random(in: -3...3, using: &random))
    case 2:
      return .integer(Int64(truncatingIfNeeded: random.next()) >> Int64(Int.random(in: 1..<63, using: &random)))
    case 3: return .real(Double(Int.random(in: -4...4, using: &random)) / 2)
    case 4: return .text(String(repeating: "ab", count: Int.random(in: 0...length / 2, using: &random)))
    default: return .blob([UInt8](repeating: 7, count: Int.random(in: 0...length, using: &random)))
    }
  }

  private static func fill(_ table: String, _ ids: some Sequence<Int64>, _ test: Case, _ connection: Connection) throws
  {
    var random = SeededGenerator(seed: test.form.seed &* 31 &+ UInt64(table.utf8.first ?? 0))
    let insert = try Statement(connection, "INSERT INTO \(table) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    for id in ids {
      try insert.bind(1, id)
      for column in 0..<6 {
        try insert.bind(Int32(column + 2), value(column, &random, longest: test.longest))
      }
      try insert.run()
    }
  }

  private static let columns =
    "(ID INTEGER PRIMARY KEY, KIND INTEGER, A INTEGER, B INTEGER, R FLOAT, T VARCHAR, D BLOB)"
  private static let setUp = """
    CREATE TABLE O (ID INTEGER PRIMARY KEY, A); CREATE TABLE P \(columns); CREATE TABLE Q \(columns);
    CREATE TABLE N (ID INTEGER PRIMARY KEY, T VARCHAR, K INTEGER, B INTEGER, C VARCHAR, R FLOAT, D BLOB);
    CREATE INDEX NT ON N (T); CREATE INDEX NB ON N (B);
    """

  /// Rows of kind 3 go, those of kind 2 have no text, and the last integer is raised.
  private static func translation(raising offset: Int64) -> RowTranslation {
    func cells(_ text: RowTranslation.Cell, _ kind: Int64) -> [RowTranslation.Cell] {
      [
        .constant(.null), text, .constant(RecordValue(kind)), .raised(3, by: offset),
        .constant(RecordValue(text: Array("new".utf8))), .fieldOr(4, RecordValue(2, isReal: true)), .field(6),
      ]
    }
    return RowTranslation(
      kindPosition: 1, cells: [1: cells(.field(5), 11), 2: cells(.constant(.null), 12)], dropped: [3],
      rowIDOffset: offset)
  }

  private static func statement(_ table: String, raising offset: Int64) -> String {
    """
    INSERT INTO N SELECT ID + \(offset), CASE KIND WHEN 1 THEN T END, KIND + 10, B + \(offset), 'new', ifnull(R, 2.0), D
    FROM \(table) WHERE KIND < 3 ORDER BY ID
    """
  }

  /// A database with two tables, and pages that nothing uses.
  private static func database(_ name: String, _ test: Case, in folder: TemporaryFolder) throws -> String {
    let path = try folder.database(
      name, test.form.pragmas + setUp)
    let connection = try Connection(path: path)
    try connection.execute("BEGIN; INSERT INTO O (A) VALUES (zeroblob(20000)), (7)")
    try fill("P", (0..<Int64(test.rows)).map { $0 * 2 + 1 }, test, connection)
    try fill("Q", (0..<Int64(test.rows / 3)).map { $0 + 1 }, test, connection)
    try connection.execute("DELETE FROM P WHERE ID % 7 = 3; DELETE FROM O WHERE ID = 1; COMMIT")
    try connection.close()
    return path
  }

  @Test("two tables become one, as SQLite's INSERT makes it of them", arguments: cases)
  func severalTables(test: Case) throws {
    let folder = try TemporaryFolder()
    let (fastPath, slowPath) = (
      try Self.database("fast", test, in: folder), try Self.database("slow", test, in: folder)
    )
    let offset = Int64(test.rows * 2 + 5)
    let slow = try Connection(path: slowPath)
    let counts = try Statement(slow, "SELECT KIND, count(*) FROM P GROUP BY 1")
    var expected: RowTranslation.Counts = [1: 0, 2: 0, 3: 0]
    while try counts.step() { expected[counts.int64(at: 0)] = Int(counts.int64(at: 1)) }
    counts.finalize()
    try slow.execute("BEGIN; " + Self.statement("P", raising: 0))
    try slow.execute(Self.statement("Q", raising: offset) + "; DELETE FROM P; DELETE FROM Q; COMMIT")

    let file = try DatabaseFile(path: fastPath)
    let root = try TemporaryFolder.root("N", fastPath)
    let writer = try TableTreeWriter(file: file, root: root)
    let found = try writer.moveRows(of: TemporaryFolder.root("P", fastPath), Self.translation(raising: 0))
    #expect(found == expected)
    _ = try writer.moveRows(of: TemporaryFolder.root("Q", fastPath), Self.translation(raising: offset))
    try writer.finish()
    try file.finish()
    let shapes = try [("NT", 1), ("NB", 3)].map { name, field in
      IndexShape(name: name, root: try TemporaryFolder.root(name, fastPath), columns: [.init(field: field)])
    }
    try IndexLoader(path: fastPath, memoryBudget: 1 << 20, temporaryPath: folder.path + "/sort", workers: 2)
      .load(shapes, tableRoot: root)

    let fast = try Connection(path: fastPath)
    #expect(try fast.string("PRAGMA integrity_check") == "ok")
    #expect(try folder.vacuumed(fast, "fast") == folder.vacuumed(slow, "slow"))
    // The file grows only where rows do.
    let count = try fast.integer("PRAGMA page_count") ?? 0
    let slowCount = try slow.integer("PRAGMA page_count") ?? 0
    #expect(count <= slowCount + max(slowCount / 20, 8))
    try fast.execute("DELETE FROM N WHERE ID % 3 = 0; PRAGMA incremental_vacuum; DROP TABLE P; DROP TABLE Q")
    #expect(try fast.string("PRAGMA integrity_check") == "ok")
  }

  @Test("a table is written anew in its own place, as an UPDATE makes it", arguments: cases)
  func inPlace(test: Case) throws {
    let folder = try TemporaryFolder()
    let (fastPath, slowPath) = (
      try Self.database("fast", test, in: folder), try Self.database("slow", test, in: folder)
    )
    let slow = try Connection(path: slowPath)
    try slow.execute("ALTER TABLE P ADD COLUMN L VARCHAR; ALTER TABLE P ADD COLUMN M INTEGER")
    try slow.execute("UPDATE P SET KIND = KIND + 300, L = 'it''s', D = CASE KIND WHEN 2 THEN D END")
    let alter = try Connection(path: fastPath)
    try alter.execute("ALTER TABLE P ADD COLUMN L VARCHAR; ALTER TABLE P ADD COLUMN M INTEGER")
    try alter.close()

    let file = try DatabaseFile(path: fastPath)
    let root = try TemporaryFolder.root("P", fastPath)
    let writer = try TableTreeWriter(rewriting: root, of: file)
    func cells(_ kind: Int64) -> [RowTranslation.Cell] {
      [
        .field(0), .constant(RecordValue(kind + 300)), .field(2), .field(3), .field(4), .field(5),
        kind == 2 ? .field(6) : .constant(.null), .constant(RecordValue(text: Array("it's".utf8))), .constant(.null),
      ]
    }
    _ = try writer.moveRows(of: root, RowTranslation(kindPosition: 1, cells: [1: cells(1), 2: cells(2), 3: cells(3)]))
    try writer.finish()
    try file.finish()
    let fast = try Connection(path: fastPath)
    #expect(try fast.string("PRAGMA integrity_check") == "ok")
    #expect(try folder.vacuumed(fast, "fast") == folder.vacuumed(slow, "slow"))
    try fast.execute("DELETE FROM P WHERE ID % 3 = 0; PRAGMA incremental_vacuum; INSERT INTO P (T) VALUES ('x')")
    #expect(try fast.string("PRAGMA integrity_check") == "ok")
  }

  @Test("rows that the rules say nothing of are refused")
  func refused() throws {
    let cases: [(String, RowTranslation.Cell)] = [
      ("(1, 4, 1, 1, 1, 't', x'00')", .field(2)), ("(1, NULL, 1, 1, 1, 't', x'00')", .field(2)),
      ("(1, 'k', 1, 1, 1, 't', x'00')", .field(2)), ("(1, -1, 1, 1, 1, 't', x'00')", .field(2)),
      ("(1, 1, 1, 'b', 1, 't', x'00')", .raised(3, by: 1)), ("(1, 1, 1, 0.5, 1, 't', x'00')", .raised(3, by: 1)),
      ("(1, 1, 1, 9223372036854775807, 1, 't', x'00')", .raised(3, by: 1)),
    ]
    for (values, cell) in cases {
      let folder = try TemporaryFolder()
      let path = try folder.database("a", Self.setUp + "INSERT INTO P VALUES \(values)")
      let file = try DatabaseFile(path: path)
      let writer = try TableTreeWriter(file: file, root: TemporaryFolder.root("N", path))
      let source = try TemporaryFolder.root("P", path)
      let error = #expect(throws: PageError.self) {
        try writer.moveRows(of: source, RowTranslation(kindPosition: 1, cells: [1: [cell]]))
      }
      #expect(error?.kind == .unsuitable, "\(values)")
    }
  }

  @Test("rules that name no position of a record are refused", arguments: [(-1, 0), (1, -1)])
  func noPosition(kind: Int, field: Int) throws {
    let folder = try TemporaryFolder()
    let path = try folder.database("a", Self.setUp)
    let writer = try TableTreeWriter(file: DatabaseFile(path: path), root: TemporaryFolder.root("N", path))
    let source = try TemporaryFolder.root("P", path)
    let error = #expect(throws: PageError.self) {
      try writer.moveRows(of: source, RowTranslation(kindPosition: kind, cells: [1: [.field(field)]]))
    }
    #expect(error?.kind == .unsuitable)
    #expect(error?.message == "-1 is the position of no field")
  }

  @Test("recycled pages are taken in ascending order, whatever order they came in", arguments: 0..<20)
  func recycledPages(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var pages = RecycledPages()
    var expected: [UInt32] = []
    for _ in 0..<200 {
      if Bool.random(using: &random) {
        let added = (0..<Int.random(in: 0..<6, using: &random)).map { _ in UInt32.random(in: 2...9_000, using: &random)
        }
        pages.add(added)
        expected = (expected + added).sorted()
      } else {
        #expect(pages.first == expected.first && pages.second == expected.dropFirst().first)
        #expect(pages.removeFirst() == expected.first)
        expected = Array(expected.dropFirst())
      }
    }
    #expect(Array(pages.rest) == expected)
  }
}
