import Foundation
import TestSupport
import Testing

/// A record that is rejected because what it refers to never comes leaves no trace, whatever else it names.
@Suite("Traces of rejected records")
struct RejectTraceTests {
  private static let entities = """
    <entity name="A"><attribute name="k" attributeType="String"/>
     <relationship name="one" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="B" inverseName="many" inverseEntity="B"/>
     <relationship name="pair" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="B" inverseName="riap" inverseEntity="B"/>
     <relationship name="mm" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="B" inverseName="nn" inverseEntity="B"/>
     <relationship name="om" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="B" inverseName="on" inverseEntity="B"/>
     <relationship name="par" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A" inverseName="kids" inverseEntity="A"/>
     <relationship name="kids" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="A" inverseName="par" inverseEntity="A"/>
     \(ModelXML.unique("k"))</entity>
    <entity name="B"><attribute name="k" attributeType="String"/><attribute name="v" optional="YES" attributeType="Integer 32"/>
     <relationship name="many" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="A" inverseName="one" inverseEntity="A"/>
     <relationship name="riap" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A" inverseName="pair" inverseEntity="A"/>
     <relationship name="nn" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="A" inverseName="mm" inverseEntity="A"/>
     <relationship name="on" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="A" inverseName="om" inverseEntity="A"/>
     \(ModelXML.unique("k"))</entity>
    """

  /// How a step of `A` maps a relationship: by a key, or with nested objects.
  static func keyed(_ name: String) -> String { "\(name): { match: k, from: \(name) }" }
  static func nested(_ name: String) -> String { "\(name): { from: \(name), match: k, map: { k: k, v: v } }" }

