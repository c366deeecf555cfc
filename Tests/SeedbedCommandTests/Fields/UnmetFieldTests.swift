import Foundation
import Testing

/// Fields of JSON that the map names and no record has: most are misspelt.
@Suite("Fields that no record has")
struct UnmetFieldTests {
  private static let records = [
    #"{"id":"a","name":"A","geo":{"lat":1.5},"opened":"2025-01-02","parts":[{"key":"p1"},{"key":"p2"}]}"#,
    #"{"id":"b","name":"B","geo":{"lat":2.5},"parts":[]}"#,
  ]
  private static let sources = [
    "items.json": "[\n" + records.joined(separator: ",\n") + "\n]", "items.ndjson": records.joined(separator: "\n"),
  ]

  private func workspace(_ source: String, _ map: [String], settings: [String] = []) throws -> Workspace {
    let workspace = try Workspace.withModel()
    for (name, text) in Self.sources { try workspace.write(name, text) }
    try ItemPipeline(
      source: source, settings: settings, map: ["identifier: id", "name: name"] + map,
      rejects: "file: rejects.csv, limit: 9"
    ).write(to: workspace)
    return workspace
  }

  @Test(
    "lint and the report warn of a field that occurs in no record, and say which one is near",
    arguments: ["items.json", "items.ndjson"])
  func told(source: String) async throws {
    let workspace = try workspace(
      source,
      [
        "ratio: geo.latitude", "updatedAt: openedd", "parts: { from: part, map: { identifier: key } }",
        "note: trim(remark)",
      ])
    let words = [
      ("\"geo.latitude\", for Item.ratio", "did you mean \"geo.lat\"?"),
      ("\"openedd\", for Item.updatedAt", "did you mean \"opened\"?"),
      ("\"part\", for Item.parts", "did you mean \"parts\"?"),
      ("\"remark\", for Item.note", "they have geo, id, name, opened, parts"),
    ]
    let lint = try await workspace.run("lint", "items.yaml")
    #expect(lint.exitCode == 0, "\(lint.talk)")
    for (message, hint) in words {
      #expect((lint.text + lint.talk).contains("no record has the field \(message)"), "\(lint.text)\(lint.talk)")
      #expect((lint.text + lint.talk).contains(hint), "\(lint.text)\(lint.talk)")
    }
    #expect((lint.text + lint.talk).contains("items.yaml:10:7: warning: no record has the field \"geo.latitude\""))
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    for (message, hint) in words {
      #expect(run.text.contains("warning: Item: no record has the field \(message)"), "\(run.text)")
      #expect(run.text.contains(hint), "\(run.text)")
    }
    let json = try await workspace.run("run", "items.yaml", "--json")
    let report = try json.object()
    #expect((report["warnings"] as? [String])?.count == 4)
  }

  @Test("a field of nested objects is looked for in them, and only where there are any")
  func nested() async throws {
    let workspace = try workspace("items.json", ["parts: { from: parts, map: { identifier: kye } }"])
    let run = try await workspace.run("run", "items.yaml", "--json")
    #expect(run.exitCode == 1)
    #expect(run.text.contains(#"no object of Part has the field \"kye\""#), "\(run.text)\(run.talk)")
    #expect(run.text.contains(#"did you mean \"key\"?"#))
    let lint = try await workspace.run("lint", "items.yaml")
    #expect((lint.text + lint.talk).contains("items.yaml:10:36: warning:"), "\(lint.text)\(lint.talk)")
    // No part anywhere: nothing can be said of what is in them.
    try workspace.write("items.json", #"[{"id":"a","name":"A","parts":[]},{"id":"b","name":"B"}]"#)
    let none = try await workspace.run("run", "items.yaml", "--json")
    #expect(none.exitCode == 0 && none.text.contains(#""warnings": []"#), "\(none.text)")
  }

  @Test("a misspelt field of where: is warned about though it leaves every record out")
  func condition() async throws {
    let workspace = try workspace("items.json", [], settings: ["where: opend == \"2025-01-02\""])
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.text.contains("no record has the field \"opend\"; did you mean \"opened\"?"), "\(run.text)")
  }

  @Test("one record that has the field is enough, also the last one, and null is there")
  func met() async throws {
    let workspace = try workspace("items.ndjson", ["note: remark", "code: code"])
    var lines = (0..<20_000).map { #"{"id":"i\#($0)","name":"N"}"# }
    lines.append(#"{"id":"z","name":"Z","remark":"here","code":null}"#)
    try workspace.write("items.ndjson", lines.joined(separator: "\n"))
    let run = try await workspace.run("run", "items.yaml", "--json")
    #expect(run.exitCode == 0 && run.text.contains(#""warnings": []"#), "\(run.text)")
    let lint = try await workspace.run("lint", "items.yaml")
    #expect(
      (lint.text + lint.talk).contains("none of the first records has the field \"remark\""), "\(lint.text)\(lint.talk)"
    )
  }

  @Test("optional: true says that it is so, and nothing is warned about")
  func optional() async throws {
    let workspace = try workspace(
      "items.json",
      [
        "ratio: { from: geo.latitude, optional: true }", "parent: { match: identifier, from: up, optional: true }",
        "parts: { from: part, map: { identifier: key }, optional: true }",
      ])
    for command in ["lint", "run"] {
      let outcome = try await workspace.run(command, "items.yaml")
      let said = outcome.text + outcome.talk
      #expect(outcome.exitCode == 0 && !said.contains("warning"), "\(said)")
    }
    try ItemPipeline(
      source: "{ path: items.json, optional: [remark] }", map: ["identifier: id", "name: name", "note: remark"]
    ).write(to: workspace)
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0 && !run.text.contains("warning"), "\(run.text)\(run.talk)")
  }
}
