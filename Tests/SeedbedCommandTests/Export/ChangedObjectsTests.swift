import Foundation
import Testing

/// What changed in a store, exported and applied elsewhere.
@Suite("Changed objects on the command line")
struct ChangedObjectsTests {
  /// `Shop.sqlite` with items a, b and c; a copy of it, `Copy.sqlite`; then b has another count, c is deleted and d is
  /// there.
  private func workspace() async throws -> (workspace: Workspace, token: String) {
    let workspace = try Workspace.withModel()
    var pipeline = ItemPipeline()
    pipeline.map = ["identifier: id", "name: name", "count: count", "parent: { match: identifier, from: parent }"]
    pipeline.replace = "always, history: true, now: \"2026-01-31T12:00:00Z\""
    try workspace.write("items.csv", "id,name,count,parent\na,A,1,\nb,B,2,a\nc,C,3,a\n")
    try pipeline.write(to: workspace)
    try await workspace.succeed("run", "--quiet", "items.yaml")
    let told = try await workspace.succeed("history", "Shop.sqlite")
    let token = try #require(told.talk.split(separator: " ").last.map { $0.trimmingCharacters(in: .newlines) })
    try await workspace.succeed("copy", "Shop.sqlite", "Copy.sqlite")
    try workspace.write("items.csv", "id,name,count,parent\na,A,1,\nb,B,7,a\nd,D,4,b\n")
    pipeline.replace = "never"
    try pipeline.write(to: workspace)
    try await workspace.succeed("run", "--quiet", "items.yaml")
    try await workspace.succeed("delete", "Shop.sqlite", "--entity", "Item", "--where", "identifier == 'c'")
    return (workspace, token)
  }

  @Test("an export has the objects that changed since a token, and a file those that were deleted")
  func export() async throws {
    let (workspace, token) = try await workspace()
    let arguments = ["export", "Shop.sqlite", "--entity", "Item", "--columns", "identifier,count", "--changed-since"]
    let changed = try await Tool.run(arguments + [token, "--deleted", "deleted.ndjson"], in: workspace.folder)
    #expect(changed.exitCode == 0, "\(changed.talk)")
    #expect(
      changed.text.split(whereSeparator: \.isNewline) == ["identifier,count", "a,1", "b,7", "d,4"], "\(changed.text)")
    #expect(changed.talk.contains("1 deleted"))
    let deleted = try workspace.text("deleted.ndjson").split(separator: "\n")
    #expect(deleted.count == 1)
    let line = try #require(deleted.first)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["entity"] as? String == "Item" && object["primaryKey"] as? Int == 3)

