import Foundation
import TestSupport
import Testing

/// What `migrate`, `export` and `query` say with `--json` that they asked of stores.
@Suite("Work in reports of commands")
struct CommandCountTests {
  /// The numbers of `work`; those of contexts by their counts.
  private func work(_ report: [String: Any]) throws -> [String: Int] {
    try #require(report["work"] as? [String: Any]).compactMapValues { value in
      value as? Int ?? (value as? [String: Any])?["count"] as? Int
    }
  }

  private func workspace() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    let lines = (0..<500).map { "i\($0),Name \($0),\($0)" }
    try workspace.write("items.csv", "id,name,count\n" + lines.joined(separator: "\n") + "\n")
    try ItemPipeline(map: ["identifier: id", "name: name", "count: count"]).write(to: workspace)
    let run = try await workspace.run("run", "items.yaml", "--quiet")
    #expect(run.exitCode == 0, "\(run.talk)")
    return workspace
  }

  @Test(
    "schemas in docs are what schema writes (SEEDBED_UPDATE_DOCS=1 rewrites them)", arguments: ["export", "migration"])
  func schemas(kind: String) async throws {
    let file = Tool.packageRoot.appendingPathComponent("docs/\(kind).schema.json")
    let outcome = try await Tool.run(["schema", "--\(kind)"], in: Tool.packageRoot)
    if ProcessInfo.processInfo.environment["SEEDBED_UPDATE_DOCS"] != nil { try Data(outcome.output).write(to: file) }
    #expect(try Data(contentsOf: file) == Data(outcome.output))
    #expect(try JSONSchema(outcome.output).problems(of: Array("{}".utf8)).contains { $0.contains("no work") })
  }

  @Test("an export to a file says on standard output what it read, also with --quiet")
  func export() async throws {
    let workspace = try await workspace()
    let line = ["export", "Shop.sqlite", "--entity", "Item", "--where", "count < 10", "--output", "few.csv", "--json"]
    for more in [[], ["--quiet"]] {
      let outcome = try await Tool.run(line + more, in: workspace.folder)
      #expect(outcome.exitCode == 0 && outcome.talk.isEmpty, "\(outcome.talk)")
      let report = try await Report.checked(outcome.output, kind: "export")
      #expect(report["rows"] as? Int == 10 && report["output"] as? String == "few.csv")
      #expect(report["entity"] as? String == "Item" && report["deleted"] == nil)
      let work = try work(report)
      #expect(work["statements"] ?? 0 > 0 && work["rows"] ?? 0 >= 10 && work["pages"] == 0, "\(work)")
    }
    #expect(try workspace.text("few.csv").split(separator: "\n").count == 11)
  }

  @Test("where standard output has the objects, the report goes to standard error", arguments: ["query", "export"])
  func standardError(command: String) async throws {
    let workspace = try await workspace()
    let line =
      command == "query"
      ? ["query", "Shop.sqlite", "Item WHERE count < 10", "--format", "ndjson", "--json"]
      : ["export", "Shop.sqlite", "--entity", "Item", "--where", "count < 10", "--format", "ndjson", "--json"]
    let outcome = try await Tool.run(line, in: workspace.folder)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(outcome.text.split(separator: "\n").count == 10)
    let report = try await Report.checked(Array(outcome.talk.utf8), kind: "export")
    #expect(report["rows"] as? Int == 10 && report["output"] as? String == "-")
    #expect(try work(report)["statements"] ?? 0 > 0)
  }

  @Test("an export of changed objects says how many were deleted, and the token that comes next")
  func changes() async throws {
    let workspace = try await workspace()
    try workspace.write(
      "items.yaml",
      try workspace.text("items.yaml").replacingOccurrences(
        of: "path: Shop.sqlite", with: "path: Shop.sqlite, history: true"))
    let run = try await workspace.run("run", "items.yaml", "--quiet")
    #expect(run.exitCode == 0, "\(run.talk)")
    let delete = try await workspace.run("delete", "Shop.sqlite", "--entity", "Item", "--where", "count < 3")
    #expect(delete.exitCode == 0, "\(delete.talk)")
    let outcome = try await workspace.run(
      "export", "Shop.sqlite", "--entity", "Item", "--changed-since", "0", "--output", "changed.csv", "--json")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let report = try await Report.checked(outcome.output, kind: "export")
    #expect(report["rows"] as? Int == 497, "\(report)")
    #expect(report["token"] is String && report["deleted"] is Int)
  }

  @Test("a migration in place counts statements, one by a mapping model objects too, and a dry run nothing")
  func migration() async throws {
    let workspace = try await VersionedShop.imported(
      VersionedShop.oneStep, "a,b\nx,1\ny,2\n", "map: { a: a, b: b }")
    let line = ["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--json"]
    let plan = try await Report.checked(
      try await Tool.run(line + ["--dry-run"], in: workspace.folder).output, kind: "migration")
    #expect(plan["work"] is NSNull)
    let done = try await Report.checked(try await Tool.run(line, in: workspace.folder).output, kind: "migration")
    let counts = try work(done)
    #expect(counts["statements"] ?? 0 > 5 && counts["rows"] ?? 0 > 0 && counts["saves"] == 0, "\(counts)")
    let again = try await Report.checked(try await Tool.run(line, in: workspace.folder).output, kind: "migration")
    #expect(try work(again).values.allSatisfy { $0 == 0 })
  }

  @Test("the work of several steps is added up")
  func severalSteps() async throws {
    let workspace = try await VersionedShop.imported(
      VersionedShop.twoSteps, "a,b\nx,1\ny,2\n", "map: { a: a, b: b }")
    let outcome = try await workspace.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--json")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let report = try await Report.checked(outcome.output, kind: "migration")
    #expect((report["steps"] as? [Any])?.count == 2)
    #expect(try work(report)["statements"] ?? 0 > 10)
  }

  @Test(
    "a step by a mapping model counts what it asked by way of objects",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func mappedStep() async throws {
    let workspace = try await Notes.workspace(
      version: "v2", mapping: Notes.mapping("v2_to_v3"),
      records: "[{\"title\": \"one\", \"body\": \"b\", \"image\": \"AQID\"}]", map: "body: body, image: image")
    let outcome = try await workspace.run(
      "migrate", "Notes.sqlite", "--model", Notes.model, "--to", "UnCloudNotesDataModel v3", "--json")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let work = try work(try await Report.checked(outcome.output, kind: "migration"))
    for name in ["statements", "rows", "requests", "fetches", "saves"] {
      #expect(work[name] ?? 0 > 0, "\(name) of \(work)")
    }
  }
}
