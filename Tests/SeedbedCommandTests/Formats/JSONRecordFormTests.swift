import Foundation
import Testing

/// JSON that is no object where an object belongs, by the tool itself.
@Suite("JSON that is no object")
struct JSONRecordFormTests {
  private static let optionalMap = ["identifier: { from: id, default: none }", "name: { from: name, default: none }"]

  struct Case: Sendable, CustomTestStringConvertible {
    var value: String
    var says: String
    var testDescription: String { value }
  }
  static let cases = [
    Case(value: #"[{"id":"a"}]"#, says: "an array"), Case(value: "[]", says: "an array"),
    Case(value: "5", says: "a number"),
    Case(value: #""text""#, says: "a text"), Case(value: "null", says: "null"), Case(value: "true", says: "a boolean"),
  ]

  @Test(
    "a record that is no object is a reject with place, pointer and value, in lines and documents", arguments: cases)
  func reject(bad: Case) async throws {
    let workspace = try Workspace.withModel()
    let objects = [#"{"id":"a","name":"A"}"#, #"{"id":"b","name":"B"}"#]
    let sources: [(file: String, from: String, text: String, pointer: String)] = [
      ("items.ndjson", "items.ndjson", [objects[0], bad.value, objects[1]].joined(separator: "\n"), ""),
      ("items.json", "items.json", "[\(objects[0]),\n\(bad.value),\(objects[1])]", "/1"),
      (
        "nested.json", "{ path: nested.json, pointer: /data/items }",
        "{\"data\":{\"items\":[\(objects[0]),\n\(bad.value),\(objects[1])]}}", "/data/items/1"
      ),
    ]
    for source in sources {
      try workspace.write(source.file, source.text)
      try ItemPipeline(source: source.from, match: "", map: Self.optionalMap, rejects: "file: rejects.csv, limit: 1")
        .write(to: workspace)
      let outcome = try await workspace.run("run", "--json", "items.yaml")
      #expect(outcome.exitCode == 1, "\(outcome.talk)")
      let report = try outcome.object()
      let total = try #require(report["total"] as? [String: Any])
      #expect(total["inserted"] as? Int == 2)
      #expect(total["rejected"] as? Int == 1)
      let reject = try #require((report["rejects"] as? [[String: Any]])?.first)
      #expect(reject["code"] as? String == "json.not-an-object")
      #expect(reject["line"] as? Int == 2)
      #expect(reject["column"] as? Int == 1)
      let offset = try #require(source.text.firstIndex(of: "\n")).utf16Offset(in: source.text) + 1
      #expect(reject["byteOffset"] as? Int == offset)
      #expect(reject["pointer"] as? String == source.pointer)
      #expect(reject["value"] as? String == bad.value)
      #expect((reject["message"] as? String)?.contains(bad.says) == true)
      #expect((reject["hint"] as? String)?.isEmpty == false)

      // Fed back unmended it is the same reject, not an object without values.
      try workspace.write("again.ndjson", try workspace.text("rejects.ndjson"))
      try ItemPipeline(source: "again.ndjson", match: "", map: Self.optionalMap, rejects: "limit: 1").write(
        to: workspace)
      #expect(try await workspace.report("items.yaml").total == Report.Counts(read: 1, rejected: 1))
    }
  }

  @Test(
    "a nested value that is no object is a reject, alone and in an array",
    arguments: [
      (#""p""#, "/parts"), ("5", "/parts"), ("true", "/parts"), (#"["p"]"#, "/parts/0"),
      (#"[{"id":"p"},null]"#, "/parts/1"),
      (#"[{"id":"p"},[{"id":"q"}]]"#, "/parts/1"), ("[[]]", "/parts/0"), ("[1.5]", "/parts/0"),
    ])
  func nested(value: String, pointer: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write(
      "items.ndjson",
      #"{"id":"a","name":"A","parts":[{"id":"x"}]}"# + "\n{\"id\":\"b\",\"name\":\"B\",\"parts\":\(value)}\n")
    var pipeline = ItemPipeline(source: "items.ndjson", rejects: "limit: 1")
    pipeline.map = ["identifier: id", "name: name", "parts: { from: parts, map: { identifier: id } }"]
    try pipeline.write(to: workspace)
    let outcome = try await workspace.run("run", "--json", "items.yaml")
    let report = try outcome.object()
    let reject = try #require((report["rejects"] as? [[String: Any]])?.first)
    #expect(reject["code"] as? String == "json.not-an-object")
    #expect(reject["pointer"] as? String == pointer)
    #expect(reject["line"] as? Int == 2)
    #expect((reject["hint"] as? String)?.isEmpty == false)
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM") == ["a"])
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZPART") == ["x"])
  }

  @Test("a document that is an object says which pointers lead to arrays, and the store stays")
  func objectDocument() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.json", #"[{"id":"a","name":"A"}]"#)
    try ItemPipeline(source: "items.json", map: Self.optionalMap).write(to: workspace)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let store = try workspace.bytes("Shop.sqlite")

    try workspace.write(
      "items.json", #"{"meta":{"tags":["x"]},"stops":[{"id":"a"},{"id":"b"}],"data":{"routes":[{}]}}"#)
    for command in ["run", "lint"] {
      let outcome = try await workspace.run(command, "items.yaml")
      #expect(outcome.exitCode == 65)
      let said = outcome.text + outcome.talk
      #expect(said.contains("/stops (array of 2), /data/routes (array of 1), /meta/tags (array of 1)"), "\(said)")
      #expect(said.contains("pointer"))
    }
    #expect(try workspace.bytes("Shop.sqlite") == store)

    // Stated, the document itself is the record.
    try workspace.write("items.json", #"{"id":"a","name":"A","stops":[{"id":"b"}]}"#)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 65)
    try ItemPipeline(source: "{ path: items.json, pointer: \"\" }", map: Self.optionalMap).write(to: workspace)
    #expect(try await workspace.report("items.yaml").total.inserted == 1)
  }
}
