import Foundation
import SQLite
import Testing

/// Runs and copies onto a store that another process uses: these tests are that process, and the tool is one of its
/// own.
///
/// While a connection of the tests holds a lock, the tests do not open the file themselves: to close it would let go of
/// the lock.
@Suite("Stores in use")
struct StoreInUseTests {
  private func workspace(journal: String = "delete", store: String = "") async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\nb,B\n")
    try write("journal: \(journal)", to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    try workspace.write("Other.sqlite", workspace.bytes("Shop.sqlite"))
    try workspace.write("items.csv", "id,name\na,Anew\nc,C\n")
    return workspace
  }

  private func write(
    _ store: String, to workspace: Workspace, settings: [String] = [], rejects: String = "limit: 0", more: String = ""
  ) throws {
    let yaml = ItemPipeline(settings: settings, map: ["identifier: id", "name: name"], rejects: rejects, more: more)
      .yaml
    try workspace.write("items.yaml", yaml.replacingOccurrences(of: "replace: always", with: store))
  }

  private func names(_ workspace: Workspace) throws -> [String] {
    try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER || ZNAME FROM ZITEM ORDER BY ZIDENTIFIER")
  }

  @Test(
    "a store that another process uses is not replaced",
    arguments: [
      ("delete", "BEGIN IMMEDIATE"), ("delete", "BEGIN EXCLUSIVE"),
      ("delete", "BEGIN IMMEDIATE; UPDATE ZITEM SET ZNAME = 'X'"),
      ("delete", "PRAGMA cache_size = 0; BEGIN; UPDATE ZITEM SET ZNAME = 'X'; UPDATE ZTAG SET ZNAME = 'X'"),
      ("delete", "BEGIN; SELECT * FROM ZITEM"), ("wal", "SELECT * FROM ZITEM"), ("wal", "BEGIN IMMEDIATE"),
      ("wal", "BEGIN; UPDATE ZITEM SET ZNAME = 'X'"),
    ])
  func refused(journal: String, statement: String) async throws {
    for arguments in [
      ["run", "items.yaml"], ["run", "items.yaml", "never"], ["copy", "--replace", "Other.sqlite", "Shop.sqlite"],
    ] {
      let workspace = try await workspace(journal: journal)
      if arguments.last == "never" { try write("replace: never", to: workspace) }
      let files = ["Shop.sqlite", "Shop.sqlite-wal"].filter(workspace.exists)
      let before = try files.map { try workspace.bytes($0) }
      let connection = try Connection(path: workspace.path("Shop.sqlite"))
      try connection.execute(statement)
      let outcome = try await Tool.run(arguments.filter { $0 != "never" }, in: workspace.folder)
      #expect(outcome.exitCode == 75, "\(arguments): \(outcome.talk)")
      #expect(outcome.talk.contains("Shop.sqlite is locked by another process"), "\(outcome.talk)")
      #expect(!workspace.exists("Shop.sqlite.partial") && !workspace.exists("Shop.sqlite.lock"))
      // The other process goes on as if nothing had been.
      try connection.rollback()
      try connection.set(.noCheckpointOnClose, true)
      try connection.setKeepsWriteAheadLog(true)
      try connection.close()
      #expect(try files.map { try workspace.bytes($0) } == before, "\(arguments)")
      #expect(try names(workspace) == ["aA", "bB"])
      // Now it is not in use.
      let again = try await Tool.run(arguments.filter { $0 != "never" }, in: workspace.folder)
      #expect(again.exitCode == 0, "\(arguments): \(again.talk)")
    }
  }

