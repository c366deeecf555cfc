import Foundation
import Testing

/// `first()`: a value, or the key of a to-one relationship, from an array of a JSON record.
@Suite("The first element of an array")
struct FirstElementTests {
  private func run(_ name: String, _ text: String, map: [String], settings: [String] = []) async throws -> (
    workspace: Workspace, outcome: Tool.Outcome
  ) {
    let workspace = try Workspace.withModel()
    try workspace.write(name, text)
    try ItemPipeline(source: name, settings: settings, map: ["identifier: id"] + map).write(to: workspace)
    return (workspace, try await workspace.run("run", "--quiet", "items.yaml"))
  }

  @Test(
    "of what the field holds: the first element, the value itself, or nothing",
    arguments: [
      (#"["A","B"]"#, "A"), (#"[ "A" ]"#, "A"), (#"["a \"b\" \u00e4,]"]"#, "a \"b\" ä,]"), (#""plain""#, "plain"),
      (#"[7,8]"#, "7"), (#"[ 1.5 , 2]"#, "1.5"), ("[true]", "true"), ("12", "12"), ("[]", "none"), ("[ ]", "none"),
      ("[null,\"B\"]", "none"), ("null", "none"), (#"[""]"#, "none"), (#"["x",{"y":[1]}]"#, "x"),
      ("[12345678901234567890.123]", "12345678901234567890.123"),
    ])
  func values(json: String, expected: String) async throws {
    for name in ["items.json", "items.ndjson"] {
      let record = "{\"id\":\"a\",\"tags\":\(json)}\n"
      let (workspace, outcome) = try await run(
        name, name == "items.json" ? "[\(record)]" : record, map: ["name: first(tags) ?? \"none\""])
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM") == [expected])
    }
  }

  @Test("an empty array clears, and an absent field leaves the property as it is")
  func absence() async throws {
    let workspace = try Workspace.withModel()
    try ItemPipeline(
      source: "items.json",
      map: ["identifier: id", "name: id", "note: first(/more/notes)".quoted, "code: first(codes)"],
      replace: "never"
    ).write(to: workspace)
    for (text, note) in [(#"["n","m"]"#, "n"), ("[]", "∅")] {
      try workspace.write("items.json", #"[{"id":"a","more":{"notes":\#(text)},"codes":["AB1"]}]"#)
      #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
      #expect(try workspace.query("Shop.sqlite", "SELECT ZNOTE, ZCODE FROM ZITEM") == [note + "|AB1"])
      try workspace.write("items.json", #"[{"id":"a"}]"#)
      #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
      #expect(try workspace.query("Shop.sqlite", "SELECT ZNOTE, ZCODE FROM ZITEM") == [note + "|AB1"])
    }
  }

  @Test(
    "a to-one relationship takes its key from it, whatever the strategy",
    arguments: ["find-or-create", "upsert", "bulk"])
  func toOne(strategy: String) async throws {
    let (workspace, outcome) = try await run(
      "items.json",
      #"[{"id":"a","name":"A","in":[]},{"id":"b","name":"B","in":["a","x"]},{"id":"c","name":"C"},{"id":"d","name":"D","in":"b"}]"#,
      map: ["name: name", "parent: { match: identifier, from: first(in) }"], settings: ["strategy: \(strategy)"])
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let rows = try workspace.query(
      "Shop.sqlite",
      "SELECT i.ZIDENTIFIER, p.ZIDENTIFIER FROM ZITEM i LEFT JOIN ZITEM p ON p.Z_PK = i.ZPARENT ORDER BY 1")
    #expect(rows == ["a|∅", "b|a", "c|∅", "d|b"])
  }

  @Test("an object as the first element is a reject that says how to go on")
  func structured() async throws {
    for json in [#"[{"k":1}]"#, "[[1]]", #"{"k":1}"#] {
      let (_, outcome) = try await run(
        "items.json", "[{\"id\":\"a\",\"tags\":\(json)}]", map: ["name: first(tags)"])
      #expect(outcome.exitCode == 65)
      #expect(outcome.talk.contains("categories.0.name"), "\(outcome.talk)")
    }
  }
}

extension String {
  /// `property: expression` with the expression in quotes and its fields in backticks.
  fileprivate var quoted: String {
    let parts = components(separatedBy: ": first(")
    return "\(parts[0]): \"first(`\(parts[1].dropLast())`)\""
  }
}
