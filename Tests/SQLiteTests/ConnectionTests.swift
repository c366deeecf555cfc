import Foundation
import SQLite
import TestSupport
import Testing

@Suite("connection")
struct ConnectionTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.path("a.db"), options: .init(createsFile: true))
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v UNIQUE)")
  }

  @Test("a missing file is not created unless asked for")
  func missing() throws {
    let error = #expect(throws: SQLiteError.self) { try Connection(path: folder.path("none.db")) }
    #expect(error?.code == .cannotOpen)
    #expect(error?.path.hasSuffix("none.db") == true)
  }

  @Test("errors carry code, message and statement")
  func errors() throws {
    let syntax = #expect(throws: SQLiteError.self) { try connection.execute("SELEC 1") }
    #expect(syntax?.code == .error)
    #expect(syntax?.sql == "SELEC 1")
    #expect(syntax?.message.contains("syntax") == true)
    try connection.execute("INSERT INTO t (v) VALUES (1)")
    let unique = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t (v) VALUES (1)") }
    #expect(unique?.isUniqueViolation == true)
    #expect(unique?.extendedCode == 2_067)
  }

  @Test("a read-only connection refuses writes, and an immutable one opens in a read-only folder")
  func readOnly() throws {
    try connection.execute("PRAGMA journal_mode = DELETE")
    let reader = try Connection(path: folder.path("a.db"), options: .init(isReadOnly: true))
    #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO t (v) VALUES (2)") }
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
    let immutable = try Connection(path: folder.path("a.db"), options: .init(isReadOnly: true, isImmutable: true))
    #expect(try immutable.integer("SELECT count(*) FROM t") == 0)
  }

  @Test(
    "a path with signs that mean something in a URI is opened as it is",
    arguments: ["a?b=c.db", "ä #%41.db", "x&y;z.db"])
  func oddPaths(name: String) throws {
    let path = folder.path(name)
    let writer = try Connection(path: path, options: .init(createsFile: true))
    try writer.execute("CREATE TABLE t (a)")
    try writer.close()
    let reader = try Connection(path: path, options: .init(isReadOnly: true, isImmutable: true))
    #expect(try reader.integer("SELECT count(*) FROM t") == 0)
  }

  @Test("what runs atomically is undone as a whole, nested or not")
  func atomically() throws {
    struct Stop: Error {}
    func insert(_ value: Int) throws { try connection.execute("INSERT INTO t (v) VALUES (\(value))") }
    #expect(throws: Stop.self) {
      try connection.atomically(mapping: { $0 as any Error }) {
        try insert(1)
        throw Stop()
      }
    }
    try connection.atomically(mapping: { $0 as any Error }) {
      try insert(2)
      try? connection.atomically(mapping: { $0 as any Error }) {
        try insert(3)
        throw Stop()
      }
      #expect(connection.isInTransaction)
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.string("SELECT group_concat(v) FROM t") == "2")
  }

  @Test("functions get and give every type, and their errors fail the statement")
  func functions() throws {
    struct Refusal: Error {}
    try connection.registerFunction("twice", argumentCount: 1, isDeterministic: true) { arguments in
      switch arguments[0] {
      case .null: return .null
      case .integer(let value): return .integer(value * 2)
      case .real(let value): return .real(value * 2)
      case .text(let value): return .text(value + value)
      case .blob(let value):
        if value.isEmpty { throw Refusal() }
        return .blob(value + value)
      }
    }
    #expect(
      try connection.string(
        "SELECT twice(21) || twice(0.5) || twice('ä') || hex(twice(x'0A')) || ifnull(twice(NULL), '-')")
        == "421.0ää0A0A-")
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT twice(x'')") }
  }

  @Test("a collation decides order")
  func collation() throws {
    unsafe try connection.registerCollation("backwards") { left, right in
      let (l, r) = (unsafe Array(left), unsafe Array(right))
      return l == r ? 0 : l.lexicographicallyPrecedes(r) ? 1 : -1
    }
    try connection.execute("INSERT INTO t (v) VALUES ('a'), ('c'), ('b')")
    #expect(
      try connection.string("SELECT group_concat(v, '') FROM (SELECT v FROM t ORDER BY v COLLATE backwards)") == "cba")
  }

  @Test("a checkpoint moves the log into the main file")
  func checkpoint() throws {
    #expect(try connection.string("PRAGMA journal_mode = WAL") == "wal")
    try connection.execute("INSERT INTO t (v) VALUES (1)")
    let moved = try connection.checkpoint(.truncate)
    #expect(moved.logFrames == 0)
    let size = try FileManager.default.attributesOfItem(atPath: folder.path("a.db-wal"))[.size] as? Int
    #expect(size == 0)
  }

  @Test("triggers can be switched off, and the trace sees statements")
  func settings() throws {
    try connection.execute("CREATE TRIGGER x AFTER INSERT ON t BEGIN UPDATE t SET v = 99 WHERE id = NEW.id; END")
    try connection.set(.triggers, false)
    var seen: [String] = []
    try connection.setTrace { event in
      if case .ended(let sql, _, _) = event { seen.append(sql) }
    }
    try connection.execute("INSERT INTO t (v) VALUES (1)")
    try connection.stopTrace()
    #expect(try connection.integer("SELECT v FROM t") == 1)
    #expect(seen == ["INSERT INTO t (v) VALUES (1)"])
    #expect(connection.changes == 1)
    #expect(connection.totalChanges == 1)
  }

  @Test("a closed connection says so instead of crashing")
  func closed() throws {
    try connection.close()
    try connection.close()
    let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
    #expect(error?.code == .misuse)
  }
}