  @Test(
    "an import in place that fails leaves the log that another connection left",
    arguments: ["expect: [{ entity: Item, max: 0 }]", "rejects"])
  func keptLog(failure: String) async throws {
    let workspace = try await workspace(journal: "wal")
    let connection = try Connection(path: workspace.path("Shop.sqlite"))
    try connection.execute("UPDATE ZITEM SET ZNAME = 'logged'")
    try connection.set(.noCheckpointOnClose, true)
    try connection.setKeepsWriteAheadLog(true)
    try connection.close()
    let files = ["Shop.sqlite", "Shop.sqlite-wal"]
    let before = try files.map { try workspace.bytes($0) }
    #expect(before[1].count > 32)
    if failure == "rejects" { try workspace.write("items.csv", "id,name\na,A\n,\n") }
    try write("write: in-place", to: workspace, more: failure == "rejects" ? "" : failure)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 65, "\(outcome.talk)")
    #expect(try files.map { try workspace.bytes($0) } == before)
    #expect(try names(workspace) == ["alogged", "blogged"])
  }

  @Test("an import in place goes on beside readers, which see all of it or nothing", arguments: ["delete", "wal"])
  func inPlace(journal: String) async throws {
    for strategy in ["automatic", "upsert", "find-or-create"] {
      let workspace = try await workspace(journal: journal)
      try write(
        "write: in-place", to: workspace, settings: ["strategy: \(strategy)"],
        more: "export: [{ entity: Item, to: out.csv, columns: [identifier, name], order: [identifier] }]")
      let idle = try Connection(path: workspace.path("Shop.sqlite"))
      #expect(try idle.integer("SELECT count(*) FROM ZITEM") == 2)
      let reader = try Connection(path: workspace.path("Shop.sqlite"))
      if journal == "wal" { try reader.execute("BEGIN; SELECT count(*) FROM ZITEM") }
      let report = try await workspace.report("items.yaml")
      #expect(report.total == Report.Counts(read: 2, inserted: 1, updated: 1))
      #expect(report.steps[0].reason.hasSuffix("in place, so everything goes through SQLite"))
      #expect(try workspace.text("out.csv") == "identifier,name\na,Anew\nb,B\nc,C\n")
      #expect(try idle.integer("SELECT count(*) FROM ZITEM") == 3)
      if journal == "wal" {
        #expect(try reader.integer("SELECT count(*) FROM ZITEM") == 2)
        try reader.rollback()
      }
      #expect(try reader.integer("SELECT count(*) FROM ZITEM") == 3)
      // It is the same file, so what they write is not lost.
      try idle.execute("UPDATE ZITEM SET ZNAME = 'late' WHERE ZIDENTIFIER = 'b'")
      try reader.close()
      try idle.close()
      #expect(try names(workspace) == ["aAnew", "blate", "cC"])
      #expect(try workspace.query("Shop.sqlite", "PRAGMA journal_mode") == [journal])
      let check = try await workspace.run("check", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
      #expect(check.exitCode == 0, "\(check.text)")
    }
  }

  @Test("an import in place that fails is rolled back", arguments: ["delete", "wal"])
  func rolledBack(journal: String) async throws {
    let workspace = try await workspace(journal: journal)
    try workspace.write("items.csv", "id,name\nc,C\na,Anew\nd,\n")
    for settings in [["strategy: upsert"], ["strategy: find-or-create"]] {
      try write("write: in-place", to: workspace, settings: settings)
      #expect(try await workspace.run("run", "items.yaml").exitCode == 65)
      #expect(try names(workspace) == ["aA", "bB"])
    }
    // What the finished store is expected to have counts before the commit.
    try workspace.write("items.csv", "id,name\nc,C\n")
    try write("write: in-place", to: workspace, more: "expect: [{ entity: Item, max: 2 }]")
    let unexpected = try await workspace.run("run", "items.yaml")
    #expect(unexpected.exitCode == 65 && unexpected.talk.contains("the store has 3 Item"), "\(unexpected.talk)")
    #expect(try names(workspace) == ["aA", "bB"])
    // An export that cannot take its place undoes it too.
    try workspace.write("items.csv", "id,name\nc,C\n")
    try write(
      "write: in-place", to: workspace, more: "export: [{ entity: Item, to: items.csv/x.csv }]")
    #expect(try await workspace.run("run", "items.yaml").exitCode == 73)
    #expect(try names(workspace) == ["aA", "bB"])
    let writer = try Connection(path: workspace.path("Shop.sqlite"))
    try writer.begin(.immediate)
    try write("write: in-place", to: workspace)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 75 && outcome.talk.contains("Shop.sqlite is locked by another process"))
    try writer.rollback()
    try writer.close()
    #expect(try names(workspace) == ["aA", "bB"])
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    #expect(try names(workspace) == ["aA", "bB", "cC"])
  }

  @Test(
    "an import in place that finds nothing new writes nothing, and a dry run never does", arguments: ["delete", "wal"])
  func unchanged(journal: String) async throws {
    let workspace = try await workspace(journal: journal)
    try write("write: in-place", to: workspace)
    var before = try workspace.bytes("Shop.sqlite")
    #expect(try await workspace.run("run", "--dry-run", "items.yaml").exitCode == 0)
    #expect(try workspace.bytes("Shop.sqlite") == before)
    #expect(try await workspace.report("items.yaml").total.updated == 1)
    before = try workspace.bytes("Shop.sqlite")
    #expect(try await workspace.report("items.yaml").total.unchanged == 2)
    #expect(try workspace.bytes("Shop.sqlite") == before)
  }

  @Test(
    "an import in place needs a store, and says nothing about making one",
    arguments: [
      ("write: in-place", 66, "no store to import into"), ("write: in-place, replace: always", 78, "replace: never"),
      ("write: in-place, journal: wal", 78, "remove journal"), ("write: in-place, seed: x.sqlite", 78, "remove seed"),
    ] as [(String, Int32, String)])
  func impossible(store: String, exitCode: Int32, message: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\n")
    try write(store, to: workspace)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == exitCode, "\(outcome.talk)")
    #expect(outcome.talk.contains(message), "\(outcome.talk)")
    #expect(!workspace.exists("Shop.sqlite"))
  }
}
