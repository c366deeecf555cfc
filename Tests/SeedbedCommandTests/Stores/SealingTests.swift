import Foundation
import SQLite
import Testing

/// The files that a run leaves.
@Suite("Sealed stores")
struct SealingTests {
  private func workspace(journal: String) async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\nb,B\n")
    try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
    try await rerun(workspace, journal: journal)
    return workspace
  }

  private func rerun(_ workspace: Workspace, journal: String) async throws {
    let yaml = ItemPipeline(map: ["identifier: id", "name: name"]).yaml
    try workspace.write(
      "items.yaml",
      yaml.replacingOccurrences(
        of: "path: Shop.sqlite, replace: always", with: "path: out/Shop.sqlite, journal: \(journal)"))
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
  }

  @Test("journal: wal leaves three files, and delete one, whatever was there before")
  func files() async throws {
    let workspace = try await workspace(journal: "wal")
    let three = ["Shop.sqlite", "Shop.sqlite-shm", "Shop.sqlite-wal"]
    #expect(try workspace.names(in: "out") == three)
    #expect(try workspace.query("out/Shop.sqlite", "SELECT count(*) FROM ZITEM") == ["2"])
    #expect(try workspace.query("out/Shop.sqlite", "PRAGMA journal_mode") == ["wal"])
    try await rerun(workspace, journal: "delete")
    #expect(try workspace.names(in: "out") == ["Shop.sqlite"])
    #expect(try workspace.query("out/Shop.sqlite", "PRAGMA journal_mode") == ["delete"])
    #expect(try workspace.query("out/Shop.sqlite", "SELECT count(*) FROM ZITEM") == ["2"])
    try await rerun(workspace, journal: "wal")
    #expect(try workspace.names(in: "out") == three)
  }

  @Test("stale sidecars beside the target do not end up in the new store")
  func staleSidecars() async throws {
    let workspace = try await workspace(journal: "delete")
    let store = try workspace.bytes("out/Shop.sqlite")
    let version = unsafe withUnsafeBytes(of: UInt32(3_007_000)) { unsafe Array($0) }
    for (suffix, start) in [
      ("-wal", [0x37, 0x7f, 0x06, 0x82]), ("-shm", version), ("-journal", Array(repeating: 0, count: 512)),
    ] as [(String, [UInt8])] {
      try workspace.write("out/Shop.sqlite" + suffix, start + Array("stale".utf8))
    }
    try await rerun(workspace, journal: "delete")
    #expect(try workspace.names(in: "out") == ["Shop.sqlite"])
    #expect(try workspace.bytes("out/Shop.sqlite") == store)
  }

  @Test("a sealed store opens read-only from a read-only folder and grows no sidecar")
  func readOnlyFolder() async throws {
    let workspace = try await workspace(journal: "delete")
    let folder = workspace.path("out")
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
    // The superuser may write there all the same, so that what counts is that nothing appears while it is open.
    let connection = try Connection(path: workspace.path("out/Shop.sqlite"), options: .init(isReadOnly: true))
    #expect(try connection.integer("SELECT count(*) FROM ZITEM") == 2)
    #expect(try connection.string("PRAGMA integrity_check") == "ok")
    #expect(try workspace.names(in: "out") == ["Shop.sqlite"])
    try connection.close()
    #expect(try workspace.names(in: "out") == ["Shop.sqlite"])
    let check = try await workspace.run("check", "--bundle", "out/Shop.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(check.exitCode == 0)
  }

  @Test("a seed store is copied with its log, and imported into")
  func seed() async throws {
    let workspace = try await workspace(journal: "wal")
    let connection = try Connection(path: workspace.path("out/Shop.sqlite"))
    try connection.setKeepsWriteAheadLog(true)
    try connection.execute("UPDATE ZITEM SET ZNAME = 'From the log' WHERE ZIDENTIFIER = 'a'")
    try connection.close()
    let before = try workspace.bytes("out/Shop.sqlite-wal")
    #expect(!before.isEmpty)
    try workspace.write("items.csv", "id,name\nb,Changed\nc,C\n")
    try workspace.write(
      "items.yaml",
      ItemPipeline(map: ["identifier: id", "name: name"]).yaml.replacingOccurrences(
        of: "replace: always", with: "seed: out/Shop.sqlite"))
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, inserted: 1, updated: 1))
    #expect(
      try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZNAME FROM ZITEM ORDER BY Z_PK")
        == ["a|From the log", "b|Changed", "c|C"])
    #expect(try workspace.bytes("out/Shop.sqlite-wal") == before)
  }
}
