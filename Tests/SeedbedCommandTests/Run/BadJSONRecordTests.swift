import Foundation
import Testing

/// Rejects of JSON sources.
@Suite("Bad JSON records")
struct BadJSONRecordTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var record: String
    var mended: String
    var property = ""
    var code: String
    var value = ""
    var column: Int
    var testDescription: String { name }
    /// What follows the reason in the file of rejects: text for what is no JSON, else the record's members.
    var kept: String {
      let text = record.replacing("\"", with: "\\\"")
      return code == "json.malformed" ? "\"$record\":\"\(text)\"}" : String(record.dropFirst())
    }
  }

  static let cases: [Case] = [
    Case(
      name: "a line that is no JSON", record: #"{"id":"x","name":}"#, mended: #"{"id":"x","name":"X"}"#,
      code: "json.malformed", column: 18),
    Case(
      name: "an integer out of range", record: #"{"id":"x","name":"X","count":2147483648}"#,
      mended: #"{"id":"x","name":"X","count":2147483647}"#, property: "count", code: "value.out-of-range",
      value: "2147483648", column: 30),
    Case(
      name: "a number too great for a Double", record: #"{"id":"x","name":"X","ratio":1e400}"#,
      mended: #"{"id":"x","name":"X","ratio":1e40}"#, property: "ratio", code: "value.not-finite", value: "1e400",
      column: 30),
    Case(
      name: "an object where text belongs", record: #"{"id":"x","name":{"en":"X"}}"#,
      mended: #"{"id":"x","name":"X"}"#, property: "name", code: "value.structured", value: #"{"en":"X"}"#, column: 18),
    Case(
      name: "null where a value is required", record: #"{"id":"x","name":null}"#, mended: #"{"id":"x","name":"X"}"#,
      property: "name", code: "value.missing", column: 18),
    Case(
      name: "a reference to nothing", record: #"{"id":"x","name":"X","parent":"nowhere"}"#,
      mended: #"{"id":"x","name":"X","parent":"a"}"#, property: "parent", code: "reference.unresolved",
      value: "nowhere", column: 31),
  ]

  @Test("a bad JSON record keeps its members beside the reason and can be fed back", arguments: cases)
  func feedBack(_ bad: Case) async throws {
    let workspace = try Workspace.withModel()
    let head = #"{"id":"a","name":"Apple"}"# + "\n"
    try workspace.write("items.ndjson", head + bad.record + "\n" + #"{"id":"b","name":"Banana"}"# + "\n")
    var pipeline = ItemPipeline(source: "items.ndjson", rejects: "file: rejects.csv, limit: 1")
    try pipeline.write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.exitCode == 1)
    #expect(report.total.inserted == 2)
    #expect(report.total.rejected == 1)
    let reject = try #require(report.rejects.first)
    #expect(reject.file == "items.ndjson")
    #expect(reject.line == 2)
    #expect(reject.column == bad.column)
    #expect(reject.byteOffset == head.utf8.count + bad.column - 1)
    #expect(reject.property == bad.property)
    #expect(reject.code == bad.code)
    #expect(reject.value == bad.value)

    let line = try workspace.text("rejects.ndjson")
    let start =
      #"{"$reject":{"file":"items.ndjson","line":2,"column":\#(bad.column),"byteOffset":\#(reject.byteOffset),"#
    #expect(line.hasPrefix(start + #""entity":"Item","property":"\#(bad.property)","code":"\#(bad.code)","#))
    #expect(line.hasSuffix("}," + bad.kept + "\n"))
    if bad.code == "json.malformed" {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }

    // A file of rejects that is not mended yields the same rejects, without piling up reasons.
    try workspace.write("items.ndjson", line)
    pipeline.replace = "never"
    try pipeline.write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 1)
    #expect(try workspace.text("rejects.ndjson").hasSuffix("}," + bad.kept + "\n"))
    #expect(try workspace.text("rejects.ndjson").components(separatedBy: "{\"$reject\":").count == 2)

    try workspace.write(
      "items.ndjson", String(line.dropLast(bad.kept.count + 1)) + bad.mended.dropFirst() + "\n")
    #expect(try await workspace.report("items.yaml").total.inserted == 1)
    #expect(!workspace.exists("rejects.ndjson"))
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM ORDER BY Z_PK") == ["a", "b", "x"])
  }

  @Test(
    "a line that is no object is kept as text, so that the reject file stays valid",
    arguments: [
      (#"{"id":"x","name":"X""#, 21), (#"{"id":"x"} {"id":"y"}"#, 12), ("[1,2]", 1), ("5", 1),
    ])
  func notAnObject(record: String, column: Int) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.ndjson", record + "\n" + #"{"id":"b","name":"Banana"}"# + "\n")
    try ItemPipeline(source: "items.ndjson", rejects: "file: rejects.csv, limit: 1").write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, inserted: 1, rejected: 1))
    #expect(report.rejects.map(\.column) == [column])
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(workspace.bytes("rejects.ndjson"))) as? [String: Any])
    #expect(object["$record"] as? String == record)
    #expect((object["$reject"] as? [String: Any])?["line"] as? Int == 1)
  }

  @Test("a bad record that is an array keeps its elements under their positions, and can be fed back")
  func array() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.ndjson", #"["a","Apple",1]"# + "\n" + #"["x", "[\"X, Y\"]", {"n":[1]}]"# + "\n")
    var pipeline = ItemPipeline(source: "items.ndjson", rejects: "file: rejects.csv, limit: 1")
    pipeline.map = ["identifier: /0", "name: /1", "count: /2"]
    try pipeline.write(to: workspace)
    #expect(try await workspace.report("items.yaml").total == Report.Counts(read: 2, inserted: 1, rejected: 1))
    let kept = #","0":"x","1": "[\"X, Y\"]","2": {"n":[1]}}"# + "\n"
    let line = try workspace.text("rejects.ndjson")
    #expect(line.hasSuffix(kept))
    try workspace.write("items.ndjson", String(line.dropLast(kept.count)) + #","0":"x","1":"X","2":2}"# + "\n")
    pipeline.replace = "never"
    try pipeline.write(to: workspace)
    #expect(try await workspace.report("items.yaml").total.inserted == 1)
    #expect(
      try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZCOUNT FROM ZITEM ORDER BY Z_PK") == ["a|1", "x|2"])
  }
}
