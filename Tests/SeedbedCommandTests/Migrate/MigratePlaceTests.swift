import Foundation
import SQLite
import Testing

/// What lies at and beside a store's path: links, logs, and what has the names of logs.
@Suite("seedbed migrate and the files at a store's place")
struct MigratePlaceTests {
  /// The versions of a migration in the store itself, and of one on copies.
  enum Way: CaseIterable {
    case inPlace, onCopies

    var versions: [(String, String)] { self == .inPlace ? VersionedShop.oneStep : VersionedShop.twoSteps }
  }

  // MARK: - Logs

  /// What SQLite keeps beside a store whose last transaction is not in it, or not undone yet.
  enum Log: CaseIterable {
    case wal, journal
  }

  /// Takes a store with its log to another folder, as a crash leaves it, and puts a symbolic link in its place.
  private func link(_ workspace: Workspace, _ log: Log) throws {
    let connection = try Connection(path: workspace.path("Shop.sqlite"))
    switch log {
    case .wal:
      _ = try connection.string("PRAGMA journal_mode = WAL")
      try connection.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (3, 1, 1, 'in the log')")
    case .journal:
      try connection.execute(
        "PRAGMA cache_size = 1; BEGIN; UPDATE ZITEM SET ZA = 'undone'; CREATE TABLE filler (x); "
          + "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
          + "INSERT INTO filler SELECT randomblob(900) FROM n")
    }
    try FileManager.default.createDirectory(at: workspace.url("real"), withIntermediateDirectories: true)
    for suffix in ["", "-wal", "-journal"] where workspace.exists("Shop.sqlite" + suffix) {
      try FileManager.default.copyItem(
        at: workspace.url("Shop.sqlite" + suffix), to: workspace.url("real/Real.sqlite" + suffix))
    }
    try? connection.rollback()
    try connection.close()
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(at: workspace.url("Shop.sqlite" + suffix))
    }
    try FileManager.default.createSymbolicLink(
      atPath: workspace.path("Shop.sqlite"), withDestinationPath: "real/Real.sqlite")
  }

  @Test("a symbolic link leads to the store and to its log", arguments: Log.allCases, Way.allCases)
  func linkedLog(log: Log, way: Way) async throws {
    let workspace = try await VersionedShop.workspace(way.versions)
    try link(workspace, log)
    let count = log == .wal ? 3 : 2
    let plan = try await VersionedShop.migrate(workspace, ["--dry-run"])
    #expect(plan.exitCode == 0 && plan.text.contains("\(count) objects"), "\(plan.text)\(plan.talk)")
    let verdict = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld", "--model-version", "Shop")
    #expect(verdict.text.contains(" \(count)\n") && verdict.text.contains("Real.sqlite-\(log)"), "\(verdict.text)")
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0, "\(result.text)\(result.talk)")
    #expect(
      try workspace.query("real/Real.sqlite", "SELECT ZA FROM ZITEM ORDER BY Z_PK")
        == ["x", "y"] + (log == .wal ? ["in the log"] : []))
    let isLink = try? FileManager.default.destinationOfSymbolicLink(atPath: workspace.path("Shop.sqlite"))
    #expect(isLink == "real/Real.sqlite")
  }

  @Test("files of external data stay with a store that is called by a symbolic link")
  func linkedExternalData() async throws {
    func entity(_ name: String, _ more: String) -> String {
      VersionedShop.entity(
        "Item", VersionedShop.attribute(name, "optional=\"YES\" \(more)"),
        VersionedShop.attribute("d", type: "Binary", "optional=\"YES\" allowsExternalBinaryDataStorage=\"YES\""))
    }
    let name = "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11"
    let reference = ([2] + Array(name.utf8) + [0]).map { String(format: "%02x", $0) }.joined()
    let workspace = try await VersionedShop.workspace(
      [
        ("Shop", entity("a", "")), ("Shop 2", entity("b", "elementID=\"a\"")),
        ("Shop 3", entity("c", "elementID=\"b\"")),
      ],
      rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZD) VALUES (1, 1, 1, 'x', x'\(reference)')")
    try workspace.write("real/.Real_SUPPORT/_EXTERNAL_DATA/\(name)", "a long value")
    try FileManager.default.moveItem(at: workspace.url("Shop.sqlite"), to: workspace.url("real/Real.sqlite"))
    try FileManager.default.createSymbolicLink(
      atPath: workspace.path("Shop.sqlite"), withDestinationPath: "real/Real.sqlite")
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(try workspace.text("real/.Real_SUPPORT/_EXTERNAL_DATA/\(name)") == "a long value")
    let verdict = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(verdict.exitCode == 0, "\(verdict.text)")
  }

  /// What is no log and has the name of one.
  enum Obstacle: CaseIterable {
    case folder, fifo, link

    func make(at path: String, in workspace: Workspace) throws {
      switch self {
      case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      case .fifo: #expect(unsafe mkfifo(path, 0o600) == 0)
      case .link:
        try workspace.write("mine", "kept")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "mine")
      }
    }
  }

  @Test(
    "what is no log and has its name is told at once", arguments: ["-wal", "-journal", "-shm"], Obstacle.allCases)
  func noLog(suffix: String, obstacle: Obstacle) async throws {
    for way in Way.allCases {
      let workspace = try await VersionedShop.workspace(way.versions)
      try obstacle.make(at: workspace.path("Shop.sqlite" + suffix), in: workspace)
      let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
      #expect(result.exitCode == 74 && result.talk.contains("Shop.sqlite\(suffix): is a"), "\(result.talk)")
      #expect(plan.talk == result.talk)
    }
  }

  // MARK: - The place of the result

  @Test("a dry run tells what has the name of the folder that the result is made in", arguments: Obstacle.allCases)
  func workFolder(obstacle: Obstacle) async throws {
    let workspace = try await VersionedShop.workspace(VersionedShop.twoSteps)
    try obstacle.make(at: workspace.path("Shop.sqlite.partial"), in: workspace)
    if obstacle == .folder { try workspace.write("Shop.sqlite.partial/mine", "kept") }
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 73 && result.talk.contains("Shop.sqlite.partial: is a"), "\(result.talk)")
    #expect(plan.talk == result.talk, "\(plan.talk)\(result.talk)")
  }

  @Test("an empty folder of that name, and what a killed run left in it, do no harm")
  func leftovers() async throws {
    for text in [nil, "Seedbed makes a result here. When nothing runs any more, this folder may go.\n"] {
      let workspace = try await VersionedShop.workspace(VersionedShop.twoSteps)
      try FileManager.default.createDirectory(
        at: workspace.url("Shop.sqlite.partial"), withIntermediateDirectories: true)
      if let text {
        try workspace.write("Shop.sqlite.partial/.seedbed", text)
        try workspace.write("Shop.sqlite.partial/Shop.sqlite", "half")
      }
      let (_, result) = try await VersionedShop.migrateBothWays(workspace)
      #expect(result.exitCode == 0, "\(result.talk)")
      #expect(try workspace.names(in: "").filter { $0.hasPrefix("Shop.sqlite") }.count == (text == nil ? 2 : 1))
    }
  }

  @Test("a store of several names is migrated in the file itself, and not on copies", arguments: Way.allCases)
  func hardLinks(way: Way) async throws {
    let workspace = try await VersionedShop.workspace(way.versions)
    try FileManager.default.linkItem(at: workspace.url("Shop.sqlite"), to: workspace.url("Other.sqlite"))
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    switch way {
    case .inPlace:
      #expect(result.exitCode == 0, "\(result.talk)")
      #expect(try workspace.bytes("Other.sqlite") == workspace.bytes("Shop.sqlite"))
      #expect(try workspace.query("Other.sqlite", "SELECT ZC FROM ZITEM") == ["∅", "∅"])
    case .onCopies:
      #expect(result.exitCode == 74 && result.talk.contains("several names (hard links)"), "\(result.talk)")
      #expect(plan.talk == result.talk)
    }
  }

  @Test("the second name that a killed run has left of a store does not keep it from being migrated")
  func keptName() async throws {
    let workspace = try await VersionedShop.workspace(VersionedShop.twoSteps)
    try workspace.write("Shop.sqlite.partial/.seedbed", "Seedbed makes a result here.")
    try FileManager.default.linkItem(
      at: workspace.url("Shop.sqlite"), to: workspace.url("Shop.sqlite.partial/Shop.sqlite.previous"))
    let (_, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(!workspace.exists("Shop.sqlite.partial"))
    #expect(try workspace.query("Shop.sqlite", "SELECT ZD FROM ZITEM") == ["1", "2"])
  }

  @Test("a store that another program migrates meanwhile is as it is wanted")
  func migratedMeanwhile() async throws {
    let workspace = try await VersionedShop.workspace(VersionedShop.oneStep)
    // What the other one makes of it.
    try FileManager.default.copyItem(at: workspace.url("Shop.sqlite"), to: workspace.url("Other.sqlite"))
    let other = try await workspace.run("migrate", "Other.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(other.exitCode == 0, "\(other.talk)")
    let connection = try Connection(path: workspace.path("Shop.sqlite"))
    try connection.execute("ATTACH '\(workspace.path("Other.sqlite"))' AS other; BEGIN EXCLUSIVE")
    let result = try await workspace.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld") { process in
      // It waits for the lock, five seconds at most.
      #expect(try process.blockUntilIdle(with: workspace.path("Shop.sqlite")))
      try connection.execute(
        "ALTER TABLE ZITEM ADD COLUMN ZC VARCHAR; UPDATE Z_METADATA SET Z_PLIST = (SELECT Z_PLIST FROM other.Z_METADATA); COMMIT"
      )
    }
    try connection.close()
    #expect(result.exitCode == 0 && result.text.contains("nothing to do"), "\(result.text)\(result.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZA, ZC FROM ZITEM ORDER BY Z_PK") == ["x|∅", "y|∅"])
  }

  @Test("a migrated store keeps its permissions", arguments: Way.allCases)
  func permissions(way: Way) async throws {
    let workspace = try await VersionedShop.workspace(way.versions)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: workspace.path("Shop.sqlite"))
    let (_, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    let attributes = try FileManager.default.attributesOfItem(atPath: workspace.path("Shop.sqlite"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }

  @Test(
    "a dry run tells that a store or its folder may not be written",
    .enabled(if: Tool.unprivilegedCommand != nil, "the superuser may, and cannot be another user here"),
    arguments: ["Shop.sqlite", ""], Way.allCases)
  func readOnly(name: String, way: Way) async throws {
    let workspace = try await VersionedShop.workspace(way.versions)
    let path = name.isEmpty ? workspace.folder.path : workspace.path(name)
    let former = try FileManager.default.attributesOfItem(atPath: path)
    try FileManager.default.setAttributes([.posixPermissions: name.isEmpty ? 0o555 : 0o444], ofItemAtPath: path)
    defer { try? FileManager.default.setAttributes(former, ofItemAtPath: path) }
    let (plan, result) = try await Tool.withoutPrivileges(in: workspace.folder) {
      try await VersionedShop.migrateBothWays(workspace)
    }
    #expect(result.exitCode == 74, "\(result.talk)")
    #expect(plan.talk == result.talk, "\(plan.talk)\(result.talk)")
  }
}
