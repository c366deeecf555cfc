import Foundation
import Testing

/// What the report says of references with `missing: null` whose keys no object has.
@Suite("References that are left out")
struct LeftOutReferenceTests {
  private func workspace(_ word: String, strategy: String = "automatic", replace: String = "always") throws -> Workspace
  {
    let workspace = try Workspace.withModel()
    try workspace.write(
      "items.ndjson",
      """
      {"id":"a","name":"A","up":"none","tags":["x","gone","lost"]}
      {"id":"b","name":"B","up":"a","tags":["x"]}
      {"id":"c","name":"C","up":null}
      """)
    try workspace.write("tags.csv", "name\nx\n")
    var pipeline = ItemPipeline(
      source: "items.ndjson", settings: strategy == "automatic" ? [] : ["strategy: \(strategy)"],
      map: [
        "identifier: id", "name: name", "parent: { match: identifier, from: up, missing: \(word), optional: true }",
        "tags: { match: name, from: tags, missing: \(word) }",
      ], replace: replace)
    pipeline.more = "  - { from: tags.csv, entity: Tag, match: name, map: { name: name } }"
    try pipeline.write(to: workspace)
    return workspace
  }

  @Test("each relationship has its count, with null in quotes or without", arguments: ["null", "\"null\""])
  func counted(word: String) async throws {
    let workspace = try workspace(word)
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(
      run.text.contains("Item: Item.tags: 2 references were left out, because no object has the key"), "\(run.text)")
    #expect(run.text.contains("Item: Item.parent: 1 reference was left out"), "\(run.text)")
    let json = try await workspace.run("run", "items.yaml", "--json")
    #expect(json.text.contains(#""reason": "references left out""#))
    #expect(try workspace.query("Shop.sqlite", "SELECT COUNT(*) FROM Z_2TAGS") == ["2"])
  }

  @Test(
    "so it is when objects are updated, whatever the strategy", arguments: ["find-or-create", "automatic"])
  func updated(strategy: String) async throws {
    let workspace = try workspace("null", strategy: strategy, replace: "never")
    for name in ["A", "AA"] {
      let text = try workspace.text("items.ndjson").replacingOccurrences(of: "\"A\"", with: "\"\(name)\"")
      try workspace.write("items.ndjson", text)
      let run = try await workspace.run("run", "items.yaml")
      #expect(run.exitCode == 0, "\(run.talk)")
      #expect(run.text.contains("Item.tags: 2 references were left out"), "\(run.text)")
    }
  }
}
