import Foundation
import SQLite
import Testing

/// Stores that are there and cannot be read, for reasons that lie elsewhere.
@Suite("Stores out of reach")
struct UnreachableStoreTests {
  @Test(
    "a store in a folder that may not be searched is not said to be missing",
    .enabled(if: Tool.unprivilegedCommand != nil, "the superuser may search every folder"))
  func folder() async throws {
    let workspace = try await Workspace.withItems()
    let hidden = workspace.folder.appendingPathComponent("hidden")
    try FileManager.default.createDirectory(at: hidden, withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      at: workspace.folder.appendingPathComponent("Shop.sqlite"), to: hidden.appendingPathComponent("Shop.sqlite"))
    try await Tool.withoutPrivileges(in: workspace.folder) {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: hidden.path)
      let outcome = try await workspace.run("check", "hidden/Shop.sqlite")
      #expect(outcome.exitCode == 66 && outcome.talk.contains("this user may not read it"), "\(outcome.talk)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: hidden.path)
  }

  @Test(
    "a store that may not be read is no input of a run",
    .enabled(if: Tool.unprivilegedCommand != nil, "the superuser may read every file"),
    arguments: [
      "path: Shop.sqlite, replace: never", "path: Shop.sqlite, write: in-place", "path: b.sqlite, seed: Shop.sqlite",
    ])
  func origin(store: String) async throws {
    let workspace = try await Workspace.withItems()
    let yaml = try workspace.text("items.yaml").replacingOccurrences(
      of: "path: Shop.sqlite, replace: always", with: store)
    try workspace.write("items.yaml", yaml)
    try await Tool.withoutPrivileges(in: workspace.folder) {
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: workspace.path("Shop.sqlite"))
      let outcome = try await workspace.run("run", "items.yaml")
      #expect(outcome.exitCode == 66 && outcome.talk.contains("this user may not read it"), "\(outcome.talk)")
    }
  }

  @Test(
    "a store whose path is too long for SQLite is refused by its path",
    arguments: [["copy", "Shop.sqlite"], ["run", "items.yaml"], ["migrate"]])
  func longPath(command: [String]) async throws {
    let name = String(repeating: "x", count: 240) + ".sqlite"
    let workspace = try await VersionedShop.workspace(VersionedShop.twoSteps)
    try workspace.write(
      "items.yaml",
      "model: { path: Shop.xcdatamodeld, version: Shop }\nstore: { path: \(name) }\n")
    var command = command
    switch command[0] {
    case "copy": command.append(name)
    case "migrate":
      try FileManager.default.copyItem(at: workspace.url("Shop.sqlite"), to: workspace.url(name))
      command += [name, "--model", "Shop.xcdatamodeld"]
    default: break
    }
    let names = try workspace.names()
    let outcome = try await Tool.run(command, in: workspace.folder)
    #expect(outcome.exitCode == 73 && outcome.talk.contains("the path is too long for SQLite"), "\(outcome.talk)")
    #expect(try workspace.names() == names)
  }

  @Test("where a store with a log cannot be copied to be read, the temporary folder is named")
  func temporaryFolder() async throws {
    let workspace = try await Workspace.withItems()
    let connection = try Connection(path: workspace.path("Shop.sqlite"))
    try connection.execute("PRAGMA journal_mode = WAL; UPDATE ZITEM SET Z_OPT = 2")
    try workspace.write("file", "")
    let outcome = try await workspace.run("check", "Shop.sqlite", environment: ["TMPDIR": workspace.path("file")])
    #expect(outcome.exitCode == 74 && outcome.talk.contains("(TMPDIR)"), "\(outcome.talk)")
    #expect(outcome.talk.contains(workspace.path("file")), "\(outcome.talk)")
    try connection.close()
  }
}
