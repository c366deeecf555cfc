import Foundation
import PropertyLists
import TestSupport
import Testing

/// CSV out and in again with the settings that nothing states.
@Suite("CSV out and in again")
struct CSVRoundTripTests {
  private static let entities = """
      <entity name="Thing" representedClassName="Thing" syncable="YES">
        <attribute name="data" optional="YES" attributeType="Binary"/>
        <attribute name="day" optional="YES" attributeType="Date"/>
        <attribute name="flag" optional="YES" attributeType="Boolean"/>
        <attribute name="number" optional="YES" attributeType="Integer 64"/>
        <attribute name="ratio" optional="YES" attributeType="Float"/>
        <attribute name="text" optional="YES" attributeType="String"/>
        <attribute name="uuid" optional="YES" attributeType="UUID"/>
      </entity>
    """
  private static let names = ["data", "day", "flag", "number", "ratio", "text", "uuid"]

  private static func pipeline(_ source: String, _ store: String, columns: [String], out: String) -> String {
    let map = columns.map { "      \($0): \($0)" }.joined(separator: "\n")
    return """
      model: Things.xcdatamodeld
      store: { path: \(store) }
      import:
        - from: \(source)
          entity: Thing
          map:
      \(map)
      export:
        - { entity: Thing, to: \(out), columns: [\(columns.joined(separator: ", "))] }
      """
  }

  private static func records(_ count: Int, _ random: inout SeededGenerator) throws -> String {
    let texts = [
      "\"\"", "\"x\"", "\" \"", "\"a,b\"", "\"q\\\"\"", "\"l\\nm\"", "\"\\\\\"", "\"null\"", "\"0\"", "\"\\r\"",
    ]
    func pick(_ values: [String]) throws -> String { try #require((values + ["null"]).randomElement(using: &random)) }
    return try (0..<count).map { _ in
      [
        try "\"data\":" + pick(["\"\"", "\"AAEC\""]), try "\"day\":" + pick(["\"2026-01-31T12:00:00Z\""]),
        try "\"flag\":" + pick(["true", "false"]), try "\"number\":" + pick(["0", "-5", "9223372036854775807"]),
        try "\"ratio\":" + pick(["0", "1e-45", "3.4e38", "0.1"]), try "\"text\":" + pick(texts),
        try "\"uuid\":" + pick(["\"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11\""]),
      ].joined(separator: ",")
    }.map { "{\($0)}\n" }.joined()
  }

  @Test(
    "every value comes back, null as null and the empty text as the empty text", arguments: [names] + names.map { [$0] }
  )
  func roundTrip(columns: [String]) async throws {
    var random = SeededGenerator(seed: UInt64(columns.count))
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities, to: "Things.xcdatamodeld/Things.xcdatamodel")
    try workspace.write("first.ndjson", Self.records(60, &random))
    try workspace.write("a.yaml", Self.pipeline("first.ndjson", "A.sqlite", columns: columns, out: "a.csv"))
    try workspace.write("b.yaml", Self.pipeline("a.csv", "B.sqlite", columns: columns, out: "b.csv"))
    for name in ["a.yaml", "b.yaml"] {
      let outcome = try await workspace.run("run", name)
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
    }
    let list = columns.map { "typeof(Z\($0.uppercased())), quote(Z\($0.uppercased()))" }.joined(separator: ", ")
    let query = "SELECT \(list) FROM ZTHING ORDER BY Z_PK"
    #expect(try workspace.query("A.sqlite", query) == workspace.query("B.sqlite", query))
    #expect(try workspace.query("B.sqlite", query).count == 60)
    #expect(try workspace.bytes("a.csv") == workspace.bytes("b.csv"))
  }

