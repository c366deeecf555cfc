import Foundation
import Testing

/// The report of `seedbed run`, as text, as JSON and in a file, also of runs that fail.
@Suite("Reports of runs")
struct RunReportTests {
  /// Of four records the second has no number, the third and the fourth no name.
  private static let source = "id,name,count\na,A,1\nb,B,many\nc,,3\nd,,4\n"

  private func workspace(rejects: String = "file: bad.csv, limit: 9", more: String = "") async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", Self.source)
    var pipeline = ItemPipeline(map: ["identifier: id", "name: name", "count: count"], rejects: rejects)
    pipeline.more = more
    try pipeline.write(to: workspace)
    return workspace
  }

  @Test("docs/report.schema.json is what schema --report writes (SEEDBED_UPDATE_DOCS=1 rewrites it)")
  func schema() async throws {
    let file = Tool.packageRoot.appendingPathComponent("docs/report.schema.json")
    let outcome = try await Tool.run(["schema", "--report"], in: Tool.packageRoot)
    if ProcessInfo.processInfo.environment["SEEDBED_UPDATE_DOCS"] == "1" {
      try Data(outcome.output).write(to: file)
    }
    #expect(try Data(contentsOf: file) == Data(outcome.output))
    // The validator sees what is wrong.
    let schema = try JSONSchema(outcome.output)
    #expect(try schema.problems(of: Array("[]".utf8)) != [])
    #expect(try schema.problems(of: Array("{\"seedbedReport\":2}".utf8)).contains("/seedbedReport: not 1"))
  }

  @Test("a run that goes well reports the same to standard output and into a file, and rejects by their reason")
  func success() async throws {
    let workspace = try await workspace(more: "export: [{ entity: Item, to: out.csv }]")
    for _ in 0..<2 {
      let outcome = try await workspace.run("run", "items.yaml", "--json", "--report", "reports/run.json")
      #expect(outcome.exitCode == 1, "\(outcome.talk)")
      #expect(try workspace.bytes("reports/run.json") == outcome.output)
      let report = try await Report.checked(outcome.output)
      #expect(report["result"] as? String == "built" && report["exitCode"] as? Int == 1)
      #expect(report["error"] is NSNull)
      let groups = try #require(report["rejectGroups"] as? [[String: Any]])
      #expect(groups.map { $0["count"] as? Int } == [1, 2])
      #expect(groups.map { $0["property"] as? String } == ["count", "name"])
      #expect((groups[1]["first"] as? [String: Any])?["line"] as? Int == 4)
      #expect(UUID(uuidString: report["run"] as? String ?? "") != nil)
      #expect((report["startedAt"] as? String ?? "") <= (report["endedAt"] as? String ?? ""))
    }
    let text = try await workspace.run("run", "items.yaml")
    #expect(text.text.contains("\nRejected 3:\n  value.not-a-number, Item.count:\n    items.csv:3:5: \"many\""))
    #expect(text.text.contains("\n  2 × "))
    #expect(text.text.contains(", Item.name, the first:\n    items.csv:4:3: "))
    #expect(!text.text.contains("items.csv:5:"))
    let quiet = try await workspace.run("run", "items.yaml", "--quiet")
    #expect(quiet.exitCode == 1 && quiet.text.isEmpty)
    #expect(quiet.talk == "rejected 3 of 4 records: bad.csv\n")
  }

  struct Failing: Sendable, CustomTestStringConvertible {
    var name: String
    var old = ""
    var new = ""
    var exitCode: Int
    var code: String
    /// Where, as file:line:column.
    var place: String?
    var steps = 0
    var testDescription: String { name }
  }

  static let failures = [
    Failing(
      name: "too many rejects", old: "limit: 9", new: "limit: 0", exitCode: 65, code: "rejects.over-limit",
      place: "items.csv:3:5", steps: 1),
    Failing(
      name: "an expectation", old: "match: [", new: "expect: { min: 4 }\n    match: [", exitCode: 65,
      code: "expect.failed", steps: 1),
    Failing(
      name: "a key that is not known", old: "entity: Item", new: "entty: Item", exitCode: 78, code: "pipeline",
      place: "items.yaml:5:5"),
    Failing(
      name: "a property that the entity does not have", old: "name: name", new: "nam: name", exitCode: 78,
      code: "lint.unknown-property", place: "items.yaml:4:5"),
    Failing(
      name: "a source that is missing", old: "from: items.csv", new: "from: none.csv", exitCode: 66,
      code: "source.missing"),
    Failing(
      name: "a column that is misspelt", old: "name: name", new: "name: nome", exitCode: 65, code: "csv.unknown-column",
      place: "items.yaml:9:7"),
    Failing(name: "a model that is missing", old: "Shop.xc", new: "Shap.xc", exitCode: 78, code: "model"),
  ]

  @Test("a run that fails reports it, with its place and the counts so far", arguments: failures)
  func failure(failing: Failing) async throws {
    let workspace = try await workspace()
    let yaml = try workspace.text("items.yaml")
    #expect(yaml.contains(failing.old))
    try workspace.write("items.yaml", yaml.replacingOccurrences(of: failing.old, with: failing.new))
    let outcome = try await workspace.run("run", "items.yaml", "--json", "--report", "run.json")
    #expect(Int(outcome.exitCode) == failing.exitCode, "\(outcome.talk)")
    #expect(outcome.talk.hasPrefix("error: "))
    #expect(try workspace.bytes("run.json") == outcome.output)
    let report = try await Report.checked(outcome.output)
    #expect(report["result"] as? String == "failed" && report["exitCode"] as? Int == failing.exitCode)
    let error = try #require(report["error"] as? [String: Any])
    #expect(outcome.talk.contains(error["message"] as? String ?? "none"))
    let steps = try #require(report["steps"] as? [[String: Any]])
    #expect(steps.count == failing.steps)
    if failing.steps > 0 { #expect((report["total"] as? [String: Any])?["read"] as? Int == 4) }
    #expect(steps.allSatisfy { ($0["durationSeconds"] as? Double ?? 0) > 0 })
    if let place = failing.place {
      let position = try #require(error["position"] as? [String: Any], "\(error)")
      let found = [position["file"] as? String ?? ""] + ["line", "column"].map { "\(position[$0] as? Int ?? 0)" }
      #expect(found.joined(separator: ":") == place)
    }
    #expect(error["code"] as? String == failing.code || (error["problems"] as? [Any])?.isEmpty == false, "\(error)")
    #expect(!workspace.exists("Shop.sqlite"))
  }

  @Test("over the limit the message names the file of rejects and says that there may be more")
  func overLimit() async throws {
    let workspace = try await workspace(rejects: "file: bad.csv, limit: 1")
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 65)
    #expect(
      outcome.talk.hasPrefix(
        "error: at least 3 records rejected, over the limit of 1; the first: items.csv:3:5"))
    #expect(workspace.exists("bad.csv"))
    let share = try await self.workspace(rejects: "percent: 50")
    let exact = try await share.run("run", "items.yaml")
    #expect(exact.talk.hasPrefix("error: 3 records rejected, over the limit of 50.0 %; the first: "))
  }

  @Test("a report takes the place of nothing but an earlier one")
  func place() async throws {
    let workspace = try await workspace()
    try workspace.write("notes.json", "{}\n")
    try workspace.write("taken.json.partial", "mine")
    for (path, code) in [
      ("notes.json", 73), ("items.csv", 73), ("items.yaml", 73), ("Shop.sqlite", 73), ("bad.csv", 73),
      ("Shop.sqlite-wal", 73), ("Shop.xcdatamodeld/run.json", 73), ("Shop.sqlite.partial/run.json", 73), ("-", 64),
      ("reports/", 64), ("", 64), ("taken.json", 73),
    ] {
      let names = try workspace.names()
      let outcome = try await workspace.run("run", "items.yaml", "--json", "--report", path)
      #expect(Int(outcome.exitCode) == code, "\(path): \(outcome.talk)")
      #expect(try workspace.names() == names, "\(path)")
      #expect(try workspace.text("notes.json") == "{}\n")
      if code != 64 { #expect(try await Report.checked(outcome.output)["result"] as? String == "failed") }
    }
    let forced = try await workspace.run("run", "items.yaml", "--quiet", "--force", "--report", "notes.json")
    #expect(forced.exitCode == 1)
    #expect(try await Report.checked(workspace.bytes("notes.json"))["result"] as? String == "built")
  }

  @Test("the first word says what became of the store")
  func firstWord() async throws {
    let workspace = try await workspace()
    func run(_ replace: String) async throws -> String {
      let yaml = try workspace.text("items.yaml")
      try workspace.write(
        "next.yaml", yaml.replacingOccurrences(of: "replace: always", with: replace))
      let outcome = try await workspace.run("run", "next.yaml")
      let json = try await Report.checked(try await workspace.run("run", "next.yaml", "--dry-run", "--json").output)
      #expect(json["result"] as? String == "dry-run" || json["result"] as? String == "up-to-date")
      return String(outcome.text.prefix { $0 != "\n" && $0 != "·" })
    }
    #expect(try await run("replace: never") == "Built Shop.sqlite ")
    #expect(try await run("replace: never") == "Unchanged Shop.sqlite ")
    #expect(try await run("write: in-place") == "Unchanged Shop.sqlite ")
    try workspace.write("items.csv", Self.source.replacingOccurrences(of: "a,A", with: "a,Z"))
    #expect(try await run("replace: never") == "Updated Shop.sqlite ")
    try workspace.write("items.csv", Self.source)
    #expect(try await run("write: in-place") == "Updated Shop.sqlite ")
    #expect(try await run("replace: when-changed") == "Built Shop.sqlite ")
    #expect(try await run("replace: when-changed") == "Unchanged Shop.sqlite ")
  }

  @Test("a step that makes every record anew in a store with rows is warned about")
  func repetition() async throws {
    let workspace = try await workspace()
    var pipeline = ItemPipeline(source: "names.csv", entity: "Tag", map: ["name: name"], replace: "never")
    pipeline.match = "name: tags"
    try workspace.write("names.csv", "name\nx\n")
    try pipeline.write(to: workspace)
    #expect(!(try await workspace.run("run", "items.yaml")).text.contains("warning"))
    try workspace.write("names.csv", "name\ny\n")
    let again = try await workspace.run("run", "items.yaml")
    #expect(again.exitCode == 0, "\(again.talk)")
    #expect(again.text.contains("warning: step tags has no match keys, and the store has objects of Tag already"))
  }
}
