import Foundation
import Testing

/// `seedbed history`, and pipelines whose stores keep one.
@Suite("History of stores")
struct HistoryCommandTests {
  private static let now = "now: \"2026-01-31T12:00:00Z\""

  private func pipeline(_ settings: [String], replace: String = "always") -> ItemPipeline {
    var pipeline = ItemPipeline()
    pipeline.map = ["identifier: id", "name: name", "count: count", "parent: { match: identifier, from: parent }"]
    pipeline.replace = ([replace] + settings).joined(separator: ", ")
    return pipeline
  }

  /// `Shop.sqlite` with items a and b, whose parent is a; then b has another count, and c is there.
  private func workspace(_ settings: [String] = ["history: true", now]) async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,count,parent\na,A,1,\nb,B,2,a\n")
    try pipeline(settings).write(to: workspace)
    let built = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(built.exitCode == 0, "\(built.talk)")
    try workspace.write("items.csv", "id,name,count,parent\na,A,1,\nb,B,7,a\nc,C,3,a\n")
    try pipeline(settings.filter { $0.hasPrefix("now") }, replace: "never").write(to: workspace)
    try workspace.write("later.yaml", try workspace.text("items.yaml"))
    let updated = try await workspace.run("run", "--quiet", "later.yaml")
    #expect(updated.exitCode == 0, "\(updated.talk)")
    return workspace
  }

  private func history(_ workspace: Workspace, _ arguments: String...) async throws -> Tool.Outcome {
    try await history(workspace, arguments)
  }

  private func history(_ workspace: Workspace, _ arguments: [String]) async throws -> Tool.Outcome {
    try await Tool.run(["history", "Shop.sqlite"] + arguments, in: workspace.folder)
  }

  @Test("a store that is built with history tells what each pipeline changed")
  func told() async throws {
    let workspace = try await workspace()
    let store = try workspace.bytes("Shop.sqlite")
    let whole = try await history(workspace)
    #expect(whole.exitCode == 0, "\(whole.talk)")
    let lines = whole.text.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.contains("author items") }.count >= 1)
    #expect(lines.filter { $0.contains("author later") }.count >= 1)
    #expect(lines.allSatisfy { $0.hasPrefix("  ") || $0.contains("2026-01-31T12:00:00Z") })
    #expect(lines.filter { $0.contains("inserted Item/") }.count == 3)
    #expect(lines.contains("  updated Item/2: count"))
    #expect(whole.talk.contains("--since "))
    #expect(try workspace.bytes("Shop.sqlite") == store)
    let token = try #require(whole.talk.split(separator: " ").last.map { $0.trimmingCharacters(in: .newlines) })
    let rest = try await history(workspace, "--since", token)
    #expect(rest.text.isEmpty && rest.talk.hasPrefix("0 transactions"))
  }

  @Test("entities, properties and authors choose; JSON has one transaction a line")
  func chosen() async throws {
    let workspace = try await workspace()
    let updates = try await history(workspace, "--entity", "Item", "--property", "count", "--json")
    let lines = updates.text.split(separator: "\n")
    #expect(lines.count == 1)
    let line = try #require(lines.first)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["author"] as? String == "later")
    #expect(object["timestamp"] as? String == "2026-01-31T12:00:00Z")
    let changes = try #require(object["changes"] as? [[String: Any]])
    #expect(changes.count == 1)
    #expect(changes.first?["type"] as? String == "update")
    #expect(changes.first?["entity"] as? String == "Item")
    #expect(changes.first?["primaryKey"] as? Int == 2)
    #expect((changes.first?["properties"] as? [String])?.contains("count") == true)
    #expect((changes.first?["uri"] as? String)?.hasSuffix("/Item/p2") == true)
    let mine = try await history(workspace, "--author", "items")
    #expect(mine.text.contains("author items") && !mine.text.contains("author later"))
    let first = try await history(workspace, "--limit", "1", "--json")
    #expect(first.text.split(separator: "\n").count == 1)
    let nothing = try await history(workspace, "--entity", "Tag")
    #expect(nothing.text.isEmpty && nothing.exitCode == 0)
  }

  @Test("transactions before a place are deleted, and reading from there says so")
  func deleted() async throws {
    let workspace = try await workspace()
    let whole = try await history(workspace, "--json")
    let count = whole.text.split(separator: "\n").count
    let deleted = try await history(workspace, "--delete-before", "\(count)")
    #expect(deleted.exitCode == 0 && deleted.talk.contains("\(count - 1) transaction"), "\(deleted.talk)")
    #expect(try await history(workspace, "--json").text.split(separator: "\n").count == 1)
    let gone = try await history(workspace, "--since", "0")
    #expect(gone.exitCode == 65 && gone.talk.contains("was deleted"), "\(gone.talk)")
    // A date is no place in the history: what is left is told, with a warning where that may not be all.
    let export = ["export", "Shop.sqlite", "--entity", "Item", "--output", "-", "--changed-since"]
    let words = "warning: the history of Shop.sqlite before transaction \(count) was deleted"
    for place in ["2020-01-01", "2027-01-01"] {
      let (shown, exported) = (
        try await history(workspace, "--since", place), try await Tool.run(export + [place], in: workspace.folder)
      )
      for outcome in [shown, exported, try await history(workspace, "--since", place, "--json", "--values")] {
        #expect(outcome.exitCode == 0 && outcome.talk.contains(words) == place.hasPrefix("2020"), "\(outcome.talk)")
      }
    }
    #expect(try await workspace.run("check", "Shop.sqlite").exitCode == 0)
  }

  @Test(
    "two builds of the same inputs with a stated time are the same to the byte; without one the report says why not")
  func reproducible() async throws {
    let stores = try [try await workspace(), try await workspace()].map { try $0.bytes("Shop.sqlite") }
    #expect(stores[0] == stores[1])
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,count,parent\na,A,1,\n")
    try pipeline(["history: true"]).write(to: workspace)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 0)
    #expect((outcome.text + outcome.talk).contains("store.now states a time"))
  }

  @Test("a store with history has the schema and the rows that Core Data's have, and is fit")
  func schema() async throws {
    let workspace = try await workspace()
    #expect(try await workspace.run("check", "Shop.sqlite", "--model", "Shop.xcdatamodeld").exitCode == 0)
    #expect(
      try workspace.query("Shop.sqlite", "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1")
        == ["16001|CHANGE", "16002|TRANSACTION", "16003|TRANSACTIONSTRING"])
    #expect(
      try workspace.query(
        "Shop.sqlite",
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION) OR Z_OPT IS NOT NULL")
        == ["0"])
  }

  @Test(
    "what is wrong is said",
    arguments: [
      (["--since", "yesterday"], Int32(64), "yesterday"), (["--since", "X:1"], 65, "another store"),
      (["--since", "999"], 65, "ends with transaction"), (["--delete-before", "999"], 65, "ends with transaction"),
      (["--entity", "Itm"], 78, "Item"),
      (["--property", "cont"], 78, "count"), (["--delete-before", "1", "--json"], 64, "--delete-before"),
    ])
  func mistakes(arguments: [String], code: Int32, words: String) async throws {
    let workspace = try await workspace()
    let outcome = try await history(workspace, arguments)
    #expect(outcome.exitCode == code && outcome.talk.contains(words), "\(outcome.exitCode) \(outcome.talk)")
  }

  @Test("a store that keeps none says so")
  func none() async throws {
    let workspace = try await workspace([Self.now])
    let outcome = try await history(workspace)
    #expect(outcome.exitCode == 78 && outcome.talk.contains("keeps no persistent history"), "\(outcome.talk)")
    #expect(outcome.talk.contains("hint: a new store keeps one where history: true stands"), "\(outcome.talk)")
  }

  @Test("history: true over a store that is there and keeps none is warned about, and over one that keeps one not")
  func withoutEffect() async throws {
    for keepsHistory in [false, true] {
      let workspace = try Workspace.withModel()
      try workspace.write("items.csv", "id,name,count,parent\na,A,1,\n")
      try pipeline([Self.now, "history: \(keepsHistory)"]).write(to: workspace)
      try await workspace.succeed("run", "--quiet", "items.yaml")
      try workspace.write("items.csv", "id,name,count,parent\na,A,2,\n")
      try pipeline([Self.now, "history: true"], replace: "never").write(to: workspace)
      let run = try await workspace.succeed("run", "items.yaml")
      let isTold = (run.text + run.talk).contains("history: true has no effect: Shop.sqlite was there")
      #expect(isTold == !keepsHistory, "\(run.text)\(run.talk)")
    }
  }
}
