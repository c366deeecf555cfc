import Foundation
import Testing

/// Sources without a record: told where they are what they seem, refused where something is lost.
@Suite("Sources without records")
struct EmptySourceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var file: String
    var text: String
    var reason: String
    var isCompressed = false
    var testDescription: String { "\(file): \(reason)\(isCompressed ? ", compressed" : "")" }
  }

  static let cases = [
    Case(file: "items.csv", text: "id,name\n", reason: "header only"),
    Case(file: "items.csv", text: "id,name", reason: "header only"),
    Case(file: "items.csv", text: "id,name\r\n\r\n\r\n", reason: "header only"),
    Case(file: "items.csv.gz", text: "id,name\n", reason: "header only", isCompressed: true),
    Case(file: "items.ndjson", text: "", reason: "empty file"),
    Case(file: "items.ndjson", text: "\n \n", reason: "blank lines only"),
    Case(file: "items.ndjson.gz", text: "", reason: "empty file", isCompressed: true),
    Case(file: "items.json", text: " [ ]\n", reason: "empty array"),
  ]

  @Test("the report says so, as text and as JSON", arguments: cases)
  func told(empty: Case) async throws {
    let workspace = try Workspace.withModel()
    if empty.isCompressed {
      try workspace.gzip(empty.file, empty.text)
    } else {
      try workspace.write(empty.file, empty.text)
    }
    for match in ["match: [identifier]", ""] {
      try ItemPipeline(source: empty.file, match: match, map: ["identifier: id", "name: name"]).write(to: workspace)
      let outcome = try await workspace.run("run", "items.yaml")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(outcome.text.contains("Item: \(empty.file): no records: \(empty.reason)"), "\(outcome.text)")
      let json = try await workspace.run("run", "--json", "items.yaml")
      let report = try json.object()
      let notes = try #require((report["steps"] as? [[String: Any]])?.first?["notes"] as? [[String: String]])
      #expect(
        notes == [
          ["file": empty.file, "reason": empty.reason, "text": "\(empty.file): no records: \(empty.reason)"]
        ])
    }
  }

  @Test("each file of a pattern is told by itself, also where steps read twice and rows are there already")
  func pattern() async throws {
    let workspace = try Workspace.withModel()
    for (name, text) in [("1", "id,name\na,A\n"), ("2", "id,name\n"), ("3", "id,name\nb\n"), ("4", "id,name\n\n")] {
      try workspace.write("items-\(name).csv", text)
    }
    var pipeline = ItemPipeline(source: "\"items-*.csv\"", map: ["identifier: id", "name: name"], rejects: "limit: 1")
    for replace in ["always", "never"] {
      pipeline.replace = replace
      try pipeline.write(to: workspace)
      let text = try await workspace.run("run", "items.yaml").text
      #expect(text.contains("items-2.csv: no records: header only"))
      #expect(text.contains("items-4.csv: no records: header only"))
      #expect(text.components(separatedBy: "no records").count == 3)
    }
  }

  @Test(
    "an empty file that says it is compressed is damaged",
    arguments: ["items.csv.gz", "items.ndjson.gz", "items.json.GZ"])
  func damaged(file: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.ndjson", #"{"id":"a","name":"A"}"#)
    try ItemPipeline(source: "items.ndjson", map: ["identifier: id", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let store = try workspace.bytes("Shop.sqlite")
    try workspace.write(file, "")
    try ItemPipeline(source: file, map: ["identifier: id", "name: name"]).write(to: workspace)
    let outcome = try await workspace.run("run", "--log-format", "json", "items.yaml")
    #expect(outcome.exitCode == 74)
    let error = try JSONDecoder().decode(LoggedError.self, from: Data(outcome.talk.utf8))
    #expect(error.code == "gzip.truncated")
    #expect(error.message == "\(file):byte 0: the file is empty, and gzip data never is")
    #expect(try workspace.bytes("Shop.sqlite") == store)
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 74)
  }
}
