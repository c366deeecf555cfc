import Foundation
import Platform
import Testing

/// What has the name of a log beside a store that is written is lost only where it is such a log.
@Suite("Sidecar names of result stores (ResultPath)")
struct ResultSidecarTests {
  private static let suffixes = ["-wal", "-shm", "-journal"]

  enum Obstacle: CaseIterable {
    case folder, fifo, link, text, input
  }

  private func workspace() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\nb,B\n")
    try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    return workspace
  }

  private func command(_ isCopy: Bool, source: String = "items.csv", _ workspace: Workspace) throws -> [String] {
    if isCopy { return ["copy", "--quiet", "--replace", "Shop.sqlite", "out.sqlite"] }
    let yaml = ItemPipeline(source: source, map: ["identifier: id", "name: name"]).yaml
    try workspace.write("run.yaml", yaml.replacingOccurrences(of: "path: Shop.sqlite", with: "path: out.sqlite"))
    return ["run", "--quiet", "run.yaml"]
  }

  @Test("what is no log stays, and nothing is written", arguments: [false, true], [false, true])
  func refused(isCopy: Bool, hasStore: Bool) async throws {
    let workspace = try await workspace()
    try workspace.write("letter.txt", "mine")
    for suffix in Self.suffixes {
      // Beside a store it is the same.
      for obstacle in hasStore ? [.folder, .text] : Obstacle.allCases where !(obstacle == .input && isCopy) {
        let name = "out.sqlite" + suffix
        if hasStore { try workspace.write("out.sqlite", workspace.bytes("Shop.sqlite")) }
        switch obstacle {
        case .folder: try workspace.write(name + "/keep.txt", "mine")
        case .fifo: #expect(unsafe mkfifo(workspace.path(name), 0o600) == 0)
        case .link:
          try FileManager.default.createSymbolicLink(
            atPath: workspace.path(name), withDestinationPath: "letter.txt")
        case .text: try workspace.write(name, "a letter of mine")
        case .input:
          try workspace.write(name, "id,name\nc,C\n")
          try? FileManager.default.removeItem(at: workspace.url("linked.csv"))
          try FileManager.default.createSymbolicLink(
            atPath: workspace.path("linked.csv"), withDestinationPath: name)
        }
        let arguments = try command(isCopy, source: obstacle == .input ? "linked.csv" : "items.csv", workspace)
        let names = try workspace.names()
        let store = hasStore ? try workspace.bytes("out.sqlite") : []
        for more in [[], ["--force"]] where more.isEmpty || obstacle != .text {
          let outcome = try await Tool.run(arguments + more, in: workspace.folder)
          #expect(outcome.exitCode == 73 && outcome.talk.contains(name), "\(obstacle) \(suffix): \(outcome.talk)")
          if obstacle == .text { #expect(outcome.talk.contains("--force"), "\(outcome.talk)") }
          #expect(try workspace.names() == names)
          if hasStore { #expect(try workspace.bytes("out.sqlite") == store) }
        }
        if obstacle == .folder { #expect(try workspace.text(name + "/keep.txt") == "mine") }
        if obstacle == .text {
          #expect(try workspace.text(name) == "a letter of mine")
          #expect(try await Tool.run(arguments + ["--force"], in: workspace.folder).exitCode == 0)
          #expect(!workspace.exists(name))
          try FileManager.default.removeItem(at: workspace.url("out.sqlite"))
        } else {
          try FileManager.default.removeItem(at: workspace.url(name))
        }
      }
    }
  }

  @Test("a log goes, of an earlier store or of one that is gone", arguments: [false, true], [false, true])
  func logs(isCopy: Bool, hasStore: Bool) async throws {
    let workspace = try await workspace()
    let version = unsafe withUnsafeBytes(of: UInt32(3_007_000)) { unsafe Array($0) }
    let logs: [(String, [UInt8])] = [
      ("-wal", []), ("-wal", [0x37, 0x7f, 0x06, 0x82, 0, 0]), ("-wal", [0x37, 0x7f, 0x06, 0x83]),
      ("-shm", version + [0, 0, 0, 0, 1]), ("-shm", Array(repeating: 0, count: 32_768)), ("-shm", []),
      ("-journal", Array(repeating: 0, count: 512)), ("-journal", []),
      ("-journal", [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 0]),
    ]
    for (suffix, bytes) in logs {
      // The journal of a store that is there would be played back into it: that is the business of other tests.
      if hasStore, suffix == "-journal", bytes.count == 12 { continue }
      if hasStore {
        try workspace.write("out.sqlite", workspace.bytes("Shop.sqlite"))
      } else {
        try? FileManager.default.removeItem(at: workspace.url("out.sqlite"))
      }
      try workspace.write("out.sqlite" + suffix, bytes)
      let outcome = try await Tool.run(command(isCopy, workspace), in: workspace.folder)
      #expect(outcome.exitCode == 0, "\(suffix): \(outcome.talk)")
      #expect(!workspace.exists("out.sqlite" + suffix))
      #expect(try workspace.query("out.sqlite", "SELECT count(*) FROM ZITEM") == ["2"])
    }
  }

  @Test("what a run reads is no lock of it, and does not lie where it works")
  func inputsBesideStore() async throws {
    let workspace = try await workspace()
    // Digits alone, as in a lock.
    try workspace.write("out.sqlite.lock", "12345\n")
    let source = "{ path: out.sqlite.lock, format: csv }"
    var outcome = try await Tool.run(command(false, source: source, workspace), in: workspace.folder)
    #expect(outcome.exitCode == 73 && outcome.talk.contains("out.sqlite.lock"), "\(outcome.talk)")
    #expect(try workspace.text("out.sqlite.lock") == "12345\n")
    try workspace.write("out.sqlite.lock", "a letter")
    outcome = try await Tool.run(command(false, workspace) + ["--force"], in: workspace.folder)
    #expect(outcome.exitCode == 73 && outcome.talk.contains("out.sqlite.lock"), "\(outcome.talk)")
    #expect(try workspace.text("out.sqlite.lock") == "a letter")
    try FileManager.default.removeItem(at: workspace.url("out.sqlite.lock"))

    // What a killed run left would go.
    try workspace.write("out.sqlite.partial/.seedbed", "")
    try workspace.write("out.sqlite.partial/items.csv", "id,name\nc,C\n")
    try workspace.write("out.sqlite.partial/saved.sqlite", workspace.bytes("Shop.sqlite"))
    outcome = try await Tool.run(
      command(false, source: "out.sqlite.partial/items.csv", workspace), in: workspace.folder)
    #expect(outcome.exitCode == 73 && outcome.talk.contains("items.csv"), "\(outcome.talk)")
    outcome = try await workspace.run("copy", "out.sqlite.partial/saved.sqlite", "out.sqlite")
    #expect(outcome.exitCode == 73 && outcome.talk.contains("out.sqlite.partial"), "\(outcome.talk)")
    try FileManager.default.moveItem(at: workspace.url("out.sqlite.partial"), to: workspace.url("dump.partial"))
    outcome = try await workspace.run(
      "dump", "dump.partial/saved.sqlite", "dump", "--model", "Shop.xcdatamodeld")
    #expect(outcome.exitCode == 73 && outcome.talk.contains("dump.partial"), "\(outcome.talk)")
    #expect(try workspace.names(in: "dump.partial") == [".seedbed", "items.csv", "saved.sqlite"])
  }

  @Test("a copy is not put under the name of the source's own log", arguments: suffixes)
  func ownLog(suffix: String) async throws {
    let workspace = try await workspace()
    for more in [[], ["--force"]] {
      let outcome = try await Tool.run(
        ["copy", "Shop.sqlite", "Shop.sqlite" + suffix] + more, in: workspace.folder)
      #expect(outcome.exitCode == 73, "\(outcome.talk)")
      #expect(!workspace.exists("Shop.sqlite" + suffix))
    }
    try workspace.write("out.sqlite" + suffix, workspace.bytes("Shop.sqlite"))
    let outcome = try await workspace.run("copy", "--force", "out.sqlite" + suffix, "out.sqlite")
    #expect(outcome.exitCode == 73, "\(outcome.talk)")
    #expect(try workspace.bytes("out.sqlite" + suffix) == workspace.bytes("Shop.sqlite"))
  }
}