  static func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(entities)
    return workspace
  }

  private static func pipeline(
    _ store: String, _ map: [String], seeds: [(file: String, entity: String)], settings: String = ""
  ) -> String {
    let steps = seeds.map { seed in
      let properties = seed.entity == "B" ? ["v: v"] : map
      return "  - { from: \(seed.file), entity: \(seed.entity), match: k, map: { "
        + (["k: k"] + properties).joined(separator: ", ") + " } }"
    }
    return """
      model: M.xcdatamodel
      store: { path: \(store)\(settings) }
      rejects: { limit: 1000 }
      import:
      \(steps.joined(separator: "\n"))

      """
  }

  /// All that a store says, by keys.
  static func contents(_ workspace: Workspace, _ store: String) throws -> [String] {
    let join = try workspace.query(store, "SELECT name FROM sqlite_master WHERE name GLOB 'Z_1*M' ORDER BY name")
    var rows = try workspace.query(
      store,
      """
      SELECT 'A', a.ZK, p.ZK, o.ZK, r.ZK FROM ZA a LEFT JOIN ZA p ON p.Z_PK = a.ZPAR LEFT JOIN ZB o ON o.Z_PK = a.ZONE
      LEFT JOIN ZB r ON r.Z_PK = a.ZPAIR ORDER BY 2
      """)
    rows += try workspace.query(
      store, "SELECT 'B', b.ZK, b.ZV, a.ZK FROM ZB b LEFT JOIN ZA a ON a.Z_PK = b.ZRIAP ORDER BY 2")
    for table in join {
      let columns = try workspace.query(store, "SELECT name FROM pragma_table_info('\(table)')")
      let owner = try #require(columns.first { $0.hasPrefix("Z_1") })
      let member = try #require(columns.first { $0.hasPrefix("Z_2") && !$0.hasPrefix("Z_FOK") })
      let order = columns.first { $0 == "Z_FOK_\(member.dropFirst(2))" } ?? "b.ZK"
      rows += try workspace.query(
        store,
        """
        SELECT '\(table)', a.ZK, b.ZK FROM \(table) t JOIN ZA a ON a.Z_PK = t.\(owner) JOIN ZB b ON b.Z_PK = t.\(member)
        ORDER BY a.ZK, \(order)
        """)
    }
    return rows
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var map: [String]
    /// What the store holds before.
    var before: [String] = []
    var records: [String]
    /// Lines of the records that are rejected.
    var rejected: [Int]
    var later: [String] = []
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "a stored object that a rejected record nests stays", map: [nested("mm"), keyed("par")],
      before: [#"{"k":"a1","mm":[{"k":"b1","v":5}]}"#], records: [#"{"k":"a0","mm":[{"k":"b1","v":7}],"par":"zz"}"#],
      rejected: [1]),
    Case(
      name: "one that it nests by a to-one", map: [nested("one"), keyed("par")],
      before: [#"{"k":"a1","one":{"k":"b1","v":5}}"#], records: [#"{"k":"a0","one":{"k":"b1","v":7},"par":"zz"}"#],
      rejected: [1]),
    Case(
      name: "a good record before it nests the same new object", map: [nested("mm"), keyed("par")],
      records: [#"{"k":"a3","mm":[{"k":"b5","v":3}]}"#, #"{"k":"a4","mm":[{"k":"b5","v":4}],"par":"zz"}"#],
      rejected: [2]),
    Case(
      name: "a good record behind it nests the same new object", map: [nested("mm"), keyed("par")],
      records: [#"{"k":"a4","mm":[{"k":"b5","v":4}],"par":"zz"}"#, #"{"k":"a3","mm":[{"k":"b5","v":3}]}"#],
      rejected: [1]),
    Case(
      name: "the partner of a one-to-one stays with its object", map: [keyed("pair"), keyed("om")],
      before: [#"{"k":"a0","pair":"b0"}"#], records: [#"{"k":"a1","pair":"b0","om":["zz"]}"#], rejected: [1]),
    Case(
      name: "a free partner stays free", map: [keyed("pair"), keyed("om")],
      records: [#"{"k":"a1","pair":"b0","om":["zz"]}"#], rejected: [1]),
    Case(
      name: "members of a to-many with a to-one inverse stay where they are", map: [keyed("kids"), keyed("om")],
      before: [#"{"k":"a0","kids":["a5"]}"#, #"{"k":"a5"}"#], records: [#"{"k":"a1","kids":["a5"],"om":["zz"]}"#],
      rejected: [1]),
    Case(
      name: "what comes later makes records good that nest stored objects",
      map: [nested("mm"), keyed("par"), keyed("pair")],
      before: [#"{"k":"a9","mm":[{"k":"b1","v":5}],"pair":"b0"}"#],
      records: [#"{"k":"a0","mm":[{"k":"b1","v":7}],"par":"a2","pair":"b0"}"#, #"{"k":"a1","par":"a0"}"#], rejected: [],
      later: [#"{"k":"a2"}"#]),
    Case(
      name: "a circle of records that nest a stored object", map: [nested("mm"), keyed("par")],
      before: [#"{"k":"a9","mm":[{"k":"b1","v":5}]}"#],
      records: [
        #"{"k":"a0","mm":[{"k":"b1","v":7}],"par":"a1"}"#, #"{"k":"a1","mm":[{"k":"b1","v":7}],"par":"a0"}"#,
        #"{"k":"a2","mm":[{"k":"b1","v":7}],"par":"a2"}"#, #"{"k":"a3","mm":[{"k":"b1","v":8}],"par":"zz"}"#,
        #"{"k":"a4","mm":[{"k":"b1","v":8}],"par":"a3"}"#,
      ], rejected: [4, 5]),
    Case(
      name: "a record whose parent is rejected leaves what it nests as it was", map: [nested("mm"), keyed("par")],
      records: [
        #"{"k":"a9","mm":[{"k":"b1","v":5}]}"#, #"{"k":"a0","par":"zz"}"#,
        #"{"k":"a1","mm":[{"k":"b1","v":99}],"par":"a0"}"#,
      ], rejected: [2, 3]),
    Case(
      name: "so does one whose parent comes behind it", map: [nested("mm"), keyed("par")],
      before: [#"{"k":"a9","mm":[{"k":"b1","v":5}]}"#],
      records: [#"{"k":"a0","mm":[{"k":"b1","v":99}],"par":"a1"}"#, #"{"k":"a1","par":"zz"}"#], rejected: [1, 2]),
    Case(
      name: "a circle of a record that is written and one that is held", map: [nested("mm"), keyed("par")],
      before: [#"{"k":"a9","mm":[{"k":"b1","v":5}]}"#],
      records: [#"{"k":"a0","par":"a1"}"#, #"{"k":"a1","mm":[{"k":"b1","v":7}],"par":"a0"}"#], rejected: []),
  ]

  @Test("rows of several entities that go with a rejected record go in the same order each time")
  func sameBytes() async throws {
    let workspace = try Self.workspace()
    try workspace.write("a.ndjson", #"{"k":"a0","mm":[{"k":"b0","v":1},{"k":"b1","v":2}],"par":"zz"}"# + "\n")
    try workspace.write(
      "a.yaml",
      Self.pipeline(
        "A.sqlite", [Self.nested("mm"), Self.keyed("par")], seeds: [("a.ndjson", "A")],
        settings: ", uuid: 6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11"))
    // Each process hashes in another order.
    var stores: Set<[UInt8]> = []
    for _ in 0..<6 {
      #expect(try await workspace.run("run", "--quiet", "a.yaml").exitCode == 1)
      stores.insert(try workspace.bytes("A.sqlite"))
    }
    #expect(stores.count == 1)
  }

  @Test(
    "of records of two steps that have one key, the last one counts, also where the first is held back",
    arguments: ["a9", "zz"], [1, 2, 3])
  func heldKeys(parent: String, count: Int) async throws {
    let workspace = try Self.workspace()
    try workspace.write("b.ndjson", (0..<5).map { #"{"k":"b\#($0)","v":0}"# + "\n" }.joined())
    // Held: it nests a stored object, and its parent is not there yet.
    try workspace.write("first.ndjson", #"{"k":"a0","mm":[{"k":"b4","v":7}],"par":"\#(parent)","one":"b0"}"# + "\n")
    var steps = "  - { from: b.ndjson, entity: B, match: k, map: { k: k, v: v } }\n"
    steps += "  - { from: first.ndjson, entity: A, match: k, map: { k: k, \(Self.nested("mm")), \(Self.keyed("par")), "
    steps += "\(Self.keyed("one")) } }\n"
    for number in 1...count {
      try workspace.write("more\(number).ndjson", #"{"k":"a0","one":"b\#(number)"}"# + "\n")
      steps += "  - { from: more\(number).ndjson, entity: A, match: k, map: { k: k, \(Self.keyed("one")) } }\n"
    }
    try workspace.write("last.ndjson", #"{"k":"a9"}"# + "\n")
    steps += "  - { from: last.ndjson, entity: A, match: k, map: { k: k } }\n"
    try workspace.write(
      "p.yaml", "model: M.xcdatamodel\nstore: { path: S.sqlite }\nrejects: { limit: 9 }\nimport:\n\(steps)")
    let report = try await workspace.report("p.yaml")
    #expect(report.total.rejected == (parent == "zz" ? 1 : 0))
    #expect(
      try workspace.query("S.sqlite", "SELECT b.ZK FROM ZA a JOIN ZB b ON b.Z_PK = a.ZONE WHERE a.ZK = 'a0'")
        == ["b\(count)"])
    #expect(
      try workspace.query("S.sqlite", "SELECT p.ZK FROM ZA a JOIN ZA p ON p.Z_PK = a.ZPAR WHERE a.ZK = 'a0'")
        == (parent == "zz" ? [] : ["a9"]))
    #expect(try workspace.query("S.sqlite", "SELECT ZV FROM ZB WHERE ZK = 'b4'") == [parent == "zz" ? "0" : "7"])
  }

  @Test("the store is as if the rejected records had not been there", arguments: cases, ["", ", write: in-place"])
  func noTrace(_ test: Case, writing: String) async throws {
    let workspace = try Self.workspace()
    try workspace.write("b.ndjson", #"{"k":"b0","v":0}"# + "\n" + #"{"k":"b1","v":0}"# + "\n")
    var results: [[String]] = []
    for (store, leftOut) in [("all.sqlite", Set<Int>()), ("good.sqlite", Set(test.rejected))] {
      let settings = ", replace: never" + writing
      func lines(_ records: [String]) -> String { records.map { $0 + "\n" }.joined() }
      try workspace.write("before.ndjson", lines(test.before))
      try workspace.write("later.ndjson", lines(test.later))
      try workspace.write(
        "a.ndjson", lines(test.records.enumerated().filter { !leftOut.contains($0.offset + 1) }.map(\.element)))
      let first = [("b.ndjson", "B"), ("before.ndjson", "A")]
      try workspace.write("p.yaml", Self.pipeline(store, test.map, seeds: first, settings: ", replace: never"))
      #expect(try await workspace.report("p.yaml").exitCode == 0)
      try workspace.write(
        "p.yaml",
        Self.pipeline(store, test.map, seeds: [("a.ndjson", "A"), ("later.ndjson", "A")], settings: settings))
      let report = try await workspace.report("p.yaml")
      #expect(report.exitCode == (leftOut.isEmpty && !test.rejected.isEmpty ? 1 : 0))
      #expect(report.steps.allSatisfy { $0.counts.sum == $0.counts.read })
      if leftOut.isEmpty { #expect(report.rejects.map(\.line).sorted() == test.rejected) }
      results.append(try Self.contents(workspace, store))
      #expect(try await workspace.run("check", store, "--strict").exitCode == 0)
    }
    #expect(results[0] == results[1])
  }

  @Test("a good record of a later step keeps the nested object that a rejected one brought first")
  func laterStep() async throws {
    let workspace = try Self.workspace()
    try workspace.write("a.ndjson", #"{"k":"a4","mm":[{"k":"b5","v":4}],"par":"zz"}"# + "\n")
    try workspace.write("c.ndjson", #"{"k":"a3","mm":[{"k":"b5","v":3}]}"# + "\n")
    let seeds = [("a.ndjson", "A"), ("c.ndjson", "A")]
    try workspace.write("p.yaml", Self.pipeline("s.sqlite", [Self.nested("mm"), Self.keyed("par")], seeds: seeds))
    let report = try await workspace.report("p.yaml")
    #expect(report.total.rejected == 1 && report.total.sum == report.total.read)
    let contents = try Self.contents(workspace, "s.sqlite")
    #expect(
      contents.contains { $0.hasPrefix("B|b5|3|") } && contents.contains { $0.hasSuffix("MM|a3|b5") }, "\(contents)")
  }

  @Test(
    "a list keeps its order where members come in several steps, and some never", arguments: ["", ", replace: never"])
  func lists(settings: String) async throws {
    let workspace = try Self.workspace()
    try workspace.write("b.ndjson", #"{"k":"b0"}"# + "\n" + #"{"k":"b1"}"# + "\n")
    try workspace.write(
      "a.ndjson", #"{"k":"a0","om":["b0","zz","c0","b1","d0"]}"# + "\n" + #"{"k":"a1","om":["b1","b0"]}"# + "\n")
    try workspace.write("c.ndjson", #"{"k":"c0"}"# + "\n")
    try workspace.write("d.ndjson", #"{"k":"d0"}"# + "\n")
    try workspace.write(
      "p.yaml",
      Self.pipeline(
        "s.sqlite", [#"om: { match: k, from: om, missing: "null" }"#],
        seeds: [("b.ndjson", "B"), ("a.ndjson", "A"), ("c.ndjson", "B"), ("d.ndjson", "B")], settings: settings))
    #expect(try await workspace.report("p.yaml").exitCode == 0)
    let lists = try Self.contents(workspace, "s.sqlite").filter { $0.hasPrefix("Z_1") }
    #expect(
      lists.map { $0.split(separator: "|").dropFirst().joined(separator: " ") } == [
        "a0 b0", "a0 c0", "a0 b1", "a0 d0", "a1 b1", "a1 b0",
      ])
  }

  @Test("random feeds: the store is as if the rejected records had not been there", arguments: 0..<40)
  func random(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let workspace = try Self.workspace()
    func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    func chance(_ percent: Int) -> Bool { pick(1...100) <= percent }
    let nestsMany = chance(60)
    let map = [
      nestsMany ? Self.nested("mm") : Self.keyed("mm"), chance(50) ? Self.nested("one") : Self.keyed("one"),
      Self.keyed("pair"), Self.keyed("om"), Self.keyed("par"),
    ]
    /// A reference to one of the first objects of an entity; now and then to none.
    func b() -> String { chance(4) ? "zz" : "b\(pick(0...9))" }
    func shown(_ key: String, isNested: Bool) -> String {
      isNested ? #"{"k":"\#(key == "zz" ? "b99" : key)","v":1}"# : #""\#(key)""#
    }
    var partners = Array(0...9).shuffled(using: &generator)
    func record(_ key: String) -> String {
      var fields = [#""k":"\#(key)""#]
      if chance(50) {
        fields.append(
          #""mm":[\#((0..<pick(0...3)).map { _ in shown(b(), isNested: nestsMany) }.joined(separator: ","))]"#)
      }
      if chance(40) { fields.append(#""one":\#(shown(b(), isNested: map[1].contains("map")))"#) }
      if chance(30), let partner = partners.popLast() { fields.append(#""pair":"b\#(partner)""#) }
      if chance(30) {
        fields.append(
          #""om":[\#(Set((0..<pick(0...3)).map { _ in b() }).sorted().map { #""\#($0)""# }.joined(separator: ","))]"#)
      }
      if chance(50) { fields.append(#""par":"\#(chance(10) ? "zz" : "a\(pick(0...14))")""#) }
      return "{" + fields.joined(separator: ",") + "}"
    }
    let records = Array(0...14).shuffled(using: &generator).map { record("a\($0)") }
    let split = pick(0...14)
    let stored = (0..<pick(0...4)).map { record("s\($0)") }.map {
      $0.replacingOccurrences(of: "\"zz\"", with: "\"b0\"")
    }
    .map { $0.replacingOccurrences(of: #","par":"[^"]*""#, with: "", options: .regularExpression) }
    try workspace.write("b0.ndjson", (0...5).map { #"{"k":"b\#($0)","v":1}"# + "\n" }.joined())
    try workspace.write("b1.ndjson", (6...9).map { #"{"k":"b\#($0)","v":1}"# + "\n" }.joined())
    try workspace.write("s.ndjson", stored.map { $0 + "\n" }.joined())
    let isSplit = chance(50)

    func run(_ store: String, without rejected: Set<String>) async throws -> Report {
      func lines(_ records: [String]) -> String { records.map { (rejected.contains($0) ? "" : $0) + "\n" }.joined() }
      try workspace.write("a.ndjson", lines(isSplit ? Array(records[..<split]) : records))
      try workspace.write("c.ndjson", lines(isSplit ? Array(records[split...]) : []))
      let first = [("b0.ndjson", "B"), ("b1.ndjson", "B"), ("s.ndjson", "A")]
      try workspace.write("p.yaml", Self.pipeline(store, map, seeds: first, settings: ", replace: never"))
      _ = try await workspace.report("p.yaml")
      try workspace.write(
        "p.yaml",
        Self.pipeline(store, map, seeds: [("a.ndjson", "A"), ("c.ndjson", "A")], settings: ", replace: never"))
      return try await workspace.report("p.yaml")
    }

    let report = try await run("all.sqlite", without: [])
    #expect(report.steps.allSatisfy { $0.counts.sum == $0.counts.read })
    let refused = report.rejects.map { reject in
      let file =
        reject.file.hasSuffix("c.ndjson") ? Array(records[split...]) : isSplit ? Array(records[..<split]) : records
      return file[reject.line - 1]
    }
    let again = try await run("good.sqlite", without: Set(refused))
    #expect(again.rejects.isEmpty, "\(refused)")
    #expect(try Self.contents(workspace, "all.sqlite") == Self.contents(workspace, "good.sqlite"), "\(refused)")
    #expect(try await workspace.run("check", "all.sqlite", "--strict").exitCode == 0)
  }
}
