import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestQueries
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// Stores whose files are as SQLite allows and Core Data does not make them: what a file is stays.
@Suite("Migration of odd files")
struct OddFileTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// What is done to the file, with no transaction open.
    let sql: String
    /// What gives the same afterwards.
    let queries: [String]
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "small pages", sql: "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM",
      queries: ["PRAGMA page_size"]),
    Case(
      name: "the largest pages", sql: "PRAGMA journal_mode = DELETE; PRAGMA page_size = 65536; VACUUM",
      queries: ["PRAGMA page_size"]),
    Case(
      name: "full auto-vacuum", sql: "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = FULL; VACUUM",
      queries: ["PRAGMA auto_vacuum"]),
    Case(
      name: "no auto-vacuum", sql: "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM",
      queries: ["PRAGMA auto_vacuum"]),
    Case(name: "a log", sql: "PRAGMA journal_mode = WAL", queries: ["PRAGMA journal_mode"]),
    Case(
      name: "numbers of a program", sql: "PRAGMA user_version = 7; PRAGMA application_id = 99",
      queries: ["PRAGMA user_version", "PRAGMA application_id"]),
    Case(
      name: "statistics, counters and tables that refer to objects",
      sql: "CREATE TABLE mine (item REFERENCES ZITEM (Z_PK) ON DELETE CASCADE); INSERT INTO mine VALUES (2); "
        + "CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO log DEFAULT VALUES; ANALYZE",
      queries: [
        "SELECT item FROM mine", "SELECT sql FROM sqlite_master WHERE name = 'mine'", "SELECT * FROM sqlite_sequence",
      ]),
  ]

  private static func model(_ names: String...) throws -> ManagedObjectModel {
    var entity = EntityDefinition("Item")
    entity.attributes = names.map { AttributeDefinition($0, .string) }
    return try ManagedObjectModel(entities: [entity])
  }

  @Test("it is the same file with other rows", arguments: cases, [false, true])
  func migrates(test: Case, byPages: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("odd.sqlite")
    let (older, newer) = (try Self.model("a", "b"), try Self.model("b", "c"))
    try SQLiteStore.create(path: path, model: older).close()
    let connection = try Connection(path: path)
    try connection.execute(
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
        + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB) SELECT i, 1, 1, 'gone', 'row ' || i FROM n; "
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = 300")
    for statement in test.sql.split(separator: "; ") { try Statement(connection, String(statement)).run() }
    try connection.close()
    let before = try test.queries.map { try Connection.rows(at: path, $0) }
    var options = StoreMigration.Options()
    options.pageUse = byPages ? .always : .never
    let report = try StoreMigration.run(storeAt: path, from: older, to: newer, options: options)
    #expect(report.tablesOfPages == (byPages ? ["ZITEM"] : []))
    #expect(try test.queries.map { try Connection.rows(at: path, $0) } == before)
    #expect(try Connection.rows(at: path, "PRAGMA integrity_check") == ["ok"])
    #expect(
      try Connection.rows(at: path, "SELECT count(*), min(Z_PK), sum(ZB = 'row ' || Z_PK), count(ZC) FROM ZITEM")
        == ["300|1|300|0"])
    let check = try StoreChecker.check(path: path, model: newer)
    #expect(check.isCompatible && check.findings.isEmpty, "\(check.findings)")
  }

  @Test("a FIFO, a device and a folder are no stores, and nothing waits for another program")
  func specialFiles() throws {
    let folder = try TemporaryFolder()
    let model = try Self.model("a")
    #expect(unsafe mkfifo(folder.path("fifo.sqlite"), 0o600) == 0)
    for (path, what) in [(folder.path("fifo.sqlite"), "a FIFO"), ("/dev/null", "a device"), (folder.path, "a folder")] {
      let error = #expect(throws: StoreError.self, "\(path)") {
        try StoreMigration.run(storeAt: path, from: model, to: model)
      }
      #expect(error?.description.contains("it is \(what)") == true, "\(String(describing: error))")
    }
  }
}