    let later = try #require(changed.talk.split(separator: " ").last.map { $0.trimmingCharacters(in: .newlines) })
    let none = try await Tool.run(arguments + [later, "--deleted", "deleted.ndjson"], in: workspace.folder)
    #expect(none.text.split(whereSeparator: \.isNewline).count == 1, "\(none.text) \(none.talk)")
    #expect(try workspace.text("deleted.ndjson").isEmpty)
    let some = try await Tool.run(
      arguments + [token, "--where", "count > 5", "--format", "ndjson"], in: workspace.folder)
    #expect(some.text == "{\"identifier\":\"b\",\"count\":7}\n", "\(some.text)")
  }

  @Test("what the export cannot do is said, and no other file is touched")
  func exportMistakes() async throws {
    let (workspace, token) = try await workspace()
    try workspace.write("notes.txt", "mine\n")
    let arguments = ["export", "Shop.sqlite", "--entity", "Item"]
    for (more, code, words) in [
      (["--deleted", "deleted.ndjson"], Int32(64), "--changed-since"),
      (["--changed-since", "yesterday"], 64, "yesterday"),
      (["--changed-since", "999"], 65, "ends with transaction"),
      (["--changed-since", token, "--deleted", "notes.txt"], 73, "notes.txt"),
      (["--changed-since", token, "--deleted", "Shop.sqlite"], 73, "Shop.sqlite"),
      (["--changed-since", token, "--output", "x.ndjson", "--deleted", "x.ndjson"], 73, "x.ndjson"),
    ] {
      let outcome = try await Tool.run(arguments + more, in: workspace.folder)
      #expect(outcome.exitCode == code && outcome.talk.contains(words), "\(more) \(outcome.exitCode) \(outcome.talk)")
    }
    #expect(try workspace.text("notes.txt") == "mine\n")
  }

  @Test("where the deleted objects cannot be written, no object is either", arguments: ["out.csv", "-"])
  func allOrNone(output: String) async throws {
    let (workspace, token) = try await workspace()
    let arguments = ["export", "Shop.sqlite", "--entity", "Item", "--columns", "identifier", "--output", output]
    #expect(try await Tool.run(arguments + ["--limit", "1"], in: workspace.folder).exitCode == 0)
    // The file would be made in a folder of this name.
    try workspace.write("deleted.ndjson.partial/notes.txt", "mine\n")
    let more = ["--changed-since", token, "--deleted", "deleted.ndjson"]
    let outcome = try await Tool.run(arguments + more, in: workspace.folder)
    #expect(outcome.exitCode == 73 && outcome.talk.contains("deleted.ndjson.partial"), "\(outcome.talk)")
    #expect(outcome.text.isEmpty && !workspace.exists("deleted.ndjson"))
    if output == "-" { return }
    #expect(try workspace.text(output) == "identifier\na\n")
    try FileManager.default.removeItem(at: workspace.url("deleted.ndjson.partial"))
    #expect(try await Tool.run(arguments + more, in: workspace.folder).exitCode == 0)
    #expect(try workspace.text(output) == "identifier\na\nb\nd\n" && workspace.exists("deleted.ndjson"))
    #expect(try !workspace.names().contains { $0.hasSuffix(".partial") })
  }

  @Test("changes are written with values and applied to a copy, which is equal then")
  func apply() async throws {
    let (workspace, token) = try await workspace()
    let store = try workspace.bytes("Shop.sqlite")
    let changes = try await workspace.succeed("history", "Shop.sqlite", "--since", token, "--json", "--values")
    #expect(try workspace.bytes("Shop.sqlite") == store)
    try workspace.write("changes.ndjson", changes.text)
    let dry = try await workspace.succeed("apply", "changes.ndjson", "--to", "Copy.sqlite", "--dry-run")
    #expect(dry.talk.contains("would have inserted 1 object, updated"), "\(dry.talk)")
    let columns = ["--entity", "Item", "--columns", "identifier,name,count,parent.identifier"]
    let before = try await Tool.run(["export", "Copy.sqlite"] + columns, in: workspace.folder).text
    #expect(before.contains("c,C"))
    try await workspace.succeed("apply", "changes.ndjson", "--to", "Copy.sqlite", "--author", "mirror")
    let copy = try await Tool.run(["export", "Copy.sqlite"] + columns, in: workspace.folder)
    let shop = try await Tool.run(["export", "Shop.sqlite"] + columns, in: workspace.folder)
    #expect(copy.text == shop.text && copy.text.contains("d,D"))
    #expect(try await workspace.succeed("history", "Copy.sqlite").text.contains("author mirror"))
    #expect(try await workspace.run("check", "Copy.sqlite").exitCode == 0)
    let bytes = try workspace.bytes("Copy.sqlite")
    let again = try await workspace.run("apply", "changes.ndjson", "--to", "Copy.sqlite")
    #expect(again.exitCode == 65 && again.talk.contains("changes.ndjson:"), "\(again.talk)")
    #expect(try workspace.bytes("Copy.sqlite") == bytes)
  }

  @Test("changes come from standard input too, and what is no file is named as what it is")
  func changesFromStandardInput() async throws {
    let (workspace, token) = try await workspace()
    let changes = try await workspace.succeed("history", "Shop.sqlite", "--since", token, "--json", "--values")
    for (path, words) in [(".", ". is a folder"), ("/dev/null", "is a device"), ("none", "no such file")] {
      let refused = try await workspace.run("apply", path, "--to", "Copy.sqlite")
      #expect(refused.exitCode == 66 && refused.talk.contains(words), "\(refused.talk)")
    }
    for path in ["-", "/dev/stdin"] {
      let dry = try await workspace.run("apply", path, "--to", "Copy.sqlite", "--dry-run", input: changes.output)
      #expect(dry.exitCode == 0 && dry.talk.contains("would have inserted 1 object, updated"), "\(dry.talk)")
    }
  }

  @Test(
    "a file that says what cannot be is refused, and the store stays as it was",
    arguments: [
      (#""objects":4"#, #""objects":"x""#, "no number of changes"), (#""objects":4"#, #""objects":1.5"#, "no number"),
      (#""objects":4"#, #""objects":-1"#, "no number"), (#""primaryKey":4"#, #""primaryKey":0"#, "primary key"),
      (#""primaryKey":4"#, #""primaryKey":9223372036854775807"#, "primary key"),
    ])
  func oddFiles(part: String, replacement: String, words: String) async throws {
    let (workspace, token) = try await workspace()
    let changes = try await workspace.succeed("history", "Shop.sqlite", "--since", token, "--json", "--values")
    #expect(changes.text.contains(part), "\(changes.text)")
    try workspace.write("changes.ndjson", changes.text.replacingOccurrences(of: part, with: replacement))
    let before = try workspace.bytes("Copy.sqlite")
    let refused = try await workspace.run("apply", "changes.ndjson", "--to", "Copy.sqlite")
    #expect(refused.exitCode == 65 && refused.talk.contains(words), "\(refused.talk)")
    #expect(try workspace.bytes("Copy.sqlite") == before)
  }

  @Test(
    "options that do not go together are refused",
    arguments: [
      ["history", "Shop.sqlite", "--values"], ["history", "Shop.sqlite", "--json", "--values", "--entity", "Item"],
      ["history", "Shop.sqlite", "--json", "--values", "--limit", "1"], ["apply", "changes.ndjson"],
    ])
  func mistakes(arguments: [String]) async throws {
    let workspace = try Workspace.withModel()
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    #expect(outcome.exitCode == 64, "\(outcome.talk)")
  }
}
