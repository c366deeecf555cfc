import Foundation
import Platform
import SQLite
import Testing

/// Stores that were made to do harm, or that came to harm: every command says what is wrong, and none crashes, hangs or
/// eats the memory.
@Suite("Hostile stores", .timeLimit(.minutes(20)))
struct HostileStoreTests {
  /// A command, with what it says to a store that is hostile in some way.
  enum Command: String, CaseIterable, Sendable {
    case check, inspect, export, copy, run
  }

  struct Attack: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What is done to a sound store by SQL that no guarded connection would accept.
    var sql: String
    /// Which commands cannot do their work; the others may.
    var fails: Set<Command>
    /// What one of their messages says.
    var says: String

    init(_ name: String, fails: Set<Command>, says: String, _ sql: String) {
      testDescription = name
      self.sql = sql
      self.fails = fails
      self.says = says
    }
  }

  static let rewrite = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = "
  static let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
  static let readers: Set<Command> = [.check, .export, .run]
  static let all = Set(Command.allCases)

  static let attacks = [
    Attack(
      "an endless view in a table's place", fails: readers, says: "ZLABEL is a view",
      "DROP TABLE ZLABEL; CREATE VIEW ZLABEL AS \(endless) SELECT n AS Z_PK, 3 AS Z_ENT, 1 AS Z_OPT, 'x' AS ZTEXT FROM c"
    ),
    Attack(
      "an endless view in the metadata's place", fails: [.check, .inspect, .export, .run], says: "Z_METADATA is a view",
      """
      ALTER TABLE Z_METADATA RENAME TO Z_OTHER; CREATE VIEW Z_METADATA AS
      \(endless) SELECT n AS Z_VERSION, 'x' AS Z_UUID, x'00' AS Z_PLIST FROM c
      """),
    Attack(
      "an endless view in the entity list's place", fails: [.check, .inspect, .export, .run],
      says: "Z_PRIMARYKEY is a view",
      """
      ALTER TABLE Z_PRIMARYKEY RENAME TO Z_OTHER; CREATE VIEW Z_PRIMARYKEY AS
      \(endless) SELECT n AS Z_ENT, 'x' AS Z_NAME, 0 AS Z_SUPER, 0 AS Z_MAX FROM c
      """),
    Attack(
      "a table without row ids", fails: readers, says: "WITHOUT ROWID",
      "DROP TABLE ZLABEL; CREATE TABLE ZLABEL (Z_PK INTEGER PRIMARY KEY, Z_ENT, Z_OPT, ZTEXT) WITHOUT ROWID"),
    Attack(
      "a missing column", fails: readers, says: "ZLABEL.ZTEXT",
      "ALTER TABLE ZLABEL DROP COLUMN ZTEXT"),
    Attack(
      "a computed column", fails: readers, says: "computed",
      """
      DROP TABLE ZLABEL; CREATE TABLE ZLABEL (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZTEXT AS (hex(zeroblob(500000000))))
      """),
    Attack(
      "an index of an expression that fails", fails: [.check, .run], says: "integer overflow",
      """
      CREATE INDEX i ON ZLABEL (abs(Z_OPT)); PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(sql, 'abs(Z_OPT)', 'abs(Z_OPT - 9223372036854775807 - 2)') WHERE name = 'i'
      """),
    Attack(
      "an index in an unheard-of order", fails: [.check, .run], says: "no such collation",
      """
      CREATE INDEX i ON ZLABEL (Z_OPT COLLATE NOCASE); PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(sql, 'NOCASE', 'UNHEARD') WHERE name = 'i'
      """),
    Attack(
      "a key that is no row id", fails: readers, says: "Z_PK",
      "DROP TABLE ZLABEL; CREATE TABLE ZLABEL (Z_PK INT PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR)"),
    Attack(
      "a virtual table in a table's place", fails: readers, says: "virtual",
      "DROP TABLE ZLABEL; CREATE VIRTUAL TABLE ZLABEL USING rtree(Z_PK, Z_ENT, Z_OPT)"),
    Attack(
      "a trigger that calls an unknown function", fails: [.check], says: "unheard",
      "CREATE TRIGGER t AFTER INSERT ON ZLABEL BEGIN SELECT unheard(NEW.ZTEXT); END"),
    Attack(
      "a trigger that never ends", fails: [], says: "",
      """
      CREATE TABLE T (N); CREATE TRIGGER t AFTER INSERT ON ZLABEL BEGIN
      SELECT max(a.n) FROM (\(endless) SELECT n FROM c) AS a; END
      """),
    Attack("no metadata row", fails: [.check, .inspect, .export, .run], says: "empty", "DELETE FROM Z_METADATA"),
    Attack(
      "two metadata rows", fails: [.check], says: "2 rows", "INSERT INTO Z_METADATA VALUES (2, 'x', x'00')"),
    Attack(
      "text as metadata", fails: [.check, .inspect, .export, .run], says: "blob",
      "UPDATE Z_METADATA SET Z_PLIST = 'bplist00'"),
    Attack(
      "metadata that are too large", fails: [.check, .inspect, .export, .run], says: "blob of at most",
      "UPDATE Z_METADATA SET Z_PLIST = zeroblob(20000000)"),
    Attack(
      "negative entity numbers", fails: [.check], says: "-3",
      "INSERT INTO Z_PRIMARYKEY VALUES (-3, 'Evil', -3, 0)"),
    Attack(
      "huge entity numbers", fails: [.check], says: "1099511627776",
      "INSERT INTO Z_PRIMARYKEY VALUES (1099511627776, 'Evil', 1099511627775, 5)"),
    Attack(
      "parents in a circle", fails: [.check, .inspect], says: "parent",
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_ENT = 1; UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_ENT = 3"),
    Attack(
      "a million entities", fails: [.check, .inspect], says: "entities",
      """
      WITH RECURSIVE c(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM c WHERE n < 15000)
      INSERT INTO Z_PRIMARYKEY SELECT n, 'E' || n, n - 1, 0 FROM c
      """),
    Attack(
      "no key left to give out", fails: [.check, .run], says: "9223372036854775807",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807"),
    Attack(
      "a cached model that is no archive", fails: [], says: "",
      "INSERT INTO Z_MODELCACHE VALUES (zeroblob(1000))"),
    Attack(
      "a schema that is no SQL", fails: all, says: "malformed",
      "\(rewrite) 'CREATE TABLE ZLABEL (((' WHERE name = 'ZLABEL'"),
    Attack(
      "two tables on one page", fails: [.check, .copy, .run], says: "2nd reference",
      """
      PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage =
      (SELECT rootpage FROM sqlite_master WHERE name = 'ZPLACE') WHERE name = 'ZLABEL'
      """),
  ]

  @Test("SQL that forged the schema or the rows", arguments: attacks)
  func forgedBySQL(attack: Attack) async throws {
    let workspace = try DepotStore.workspace(attack.sql)
    try await expectFailures(workspace, attack.fails, says: attack.says)
  }

  // MARK: - Bytes

  @Test(
    "a truncated store ends every command with an error",
    arguments: [0, 1, 15, 16, 50, 99, 100, 512, 4_095, 4_096, 4_097, 8_192, 20_000, 40_000])
  func truncated(length: Int) async throws {
    let workspace = try DepotStore.workspace()
    let bytes = try workspace.bytes(DepotStore.store)
    #expect(bytes.count > length)
    try workspace.write(DepotStore.store, Array(bytes[..<length]))
    try await expectFailures(workspace, length == 0 ? [.check, .inspect, .export, .run] : Self.all, says: "")
  }

  @Test(
    "a header that lies",
    arguments: [
      ("the page size", 16, [0, 3]), ("the page count", 28, [0xFF, 0xFF, 0xFF, 0xFF]),
      ("the reserved bytes", 20, [0xFF]), ("the schema format", 44, [0xFF, 0xFF, 0xFF, 0xFF]),
      ("the free list", 32, [0, 0, 0, 2, 0, 0, 0xFF, 0xFF]), ("the file format", 18, [9, 9]),
      ("the text encoding", 56, [0, 0, 0, 9]),
    ] as [(String, Int, [UInt8])])
  func header(what: String, offset: Int, value: [UInt8]) async throws {
    let workspace = try DepotStore.workspace()
    var bytes = try workspace.bytes(DepotStore.store)
    bytes.replaceSubrange(offset..<(offset + value.count), with: value)
    try workspace.write(DepotStore.store, bytes)
    try await expectFailures(workspace, [], says: "")
  }

  @Test("interior pages that lead in circles, so that a table has rows without end")
  func cycles() async throws {
    let workspace = try DepotStore.workspace()
    var bytes = try workspace.bytes(DepotStore.store)
    let roots = try workspace.query(
      DepotStore.store, "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'"
    ).compactMap { Int($0) }
    for root in roots {
      // An interior page of 400 cells, each of which leads to the page itself.
      var page: [UInt8] = [5, 0, 0, 1, 0x90, 8, 0, 0, 0, 0, UInt8(root >> 8), UInt8(root & 255)]
      for cell in 0..<400 { page += [UInt8((3_000 + cell % 180 * 6) >> 8), UInt8((3_000 + cell % 180 * 6) & 255)] }
      page += [UInt8](repeating: 0, count: 3_000 - page.count)
      while page.count < 4_090 { page += [0, 0, UInt8(root >> 8), UInt8(root & 255), 0x81, 0x10] }
      page += [UInt8](repeating: 0, count: 4_096 - page.count)
      bytes.replaceSubrange((root - 1) * 4_096..<root * 4_096, with: page)
    }
    try workspace.write(DepotStore.store, bytes)
    try await expectFailures(workspace, Self.all, says: "")
  }

  // MARK: - Metadata and cached models

  @Test("property lists that lie", arguments: HostilePropertyLists.all)
  func metadata(list: HostilePropertyLists.List) async throws {
    let workspace = try DepotStore.workspace()
    try bind(list.bytes, "UPDATE Z_METADATA SET Z_PLIST = ?1", in: workspace)
    try await expectFailures(workspace, [.check, .export, .run], says: list.says)
  }

  @Test("a cached model that inflates to gigabytes, or is larger than any model", arguments: [1 << 30, 17 << 20])
  func bomb(byteCount: Int) async throws {
    let workspace = try DepotStore.workspace()
    if byteCount > 1 << 24 && byteCount < 1 << 30 {
      try bind([UInt8](repeating: 1, count: byteCount), "INSERT INTO Z_MODELCACHE VALUES (?1)", in: workspace)
    } else {
      // One deflated block of zeros over and over: the end of each is no end of the stream.
      var zeros = try RawDeflate.deflate([UInt8](repeating: 0, count: 1 << 26))
      zeros.removeLast(4)
      var bomb: [UInt8] = []
      for _ in 0..<(byteCount >> 26) { bomb += zeros }
      try bind(bomb, "INSERT INTO Z_MODELCACHE VALUES (?1)", in: workspace)
    }
    let outcome = try await limited(["check", DepotStore.store], in: workspace)
    #expect(outcome.exitCode == 78 || outcome.exitCode == 65, "\(outcome.talk)")
    #expect(outcome.talk.hasPrefix("error: ") && outcome.talk.contains("cached model"))
    // With the app's model at hand, the store itself is still readable.
    let report = try await workspace.check(DepotStore.store, "--model", DepotStore.model)
    #expect(report.fit && report.notes.map(\.code) == ["cachedModel"])
  }

  // MARK: -

  private func bind(_ bytes: [UInt8], _ sql: String, in workspace: Workspace) throws {
    let connection = try Connection(path: workspace.path(DepotStore.store))
    let statement = try Statement(connection, sql)
    try statement.bind(1, blob: bytes)
    try statement.run()
    statement.finalize()
    try connection.close()
  }

  /// Runs every command on the store. Those that are to fail must say why on standard error (`check` in its answer) and
  /// leave what was there; the others may do either, but never crash.
  private func expectFailures(_ workspace: Workspace, _ fails: Set<Command>, says: String) async throws {
    let before = try workspace.bytes(DepotStore.store)
    let target = try DepotStore.bytes
    try workspace.write("target.sqlite", target)
    try workspace.write("labels.csv", "text\nnew\n")
    try workspace.write(
      "pipeline.yaml",
      """
      model: \(DepotStore.model)
      store: { path: target.sqlite, seed: \(DepotStore.store), replace: always }
      import:
        - from: labels.csv
          entity: Label
          match: [text]
          map: { text: text }
      """)
    var said = ""
    for command in Command.allCases {
      let arguments =
        switch command {
        case .check: ["check", DepotStore.store, "--model", DepotStore.model]
        case .inspect: ["inspect", DepotStore.store]
        case .export:
          ["export", DepotStore.store, "--model", DepotStore.model, "--entity", "Label", "--columns", "text"]
        case .copy: ["copy", "--replace", DepotStore.store, "copy.sqlite"]
        case .run: ["run", "--quiet", "--force", "pipeline.yaml"]
        }
      let outcome = try await limited(arguments, in: workspace)
      let words = outcome.talk + (command == .check ? outcome.text : "")
      #expect([0, 1, 65, 66, 74, 75, 78].contains(outcome.exitCode), "\(command): \(outcome.exitCode) \(outcome.talk)")
      if fails.contains(command) {
        #expect(outcome.exitCode > 1, "\(command) accepted the store: \(outcome.text)")
        said += words
        if command == .copy { #expect(!workspace.exists("copy.sqlite")) }
      }
      if outcome.exitCode > 1 {
        #expect(command == .check || outcome.talk.hasPrefix("error: "), "\(command): \(outcome.talk)")
        if command == .run { #expect(try workspace.bytes("target.sqlite") == target) }
      }
    }
    #expect(says.isEmpty || said.contains(says), "\(said)")
    #expect(try workspace.bytes(DepotStore.store) == before)
  }

  /// Runs the tool with no more than 2 GB of address space where the system can limit that.
  private func limited(_ arguments: [String], in workspace: Workspace) async throws -> Tool.Outcome {
    try await Tool.run(arguments, in: workspace.folder, memoryLimitKibibytes: 2 << 20)
  }
}