  @Test(
    "a number that is not zero but would become it is a reject, and zero and the least numbers are not",
    arguments: [
      ("ratio", "1e-46", false), ("ratio", "-1e-400", false), ("ratio", "7e-46", false), ("ratio", "1e-45", true),
      ("ratio", "0e-999", true), ("ratio", "-0.0", true), ("number", "0", true),
    ])
  func underflow(column: String, value: String, isTaken: Bool) async throws {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities, to: "Things.xcdatamodeld/Things.xcdatamodel")
    try workspace.write("things.csv", "\(column)\n\(value)\n")
    try workspace.write("things.ndjson", "{\"\(column)\":\(value)}\n")
    for source in ["things.csv", "things.ndjson"] {
      try workspace.write("a.yaml", Self.pipeline(source, "A.sqlite", columns: [column], out: "a.csv"))
      let outcome = try await workspace.run("run", "a.yaml")
      #expect(outcome.exitCode == (isTaken ? 0 : 65))
      #expect(isTaken || outcome.talk.contains("\"\(value)\" is not zero, but too near to it for a Float"))
    }
  }

  @Test("columns: stands in for a header with names twice, without names, or without anything")
  func replacedHeader() async throws {
    let workspace = try Workspace.withModel()
    for header in ["x,x", ",", "\"\",\"\"", ""] {
      try workspace.write("items.csv", header + "\na,Apple\nb,Banana\n")
      try ItemPipeline(source: "{ path: items.csv, columns: [id, name] }", map: ["identifier: id", "name: name"])
        .write(to: workspace)
      #expect(try await workspace.report("items.yaml").total.inserted == 2)
      #expect(try await workspace.run("lint", "items.yaml").exitCode == 0)
    }
  }

  @Test("a backslash escapes quotes and itself inside quotes, and nothing else")
  func escape() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", #"id,name"# + "\n" + #""C:\new","say \"x\"""# + "\n" + #"D:\,a\nb"# + "\n")
    try ItemPipeline(source: "{ path: items.csv, escape: \"\\\\\" }", map: ["identifier: id", "name: name"])
      .write(to: workspace)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    #expect(
      try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZNAME FROM ZITEM ORDER BY Z_PK")
        == [#"C:\new|say "x""#, #"D:\|a\nb"#])
    try ItemPipeline(source: "{ path: items.csv, escape: '\"' }", map: ["identifier: id", "name: name"])
      .write(to: workspace)
    try workspace.write("items.csv", "id,name\n\"a\"\"b\",c\n")
    #expect(try await workspace.report("items.yaml").total.inserted == 1)
  }

  /// Archives whose content is shown as JSON only where an import makes the same of it.
  @Test("archived values come back as they were", arguments: ["ndjson", "csv"])
  func archives(format: String) async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      Self.entities.replacing("attributeType=\"Binary\"", with: "attributeType=\"Transformable\""),
      to: "Things.xcdatamodeld/Things.xcdatamodel")
    let contents: [ArchivedContent] = [
      .string("abcd"), .integer(42), .boolean(true), .real(1), .date(Date(timeIntervalSinceReferenceDate: 0.5)),
      .list([.string("a,\"b\"\n\u{FEFF}"), .integer(-1), .real(2.5), .boolean(false), .null]),
      .dictionary([.init(key: "k", value: .list([.dictionary([])]))]), .list([.date(Date(timeIntervalSince1970: 0))]),
      .set([.string("x")]), .list([.data(Data([1, 2]))]), .list([.real(1), .decimal(1)]),
    ]
    let archives = try contents.map { Data(try $0.archived()).base64EncodedString() } + ["AAEC"]
    let lines = archives.enumerated().map { "{\"number\":\($0),\"data\":\"\($1)\"}\n" }
    try workspace.write("first.ndjson", lines.joined())
    let columns = ["data", "number"]
    try workspace.write(
      "first.yaml", Self.pipeline("first.ndjson", "First.sqlite", columns: columns, out: "out.\(format)"))
    try workspace.write(
      "second.yaml", Self.pipeline("out.\(format)", "Second.sqlite", columns: columns, out: "again.\(format)"))
    for name in ["first.yaml", "second.yaml"] {
      let run = try await workspace.run("run", "--quiet", name)
      #expect(run.exitCode == 0, "\(run.talk)")
    }
    let rows = "SELECT ZNUMBER, hex(ZDATA) FROM ZTHING ORDER BY ZNUMBER"
    #expect(try workspace.query("Second.sqlite", rows) == workspace.query("First.sqlite", rows))
    #expect(try workspace.bytes("again.\(format)") == workspace.bytes("out.\(format)"))
    let text = try workspace.text("out.\(format)")
    #expect(text.contains(format == "csv" ? "[{}]}" : "{\"k\":[{}]}"))
  }
}
