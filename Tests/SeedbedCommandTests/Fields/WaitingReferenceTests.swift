import TestSupport
import Testing

/// References that wait for objects of later records, and what is judged too early or left behind meanwhile.
@Suite("References that wait")
struct WaitingReferenceTests {
  private static let code = "<attribute name=\"code\" optional=\"YES\" attributeType=\"String\"/>"

  private func workspace(_ entities: String, _ steps: String, _ files: [String: [String]]) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(entities.replacing("CODE", with: Self.code))
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: S.sqlite, replace: never }\nrejects: { limit: 99 }\nimport:\n\(steps)\n")
    try write(files, to: workspace)
    return workspace
  }

  private func write(_ files: [String: [String]], to workspace: Workspace) throws {
    for (name, records) in files { try workspace.write(name, records.map { $0 + "\n" }.joined()) }
  }

  private func requireSound(_ workspace: Workspace) async throws {
    let check = try await workspace.run("check", "S.sqlite", "--strict", "--model", "M.xcdatamodel")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("a ring of mandatory one-to-one references may lead through sub-entities", arguments: [true, false])
  func ring(isReversed: Bool) async throws {
    let steps = ["N1", "N2"].map {
      "- { from: \($0).ndjson, entity: \($0), match: code, map: { code: code, next: { match: code, from: next } } }"
    }
    let workspace = try workspace(
      """
      <entity name="N">CODE<relationship name="next" maxCount="1" destinationEntity="N" inverseName="previous"/>
      <relationship name="previous" optional="YES" maxCount="1" destinationEntity="N" inverseName="next"/></entity>
      <entity name="N1" parentEntity="N"/><entity name="N2" parentEntity="N"/>
      """, (isReversed ? steps.reversed() : steps).joined(separator: "\n"),
      ["N1.ndjson": [#"{"code":"x","next":"y"}"#], "N2.ndjson": [#"{"code":"y","next":"x"}"#]])
    #expect(try await workspace.report("p.yaml").total == Report.Counts(read: 2, inserted: 2))
    #expect(
      try workspace.query(
        "S.sqlite",
        "SELECT a.ZCODE, b.ZCODE, b.ZPREVIOUS = a.Z_PK FROM ZN a JOIN ZN b ON b.Z_PK = a.ZNEXT ORDER BY 1")
        == ["x|y|1", "y|x|1"])
    try await requireSound(workspace)
  }

  @Test("an object that waits for its own mandatory destination may be another's", arguments: [true, false])
  func destination(ownersFirst: Bool) async throws {
    let steps = [
      "- { from: a.ndjson, entity: A, match: code, map: { code: code, home: { match: code, from: home } } }",
      "- { from: b.ndjson, entity: B, match: code, map: { code: code, visitor: { match: code, from: visitor } } }",
    ]
    let workspace = try workspace(
      """
      <entity name="A">CODE<relationship name="home" maxCount="1" destinationEntity="B" inverseName="owner"/>
      <relationship name="guest" optional="YES" maxCount="1" destinationEntity="B" inverseName="visitor"/></entity>
      <entity name="B">CODE<relationship name="owner" optional="YES" maxCount="1" destinationEntity="A" inverseName="home"/>
      <relationship name="visitor" optional="YES" maxCount="1" destinationEntity="A" inverseName="guest"/></entity>
      """, (ownersFirst ? steps : steps.reversed()).joined(separator: "\n"),
      ["a.ndjson": [#"{"code":"a","home":"b"}"#], "b.ndjson": [#"{"code":"b","visitor":"a"}"#]])
    #expect(try await workspace.report("p.yaml").total == Report.Counts(read: 2, inserted: 2))
    #expect(
      try workspace.query("S.sqlite", "SELECT ZHOME, ZGUEST, ZOWNER, ZVISITOR FROM ZA, ZB") == ["1|1|1|1"])
    try await requireSound(workspace)
  }

  @Test("a held record that a later one supersedes leaves the entity of a destination as it is")
  func superseded() async throws {
    let workspace = try workspace(
      """
      <entity name="P">CODE<relationship name="children" optional="YES" toMany="YES" destinationEntity="X" inverseName="parent"/></entity>
      <entity name="P1" parentEntity="P"/><entity name="P2" parentEntity="P"/>
      <entity name="X">CODE<relationship name="parent" optional="YES" maxCount="1" destinationEntity="P" inverseName="children"/>
      <relationship name="city" optional="YES" maxCount="1" destinationEntity="C"/>
      \(ModelXML.unique("code"))</entity>
      <entity name="C">CODE</entity>
      """,
      """
      - { from: x.ndjson, entity: X, match: code, map: { code: code, parent: { match: code, from: parent }, city: { match: code, from: city } } }
      - { from: p1.ndjson, entity: P1, match: code, map: { code: code, children: { match: code, from: children } } }
      - { from: p2.ndjson, entity: P2, match: code, map: { code: code } }
      - { from: c.ndjson, entity: C, match: code, map: { code: code } }
      """,
      [
        "x.ndjson": [#"{"code":"x","parent":"p"}"#], "p1.ndjson": [#"{"code":"p"}"#], "p2.ndjson": [#"{"code":"q"}"#],
        "c.ndjson": [],
      ])
    #expect(try await workspace.report("p.yaml").total.inserted == 3)
    try write(
      [
        "x.ndjson": [#"{"code":"x","parent":"q","city":"c"}"#], "p1.ndjson": [#"{"code":"p","children":["x"]}"#],
        "p2.ndjson": [], "c.ndjson": [#"{"code":"c"}"#],
      ], to: workspace)
    _ = try await workspace.report("p.yaml")
    try await requireSound(workspace)
    #expect(
      try workspace.query("S.sqlite", "SELECT p.ZCODE, p.Z_ENT = x.Z2_PARENT FROM ZX x JOIN ZP p ON p.Z_PK = x.ZPARENT")
        == ["p|1"])
  }

  @Test(
    "on-match: fail does not refuse a record because of one that is rejected itself",
    arguments: ["upsert", "find-or-create"])
  func refusedMatch(strategy: String) async throws {
    let workspace = try workspace(
      """
      <entity name="Item">CODE<attribute name="number" optional="YES" attributeType="Integer 32"/>
      <relationship name="city" optional="YES" maxCount="1" destinationEntity="City"/>
      \(ModelXML.unique("code"))</entity>
      <entity name="City">CODE</entity>
      """,
      """
      - { from: cities.ndjson, entity: City, match: code, map: { code: code } }
      - { from: one.ndjson, name: one, entity: Item, match: code, strategy: \(strategy), map: { code: code, number: n, city: { match: code, from: city } } }
      - { from: two.ndjson, name: two, entity: Item, match: code, strategy: \(strategy), on-match: fail, map: { code: code, number: n } }
      """,
      [
        "cities.ndjson": [#"{"code":"c"}"#],
        "one.ndjson": [#"{"code":"a","n":1,"city":"none"}"#, #"{"code":"b","n":1,"city":"c"}"#],
        "two.ndjson": [#"{"code":"a","n":2}"#, #"{"code":"b","n":2}"#],
      ])
    #expect(try await workspace.report("p.yaml").total == Report.Counts(read: 5, inserted: 3, rejected: 2))
    #expect(try workspace.query("S.sqlite", "SELECT ZCODE, ZNUMBER FROM ZITEM ORDER BY 1") == ["a|2", "b|1"])
  }

  @Test("a record that is rejected with its new members of many leaves the store as it is")
  func untouched() async throws {
    let workspace = try workspace(
      """
      <entity name="Item">CODE<relationship name="boss" optional="YES" maxCount="1" destinationEntity="Item"/>
      <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" inverseName="items"/></entity>
      <entity name="Tag">CODE<relationship name="items" optional="YES" toMany="YES" destinationEntity="Item" inverseName="tags"/></entity>
      """,
      "- { from: i.ndjson, entity: Item, match: code, map: { code: code, boss: { match: code, from: boss }, tags: { from: tags, match: code, map: { code: code } } } }",
      ["i.ndjson": [#"{"code":"a","tags":[{"code":"x"}]}"#]])
    #expect(try await workspace.report("p.yaml").total.inserted == 1)
    let before = try workspace.bytes("S.sqlite")
    try write(["i.ndjson": [#"{"code":"b","boss":"nobody","tags":[{"code":"x"},{"code":"y"}]}"#]], to: workspace)
    #expect(try await workspace.report("p.yaml").total.rejected == 1)
    #expect(try workspace.bytes("S.sqlite") == before)
    // A new member of an object that is there is a change.
    try write(["i.ndjson": [#"{"code":"a","tags":[{"code":"x"},{"code":"y"}]}"#]], to: workspace)
    #expect(try await workspace.report("p.yaml").total.updated == 1)
    #expect(try workspace.query("S.sqlite", "SELECT count(*) FROM Z_1TAGS") == ["2"])
  }

  @Test("nested objects of records that are rejected late are not counted", arguments: ["", "match: code, "])
  func nestedCounts(match: String) async throws {
    let workspace = try workspace(
      """
      <entity name="Item">CODE<relationship name="boss" optional="YES" maxCount="1" destinationEntity="Item"/>
      <relationship name="parts" optional="YES" toMany="YES" destinationEntity="Part" inverseName="item"/></entity>
      <entity name="Part">CODE<relationship name="item" optional="YES" maxCount="1" destinationEntity="Item" inverseName="parts"/></entity>
      """,
      "- { from: i.ndjson, entity: Item, match: code, map: { code: code, boss: { match: code, from: boss }, parts: { from: parts, \(match)map: { code: code } } } }",
      [
        "i.ndjson": [
          #"{"code":"a","parts":[{"code":"x"}]}"#, #"{"code":"b","boss":"nobody","parts":[{"code":"y"},{"code":"y"}]}"#,
        ]
      ])
    for expected in [1, 0] {
      let report = try await workspace.report("p.yaml")
      #expect(report.total.rejected == 1 && report.steps[0].nestedInserted == expected)
      #expect(try workspace.query("S.sqlite", "SELECT count(*) FROM ZPART") == ["1"])
    }
  }
}
