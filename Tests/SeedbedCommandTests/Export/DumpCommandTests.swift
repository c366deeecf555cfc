import Foundation
import Testing

/// `dump` as a user runs it.
@Suite("The command dump")
struct DumpCommandTests {
  /// A workspace with `Shop.sqlite`: items a and b, b with parent a.
  private func workspace() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,parent\na,A,\nb,\"B, the second\",a\n")
    try ItemPipeline(map: ["identifier: id", "name: name", "parent: { match: identifier, from: parent }"])
      .write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    return workspace
  }

  private static let model = ["--model", "Shop.xcdatamodeld"]

  private func dump(_ workspace: Workspace, _ arguments: String...) async throws -> Tool.Outcome {
    try await Tool.run(["dump"] + arguments, in: workspace.folder)
  }

  @Test(
    "an earlier dump is replaced only when its folder holds nothing else",
    arguments: [
      nil, "notes.txt", ".git/config", "Shop.sqlite", "Item.csv", "restore.yaml.old", "Old.xcdatamodeld/contents",
    ])
  func replacedFolder(other: String?) async throws {
    let workspace = try await workspace()
    let arguments = ["dump", "Shop.sqlite", "dump"] + Self.model
    for gzip in [false, true] {
      let outcome = try await Tool.run(arguments + ["--force"] + (gzip ? ["--gzip"] : []), in: workspace.folder)
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
    }
    guard let other else { return }
    let path = workspace.url("dump/" + other)
    try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try workspace.write("dump/" + other, "precious")
    let before = try workspace.names(in: "dump")
    let outcome = try await Tool.run(arguments + ["--force"], in: workspace.folder)
    #expect(outcome.exitCode == 73 && outcome.talk.contains(other.split(separator: "/")[0]), "\(outcome.talk)")
    #expect(try workspace.names(in: "dump") == before && workspace.text("dump/" + other) == "precious")
  }

  @Test("a store or a model in the folder of an earlier dump is never replaced with it")
  func inputInFolder() async throws {
    let workspace = try await workspace()
    #expect(try await Tool.run(["dump", "Shop.sqlite", "dump"] + Self.model, in: workspace.folder).exitCode == 0)
    let model = ["--model", "dump/Shop.xcdatamodeld"]
    let outcome = try await Tool.run(["dump", "Shop.sqlite", "dump", "--force"] + model, in: workspace.folder)
    #expect(outcome.exitCode == 73, "\(outcome.talk)")
    #expect(try await workspace.run("run", "--quiet", "dump/restore.yaml").exitCode == 0)
    let bytes = try workspace.bytes("dump/Shop.sqlite")
    let again = try await Tool.run(["dump", "dump/Shop.sqlite", "dump", "--force"] + Self.model, in: workspace.folder)
    #expect(again.exitCode == 73, "\(again.talk)")
    #expect(try workspace.bytes("dump/Shop.sqlite") == bytes)
  }

  @Test("an earlier dump that a killed run had set aside is put back", arguments: [false, true])
  func setAside(isReplaced: Bool) async throws {
    let workspace = try await workspace()
    #expect(try await dump(workspace, "Shop.sqlite", "dump", "--model", "Shop.xcdatamodeld").exitCode == 0)
    let before = try workspace.text("dump/restore.yaml")
    try workspace.write("dump.partial/.seedbed", "Seedbed makes a result here.")
    try FileManager.default.moveItem(at: workspace.url("dump"), to: workspace.url("dump.partial/earlier"))
    let more = Self.model + (isReplaced ? ["--force"] : [])
    let outcome = try await Tool.run(["dump", "Shop.sqlite", "dump"] + more, in: workspace.folder)
    #expect(outcome.exitCode == (isReplaced ? 0 : 73), "\(outcome.talk)")
    #expect(isReplaced || outcome.talk.contains("--force"), "\(outcome.talk)")
    #expect(try workspace.text("dump/restore.yaml") == before)
    #expect(!workspace.exists("dump.partial/earlier"))
  }

  @Test("a folder with an empty restore.yaml is no dump")
  func emptyPipeline() async throws {
    let workspace = try await workspace()
    try FileManager.default.createDirectory(at: workspace.url("keep"), withIntermediateDirectories: true)
    for name in ["restore.yaml", "a.txt"] { try workspace.write("keep/" + name, name == "a.txt" ? "precious" : "") }
    let outcome = try await Tool.run(["dump", "Shop.sqlite", "keep", "--force"] + Self.model, in: workspace.folder)
    #expect(outcome.exitCode == 73, "\(outcome.talk)")
    #expect(try workspace.text("keep/a.txt") == "precious")
  }

  @Test("a dump stands by itself and builds the store anew", arguments: [false, true])
  func restore(gzip: Bool) async throws {
    let workspace = try await workspace()
    let outcome = try await Tool.run(
      ["dump", "Shop.sqlite", "dump/"] + Self.model + (gzip ? ["--gzip"] : []), in: workspace.folder)
    #expect(outcome.exitCode == 0 && outcome.text.isEmpty)
    #expect(outcome.talk == "dumped 2 objects of 4 entities to dump/\n")
    let suffix = gzip ? ".ndjson.gz" : ".ndjson"
    #expect(
      try workspace.names(in: "dump")
        == ["Account\(suffix)", "Item\(suffix)", "Part\(suffix)", "Shop.xcdatamodeld", "Tag\(suffix)", "restore.yaml"])
    #expect(try workspace.inflated("dump/Item" + suffix).contains("\"name\":\"B, the second\""))

    // The store and its model are gone, and the dump is somewhere else.
    let rows = "SELECT i.ZIDENTIFIER, i.ZNAME, p.ZNAME FROM ZITEM i LEFT JOIN ZITEM p ON p.Z_PK = i.ZPARENT"
    let before = try workspace.query("Shop.sqlite", rows)
    for name in ["Shop.sqlite", "Shop.xcdatamodeld"] { try FileManager.default.removeItem(at: workspace.url(name)) }
    try FileManager.default.moveItem(at: workspace.url("dump"), to: workspace.url("elsewhere"))
    #expect(try await workspace.run("lint", "elsewhere/restore.yaml").exitCode == 0)
    let report = try await workspace.report("elsewhere/restore.yaml")
    #expect(report.exitCode == 0)
    #expect(try workspace.query("elsewhere/Shop.sqlite", rows) == before)
    #expect(before == ["a|A|∅", "b|B, the second|A"])
  }

  @Test("a folder that is there is taken when it is empty only")
  func folders() async throws {
    let workspace = try await workspace()
    try workspace.write("full/keep.txt", "mine")
    try FileManager.default.createDirectory(at: workspace.url("empty"), withIntermediateDirectories: true)
    // What a killed dump left behind.
    try workspace.write("empty.partial/Item.ndjson", "half")
    try workspace.write("empty.partial/.seedbed", "Seedbed makes a result here.")
    let model = Self.model
    let full = try await dump(workspace, "Shop.sqlite", "full", model[0], model[1])
    #expect(full.exitCode == 73)
    #expect(full.talk.contains("the folder full is not empty"))
    #expect(full.talk.contains("hint: "))
    #expect(try workspace.names(in: "full") == ["keep.txt"])
    let file = try await dump(workspace, "Shop.sqlite", "items.csv", model[0], model[1])
    #expect(file.exitCode == 73 && file.talk.contains("items.csv is a file"))
    let below = try await dump(workspace, "Shop.sqlite", "items.csv/dump", model[0], model[1])
    #expect(below.exitCode == 73 && below.talk.contains("cannot create"))
    let inside = try await dump(workspace, "Shop.sqlite", "Shop.xcdatamodeld/dump", model[0], model[1])
    #expect(inside.exitCode == 73 && inside.talk.contains("inside the model"))
    let empty = try await dump(workspace, "--quiet", "Shop.sqlite", "empty", model[0], model[1])
    #expect(empty.exitCode == 0 && empty.talk.isEmpty)
    #expect(try !workspace.names().contains("empty.partial"))
    #expect(try workspace.names(in: "empty").contains("restore.yaml"))
  }

  @Test(
    "a store that is not there, is none, or has no model",
    arguments: [
      (["none.sqlite", "dump"], 66, "there is no such file"), (["items.csv", "dump"], 65, "not a"),
      (["Shop.sqlite", "dump", "--model", "none.xcdatamodeld"], 78, "there is no model here"),
      (["Shop.sqlite"], 64, "Missing expected argument"),
    ] as [([String], Int32, String)])
  func missing(arguments: [String], exitCode: Int32, message: String) async throws {
    let workspace = try await workspace()
    let outcome = try await Tool.run(["dump"] + arguments, in: workspace.folder)
    #expect(outcome.exitCode == exitCode, "\(outcome.talk)")
    #expect(outcome.talk.contains(message), "\(outcome.talk)")
    #expect(!workspace.exists("dump") && !workspace.exists("dump.partial"))
  }

  @Test("a store without a model of its own wants one")
  func noModel() async throws {
    let workspace = try await workspace()
    try workspace.removeCachedModel(of: "Shop.sqlite")
    let outcome = try await dump(workspace, "Shop.sqlite", "dump")
    #expect(outcome.exitCode == 78)
    #expect(outcome.talk.contains("carries no model") && outcome.talk.contains("--model"))
  }

  @Test("a disk that is full leaves nothing behind")
  func fullDisk() async throws {
    let workspace = try await workspace()
    try workspace.execute("Shop.sqlite", "UPDATE ZITEM SET ZNAME = hex(zeroblob(400000))")
    // No file may grow beyond 64 blocks, which is an error of the write once the signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 64; exec '\(Tool.path)' dump Shop.sqlite dump --model Shop.xcdatamodeld"
    let outcome = try await Tool.run(["-c", script], in: workspace.folder, executable: "/bin/sh")
    #expect(outcome.exitCode == 74, "\(outcome.talk)")
    #expect(outcome.talk.contains("cannot write the file"))
    #expect(!workspace.exists("dump") && !workspace.exists("dump.partial"))
  }
}
