import Foundation
import SQLite
import Testing

/// What the user of a migration may not write.
@Suite(
  "seedbed migrate and permissions",
  .enabled(if: Tool.unprivilegedCommand != nil, "the superuser may, and cannot be another user here"))
struct MigratePermissionTests {
  /// What gets files of external data: the store itself, or the one that takes its place.
  enum Way: CaseIterable {
    case inPlace, onCopies

    var versions: [(String, String)] {
      func entity(_ name: String, isExternal: Bool, renaming former: String? = nil) -> String {
        VersionedShop.entity(
          "Item", VersionedShop.attribute(name, "optional=\"YES\"" + (former.map { " elementID=\"\($0)\"" } ?? "")),
          VersionedShop.attribute(
            "d", type: "Binary", "optional=\"YES\"" + (isExternal ? " allowsExternalBinaryDataStorage=\"YES\"" : "")))
      }
      let first = ("Shop", entity("a", isExternal: false))
      return self == .inPlace
        ? [first, ("Shop 2", entity("a", isExternal: true))]
        : [
          first, ("Shop 2", entity("b", isExternal: true, renaming: "a")),
          ("Shop 3", entity("c", isExternal: true, renaming: "b")),
        ]
    }
  }

  /// Runs with a file or folder that may not be written.
  private func locking<Result>(
    _ name: String, of workspace: Workspace, to mode: Int, _ body: () async throws -> Result
  ) async throws -> Result {
    let path = workspace.path(name)
    let former = try FileManager.default.attributesOfItem(atPath: path)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    defer { try? FileManager.default.setAttributes(former, ofItemAtPath: path) }
    return try await Tool.withoutPrivileges(in: workspace.folder, body)
  }

  @Test(
    "a folder of external data that may not be written is told where a value needs it", arguments: Way.allCases,
    [150_000, 150])
  func externalData(way: Way, length: Int) async throws {
    let workspace = try await VersionedShop.workspace(
      way.versions, rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZD) VALUES (1, 1, 1, zeroblob(\(length)))")
    let folder = ".Shop_SUPPORT/_EXTERNAL_DATA"
    try workspace.write(folder + "/mine", "of nothing")
    let (plan, result) = try await locking(folder, of: workspace, to: 0o555) {
      try await VersionedShop.migrateBothWays(workspace)
    }
    guard length > 100_000 else { return #expect(result.exitCode == 0, "\(result.talk)") }
    #expect(result.exitCode == 74 && result.talk.contains("\(folder): this user may not write"), "\(result.talk)")
    #expect(plan.talk == result.talk, "\(plan.talk)\(result.talk)")
  }

  /// A store in a folder of its own, with its log and the log's index as an app that is killed leaves them.
  private func logged() async throws -> Workspace {
    let workspace = try await VersionedShop.workspace(VersionedShop.oneStep)
    let connection = try Connection(path: workspace.path("Shop.sqlite"))
    _ = try connection.string("PRAGMA journal_mode = WAL")
    try connection.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (3, 1, 1, 'in the log')")
    try FileManager.default.createDirectory(at: workspace.url("app"), withIntermediateDirectories: true)
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.copyItem(
        at: workspace.url("Shop.sqlite" + suffix), to: workspace.url("app/Shop.sqlite" + suffix))
    }
    try connection.close()
    return workspace
  }

  private func migrate(_ workspace: Workspace, _ more: [String] = []) async throws -> Tool.Outcome {
    try await Tool.run(["migrate", "app/Shop.sqlite", "--model", "Shop.xcdatamodeld"] + more, in: workspace.folder)
  }

  @Test("a store with its log needs no folder that may be written, and a dry run knows it", arguments: [true, false])
  func folder(hasIndex: Bool) async throws {
    let workspace = try await logged()
    if !hasIndex { try FileManager.default.removeItem(at: workspace.url("app/Shop.sqlite-shm")) }
    let (plan, result) = try await locking("app", of: workspace, to: 0o555) {
      (try await migrate(workspace, ["--dry-run"]), try await migrate(workspace))
    }
    #expect(plan.exitCode == (hasIndex ? 0 : 74) && result.exitCode == plan.exitCode, "\(plan.talk)\(result.talk)")
    if hasIndex {
      #expect(try workspace.query("app/Shop.sqlite", "SELECT ZC FROM ZITEM") == ["∅", "∅", "∅"])
    }
  }

  @Test("a store with a log that may not be written is told in the same words as one without")
  func file() async throws {
    let workspace = try await logged()
    let before = try workspace.bytes("app/Shop.sqlite-shm")
    let (plan, result) = try await locking("app/Shop.sqlite", of: workspace, to: 0o444) {
      (try await migrate(workspace, ["--dry-run"]), try await migrate(workspace))
    }
    #expect(result.exitCode == 74 && result.talk.contains("must be writable"), "\(result.talk)")
    #expect(plan.talk == result.talk, "\(plan.talk)\(result.talk)")
    #expect(try workspace.bytes("app/Shop.sqlite-shm") == before)
  }
}
