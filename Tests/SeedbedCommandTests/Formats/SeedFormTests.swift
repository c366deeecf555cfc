import Foundation
import Testing

/// Seeds in forms that need a setting, or that a spreadsheet or an editor wrote.
@Suite("Forms of seeds")
struct SeedFormTests {
  private static let map = ["identifier: id", "name: name"]

  private func run(
    _ source: String, _ name: String, _ bytes: [UInt8], map: [String] = map,
    rejects: String = "file: rejects.csv, limit: 0"
  ) async throws -> (workspace: Workspace, outcome: Tool.Outcome) {
    let workspace = try Workspace.withModel()
    try workspace.write(name, bytes)
    try ItemPipeline(source: source, map: map, rejects: rejects).write(to: workspace)
    return (workspace, try await workspace.run("run", "items.yaml"))
  }

  private func names(_ workspace: Workspace) throws -> [String] {
    try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM ORDER BY ZIDENTIFIER")
  }

  @Test(
    "delimiters of several characters, lines above the header, and a line that states the delimiter",
    arguments: [
      ("{ path: items.csv, delimiter: \"||\" }", "id||name\na||A|B\nb||\"C||D\"\n", ["A|B", "C||D"]),
      ("{ path: items.csv, skip-lines: 2 }", "Items\n\"as of 2026\nid,name\na,A\nb,B\n", ["A", "B"]),
      ("items.csv", "sep=;\r\nid;name\r\na;A,1\r\nb;B\r\n", ["A,1", "B"]),
      ("{ path: items.csv, skip-lines: 1 }", "Items\nsep=\t\nid\tname\na\tA\nb\tB\n", ["A", "B"]),
      (
        "{ path: items.json, lenient: true }",
        "// Items\n[{\"id\":\"a\",\"name\":\"A//\",},\n/* no */{\"id\":\"b\",\"name\":\"B\"},]", ["A//", "B"]
      ),
      (
        "{ path: items.ndjson, lenient: true }",
        "{\"id\":\"a\",\"name\":\"A\",} // x\n// y\n{\"id\":\"b\",\"name\":\"B\"}\n", ["A", "B"]
      ),
    ])
  func forms(source: String, text: String, expected: [String]) async throws {
    let name = source.contains(".ndjson") ? "items.ndjson" : source.contains(".json") ? "items.json" : "items.csv"
    let (workspace, outcome) = try await run(source, name, Array(text.utf8))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try names(workspace) == expected)
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 0)
  }

  @Test(
    "rejects are written as the source is, and the same step reads them once they are mended",
    arguments: [
      ("delimiter: \"||\"", "id||name||small\na||A||1\nb||B||x\n"),
      ("skip-lines: 1", "Items\nid,name,small\na,A,1\nb,B,x\n"),
      ("header: true", "sep=;\nid;name;small\na;A;1\nb;B;x\n"),
    ])
  func rejects(setting: String, text: String) async throws {
    let (workspace, outcome) = try await run(
      "{ path: items.csv, \(setting) }", "items.csv", Array(text.utf8), map: Self.map + ["small: small"],
      rejects: "file: rejects.csv, limit: 5")
    #expect(outcome.exitCode == 1, "\(outcome)")
    let again = try await workspace.run("run", "items.yaml")
    #expect(again.exitCode == 1, "\(again)")
    let rejects = try workspace.text("rejects.csv")
    try workspace.write(
      "items.csv",
      rejects.replacing("B||x\n", with: "B||2\n").replacing("B,x\n", with: "B,2\n")
        .replacing("B;x\n", with: "B;2\n"))
    let mended = try await workspace.run("run", "items.yaml")
    #expect(mended.exitCode == 0, "\(mended) \(rejects)")
    #expect(try names(workspace) == ["B"])
  }

  @Test(
    "settings that cannot be are refused",
    arguments: [
      ("{ path: items.csv, delimiter: '\\t' }", "write delimiter: \"\\t\""),
      ("{ path: items.csv, delimiter: \"123456789\" }", "one to eight ASCII characters"),
      ("{ path: items.csv, delimiter: \"→\" }", "one to eight ASCII characters"),
      ("{ path: items.csv, delimiter: 'x\"' }", "the quote is part of"),
      ("{ path: items.csv, lenient: true }", "means nothing for format csv"),
      ("{ path: items.json, skip-lines: 1 }", "means nothing for format json"),
      ("{ path: items.plist, lenient: true }", "means nothing for format plist"),
    ])
  func refused(source: String, words: String) async throws {
    let (_, outcome) = try await run(source, "items.csv", Array("id,name\n".utf8))
    #expect(outcome.exitCode == 78, "\(outcome)")
    #expect(outcome.talk.contains(words), "\(outcome.talk)")
  }

  @Test(
    "property lists, in XML and binary, with typed values",
    arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func propertyLists(format: PropertyListSerialization.PropertyListFormat) async throws {
    let list: [[String: Any]] = [
      ["id": "a", "name": "Zoë", "small": 7, "ratio": 0.1], ["id": "b", "name": "B", "small": 99999],
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: ["items": list], format: format, options: 0)
    let (workspace, outcome) = try await run(
      "{ path: items.plist, pointer: /items }", "items.plist", Array(data),
      map: Self.map + ["small: small", "ratio: ratio"], rejects: "file: rejects.csv, limit: 5")
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME, ZSMALL, ZRATIO FROM ZITEM") == ["Zoë|7|0.1"])
    let rejects = try workspace.text("rejects.ndjson")
    #expect(rejects.contains("\"line\":2"), "\(rejects)")
    #expect(rejects.contains("\"pointer\":\"/items/1/small\""), "\(rejects)")
    try workspace.write("items.plist", Array(data.dropLast(40)))
    let damaged = try await workspace.run("run", "items.yaml")
    #expect(damaged.exitCode == 65, "\(damaged)")
    #expect(damaged.talk.contains("items.plist"), "\(damaged.talk)")
  }

  @Test("an array where one value is expected: the message offers its first element")
  func firstOfArray() async throws {
    let text = "[{\"id\":\"a\",\"name\":[\"A\",\"B\"]}]"
    let (_, outcome) = try await run("items.json", "items.json", Array(text.utf8))
    #expect(outcome.exitCode == 65)
    #expect(outcome.talk.contains("name.0"), "\(outcome.talk)")
    let (workspace, first) = try await run(
      "items.json", "items.json", Array(text.utf8), map: ["identifier: id", "name: name.0"])
    #expect(first.exitCode == 0, "\(first)")
    #expect(try names(workspace) == ["A"])
  }

  @Test("a to-one relationship from an array names an element of it")
  func toOneFromArray() async throws {
    let text = "[{\"id\":\"a\",\"name\":\"A\",\"in\":[]},{\"id\":\"b\",\"name\":\"B\",\"in\":[\"a\",\"x\"]}]"
    let (_, outcome) = try await run(
      "items.json", "items.json", Array(text.utf8), map: Self.map + ["parent: { match: identifier, from: in }"])
    #expect(outcome.exitCode == 65)
    #expect(outcome.talk.contains("in.0"), "\(outcome.talk)")
    let (workspace, first) = try await run(
      "items.json", "items.json", Array(text.utf8), map: Self.map + ["parent: { match: identifier, from: in.0 }"])
    #expect(first.exitCode == 0, "\(first)")
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM ZITEM WHERE ZPARENT IS NOT NULL") == ["1"])
  }

  @Test("objects where the keys of a to-many relationship are expected: the message says how to take them")
  func keysOfObjects() async throws {
    let text = "[{\"id\":\"b\",\"name\":\"B\",\"in\":[]},{\"id\":\"a\",\"name\":\"A\",\"in\":[{\"id\":\"b\"}]}]"
    let (_, outcome) = try await run(
      "items.json", "items.json", Array(text.utf8), map: Self.map + ["children: { match: identifier, from: in }"])
    #expect(outcome.exitCode == 65)
    #expect(outcome.talk.contains("write { from: in, match: identifier, map: { identifier: id } }"), "\(outcome.talk)")
    let (workspace, good) = try await run(
      "items.json", "items.json", Array(text.utf8),
      map: Self.map + ["children: { from: in, match: identifier, map: { identifier: id } }"])
    #expect(good.exitCode == 0, "\(good)")
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM ZITEM WHERE ZPARENT IS NOT NULL") == ["1"])
  }
}
