import Foundation
import SQLite
import TestSupport
import Testing

/// Debug switches and explanations of the tool.
@Suite("Diagnostics")
struct DiagnosticsCommandTests {
  private func workspace() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    var pipeline = ItemPipeline()
    pipeline.map = ["identifier: id", "name: name", "count: count"]
    try workspace.write("items.csv", "id,name,count\na,Amber,1\nb,Beryl,2\n")
    try pipeline.write(to: workspace)
    let built = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(built.exitCode == 0, "\(built.talk)")
    return workspace
  }

  private static let query = [
    "query", "Shop.sqlite", "Item WHERE name CONTAINS 'Ber' OR count == 98765", "--format", "csv",
  ]

  @Test(
    "each level of SQL debugging tells more, and values only where they are not private",
    arguments: [
      (["SEEDBED_SQL_DEBUG": "0"], [], ["sql: ", "Ber", "row: ", "plan: "]),
      (["SEEDBED_SQL_DEBUG": "1"], ["sql: SELECT", "annotation: ", " 1 row"], ["98765", "row: ", "plan: "]),
      (["SEEDBED_SQL_DEBUG": "2"], ["98765"], ["row: ", "plan: "]),
      (["SEEDBED_SQL_DEBUG": "3"], ["row: ", "Beryl"], ["plan: "]),
      (["SEEDBED_SQL_DEBUG": "4"], ["plan: SCAN", "<- every row of the table", "Beryl"], []),
      (
        ["SEEDBED_SQL_DEBUG": "4", "SEEDBED_SQL_DEBUG_PRIVATE": "1"], ["plan: SCAN", "row: ", "text"],
        ["98765", "Beryl"]
      ),
    ] as [([String: String], [String], [String])])
  func levels(environment: [String: String], said: [String], unsaid: [String]) async throws {
    let workspace = try await workspace()
    let plain = try await Tool.run(Self.query, in: workspace.folder)
    let found = try await Tool.run(Self.query, in: workspace.folder, environment: environment)
    #expect(found.exitCode == 0, "\(found.talk)")
    #expect(found.output == plain.output)
    for text in said { #expect(found.talk.contains(text), "\(text) in \(found.talk)") }
    for text in unsaid { #expect(!found.talk.contains(text), "\(text) in \(found.talk)") }
  }

  @Test("Core Data's own arguments are understood anywhere in the line, and wrong ones refused")
  func arguments() async throws {
    let workspace = try await workspace()
    let found = try await Tool.run(
      ["query", "-com.apple.CoreData.SQLDebug", "1"] + Self.query.dropFirst(), in: workspace.folder)
    #expect(found.exitCode == 0 && found.talk.contains("sql: SELECT"), "\(found.talk)")
    let wrong = try await Tool.run(Self.query + ["-com.apple.CoreData.SQLDebug", "loud"], in: workspace.folder)
    #expect(wrong.exitCode == 64 && wrong.talk.contains("loud"), "\(wrong.talk)")
    let missing = try await Tool.run(Self.query + ["-com.apple.CoreData.SQLDebug"], in: workspace.folder)
    #expect(missing.exitCode == 64 && missing.talk.contains("is no level"), "\(missing.talk)")
  }

  @Test(
    "every command that opens a store tells its statements",
    arguments: [
      ["check", "Shop.sqlite"], ["inspect", "Shop.sqlite"], ["copy", "Shop.sqlite", "Copy.sqlite"],
      ["dump", "Shop.sqlite", "dumped"], ["diff", "Shop.sqlite", "Other.sqlite"],
      ["export", "Shop.sqlite", "--entity", "Item", "--output", "-"],
      ["delete", "Shop.sqlite", "--entity", "Item", "--where", "count == 1"],
      ["update", "Shop.sqlite", "--entity", "Item", "--where", "count == 1", "--set", "count = 2"],
      ["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld"], ["explain", "items.yaml"],
    ])
  func everyCommand(line: [String]) async throws {
    let workspace = try await workspace()
    try FileManager.default.copyItem(at: workspace.url("Shop.sqlite"), to: workspace.url("Other.sqlite"))
    // Files that are the same are not compared.
    if line[0] == "diff" {
      let changed = try await workspace.run(
        "update", "Other.sqlite", "--entity", "Item", "--where", "count == 2", "--set", "count = 3")
      #expect(changed.exitCode == 0)
    }
    let found = try await Tool.run(line, in: workspace.folder, environment: ["SEEDBED_SQL_DEBUG": "1"])
    #expect(found.exitCode == (line[0] == "diff" ? 1 : 0), "\(found.talk)")
    #expect(found.talk.contains("sql: SELECT") && found.talk.contains("annotation: "), "\(found.talk)")
    #expect(!found.text.contains("sql: "))
    if line[0] == "diff" { #expect(found.talk.contains(" other.Z"), "\(found.talk)") }
  }

  @Test("a run under all debug switches builds the same store")
  func runs() async throws {
    let workspace = try await workspace()
    let before = try workspace.bytes("Shop.sqlite")
    let again = try await Tool.run(
      ["run", "--quiet", "items.yaml"], in: workspace.folder,
      environment: ["SEEDBED_SQL_DEBUG": "4", "SEEDBED_CONCURRENCY_DEBUG": "1", "SEEDBED_MIGRATION_DEBUG": "1"])
    #expect(again.exitCode == 0, "\(again.talk)")
    #expect(try workspace.bytes("Shop.sqlite") == before)
  }

  @Test(
    "tables that are written as finished pages have a line each in the log of statements, and so have their indexes")
  func pages() async throws {
    let workspace = try await workspace()
    let again = try await Tool.run(
      ["run", "--quiet", "items.yaml"], in: workspace.folder, environment: ["SEEDBED_SQL_DEBUG": "1"])
    #expect(again.exitCode == 0, "\(again.talk)")
    #expect(again.talk.contains(/pages: ZITEM, 2 rows in 1 page, [0-9.]+ s/), "\(again.talk)")
    #expect(again.talk.contains(/pages: indexes of ZITEM, [0-9]+ pages?, [0-9.]+ s/), "\(again.talk)")
  }

  @Test(
    "a migration by a mapping model tells each entity mapping where migrations are debugged",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func mappings() async throws {
    let workspace = try await Notes.workspace(
      version: "v2", mapping: Notes.mapping("v2_to_v3"),
      records: "[{\"title\": \"one\", \"image\": \"AQID\"}, {\"title\": \"two\"}]",
      map: "body: '\"b\"', image: image")
    let result = try await Tool.run(
      [
        "migrate", "Notes.sqlite", "--model", Notes.model, "--to", "UnCloudNotesDataModel v3",
        "-com.apple.CoreData.MigrationDebug", "1",
      ], in: workspace.folder)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(
      result.talk.contains(/mapping \w+ \(Note to Note\): objects 2 read, 2 made, [0-9.]+ s/), "\(result.talk)")
    #expect(result.talk.contains(/\(Note to Note\): relationships of 2 objects, [0-9.]+ s/), "\(result.talk)")
    #expect(result.talk.contains(/validation of [0-9]+ objects, [0-9.]+ s/), "\(result.talk)")
  }

  @Test("a query is explained, for people and for programs")
  func explained() async throws {
    let workspace = try await workspace()
    let found = try await Tool.run(
      ["query", "Shop.sqlite", "Item WHERE count == 2", "--explain"], in: workspace.folder)
    #expect(found.exitCode == 0, "\(found.talk)")
    #expect(found.text.contains("SELECT") && found.text.contains("plan:"), "\(found.text)")
    let json = try await Tool.run(
      ["query", "Shop.sqlite", "Item WHERE count == 2", "--explain", "--format", "ndjson"], in: workspace.folder)
    let object = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
    #expect(object?["scansTable"] as? Bool == true)
    #expect(object?["plan"] as? [String] != nil && object?["advice"] as? [Any] != nil)
    let wrong = try await Tool.run(["query", "Shop.sqlite", "Item WHERE nope == 2", "--explain"], in: workspace.folder)
    #expect(wrong.exitCode != 0 && wrong.talk.contains("nope"))
  }

  @Test("an explanation leaves the store as it is, and nothing beside it", arguments: ["DELETE", "WAL"])
  func untouched(journal: String) async throws {
    let workspace = try await workspace()
    let connection = try Connection(path: workspace.url("Shop.sqlite").path)
    #expect(try connection.string("PRAGMA journal_mode = \(journal)") == journal.lowercased())
    try connection.close()
    let (names, bytes) = (try workspace.names(), try workspace.bytes("Shop.sqlite"))
    let found = try await Tool.run(
      ["query", "Shop.sqlite", "Item WHERE count == 2", "--explain"], in: workspace.folder)
    #expect(found.exitCode == 0, "\(found.talk)")
    #expect(try workspace.names() == names)
    #expect(try workspace.bytes("Shop.sqlite") == bytes)
  }
}
