import Foundation
import Testing

/// `seedbed diff`
@Suite("Comparing stores from the command line")
struct DiffCommandTests {
  /// `a.sqlite` with items a and b below it; in `b.sqlite` a has another name, b is gone and c is there.
  private func workspace() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    for (name, rows) in [("a", "a,A,1,\nb,B,2,a\n"), ("b", "c,C,3,a\na,Other,1,\n")] {
      try workspace.write("items.csv", "id,name,count,parent\n" + rows)
      var pipeline = ItemPipeline()
      pipeline.map = ["identifier: id", "name: name", "count: count", "parent: { match: identifier, from: parent }"]
      try pipeline.write(to: workspace)
      let built = try await workspace.run("run", "--quiet", "items.yaml")
      #expect(built.exitCode == 0, "\(built.talk)")
      try FileManager.default.moveItem(
        at: workspace.folder.appendingPathComponent("Shop.sqlite"),
        to: workspace.folder.appendingPathComponent("\(name).sqlite"))
    }
    return workspace
  }

  private func diff(_ workspace: Workspace, _ arguments: String...) async throws -> Tool.Outcome {
    try await Tool.run(["diff"] + arguments, in: workspace.folder)
  }

  @Test("differences are told by key, and end with 1")
  func text() async throws {
    let workspace = try await workspace()
    let before = try (workspace.bytes("a.sqlite"), workspace.bytes("b.sqlite"))
    let found = try await diff(workspace, "a.sqlite", "b.sqlite")
    #expect(found.exitCode == 1, "\(found.talk)")
    #expect(
      found.text == """
        ~ Item "a"
            name: "A" → "Other"
        - Item "b"
        + Item "c"

        """)
    #expect(found.talk.contains("1 inserted, 1 updated, 1 deleted"))
    #expect(try workspace.bytes("a.sqlite") == before.0 && workspace.bytes("b.sqlite") == before.1)
    let same = try await diff(workspace, "a.sqlite", "a.sqlite")
    #expect(same.exitCode == 0 && same.text.isEmpty && same.talk.contains("the files are the same"))
  }

  @Test("a damaged store is named, and ends with 65, in every journal mode", arguments: ["DELETE", "WAL"])
  func damaged(mode: String) async throws {
    let workspace = try await workspace()
    for store in ["a.sqlite", "b.sqlite"] { try workspace.execute(store, "PRAGMA journal_mode = \(mode)") }
    // The page of the table's rows is nothing but zeros.
    let page = try #require(
      Int(try workspace.query("b.sqlite", "SELECT rootpage FROM sqlite_master WHERE name = 'ZITEM'")[0]))
    let size = try #require(Int(try workspace.query("b.sqlite", "PRAGMA page_size")[0]))
    var bytes = try workspace.bytes("b.sqlite")
    bytes.replaceSubrange((page - 1) * size..<page * size, with: Array(repeating: 0, count: size))
    try workspace.write("b.sqlite", bytes)
    for name in try workspace.names() where name.hasSuffix("-wal") || name.hasSuffix("-shm") {
      try FileManager.default.removeItem(atPath: workspace.path(name))
    }
    let found = try await diff(workspace, "a.sqlite", "b.sqlite")
    #expect(found.exitCode == 65, "\(found)")
    #expect(found.talk.contains("b.sqlite") && !found.talk.contains("a.sqlite"), "\(found.talk)")
    #expect(try !workspace.names().contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") })
    // A file called like the home folder's short name is a file.
    try workspace.write("~", bytes)
    let tilde = try await diff(workspace, "~", "a.sqlite")
    #expect(tilde.exitCode == 65 && tilde.talk.contains("~"), "\(tilde)")
  }

  @Test("NDJSON has one object a line, the summary one for all")
  func json() async throws {
    let workspace = try await workspace()
    let found = try await diff(workspace, "a.sqlite", "b.sqlite", "--json", "--quiet")
    let objects = try found.text.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["change"] as? String } == ["updated", "deleted", "inserted"])
    #expect(objects.first?["key"] as? [String: String] == ["identifier": "a"])
    #expect(objects.first?["properties"] as? [String: [String: String]] == ["name": ["first": "A", "second": "Other"]])
    #expect(found.talk.isEmpty)
    let summary = try await diff(workspace, "a.sqlite", "b.sqlite", "--summary", "--json")
    #expect(summary.exitCode == 1)
    let whole = try summary.object()
    #expect(whole["equal"] as? Bool == false)
    let item = try #require((whole["entities"] as? [[String: Any]])?.first { $0["entity"] as? String == "Item" })
    #expect(item["updated"] as? Int == 1 && item["key"] as? [String] == ["identifier"])
    let text = try await diff(workspace, "a.sqlite", "b.sqlite", "--summary")
    #expect(text.text.contains("Item (by identifier): +1 ~1 -1"))
  }

  @Test("entities, keys and properties can be chosen; a mistake is no difference")
  func options() async throws {
    let workspace = try await workspace()
    let ignored = try await diff(workspace, "a.sqlite", "b.sqlite", "--ignore", "name", "--ignore", "Item.parent")
    #expect(ignored.exitCode == 1 && ignored.text == "- Item \"b\"\n+ Item \"c\"\n")
    let keyed = try await diff(workspace, "a.sqlite", "b.sqlite", "--key", "Item=count", "--entity", "Item")
    #expect(keyed.exitCode == 1 && keyed.text.contains("~ Item 1"))
    for (arguments, code) in [
      (["--key", "Item"], 64), (["--key", "Item=missing"], 78), (["--entity", "Missing"], 78),
      (["--ignore", "missing"], 78),
    ] {
      let outcome = try await Tool.run(["diff", "a.sqlite", "b.sqlite"] + arguments, in: workspace.folder)
      #expect(outcome.exitCode == Int32(code) && outcome.text.isEmpty, "\(arguments): \(outcome.talk)")
    }
    let missing = try await diff(workspace, "a.sqlite", "missing.sqlite")
    #expect(missing.exitCode == 66 && missing.talk.contains("missing.sqlite"))
  }
}
