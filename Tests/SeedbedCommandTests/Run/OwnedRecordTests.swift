import TestSupport
import Testing

/// Nested objects without `match` belong to their owner alone. Where one is a record's object too, what the record says
/// stays, whatever becomes of the owner.
@Suite("Nested objects without a key that are records too")
struct OwnedRecordTests {
  private static let entities = """
    <entity name="Person"><attribute name="ident" optional="YES" attributeType="Integer 64"/>
     <attribute name="name" optional="YES" attributeType="String"/>
     <relationship name="boss" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" inverseName="reports" inverseEntity="Person"/>
     <relationship name="reports" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" inverseName="boss" inverseEntity="Person"/>
     <relationship name="home" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Town" inverseName="people" inverseEntity="Town"/>
     \(ModelXML.unique("ident"))</entity>
    <entity name="Town"><attribute name="ident" optional="YES" attributeType="Integer 64"/>
     <relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" inverseName="home" inverseEntity="Person"/>
     \(ModelXML.unique("ident"))</entity>
    """

  private static let step = """
    entity: Person, match: ident,
        map: { ident: id, name: name, home: { match: ident, from: home },
               boss: { from: boss, map: { ident: id, name: name } },
               reports: { from: reports, map: { ident: id, name: name } } } }
    """

  /// One run of steps, each with its records.
  private func run(_ workspace: Workspace, _ steps: [[String]], towns: [Int] = []) async throws -> Report {
    for (index, records) in steps.enumerated() {
      try workspace.write("people\(index).ndjson", records.joined(separator: "\n") + "\n")
    }
    try workspace.write("towns.ndjson", towns.map { "{\"id\": \($0)}\n" }.joined())
    try workspace.write(
      "people.yaml",
      """
      model: M.xcdatamodel
      store: { path: M.sqlite, replace: never }
      rejects: { file: rejects.ndjson, limit: 10 }
      import:
      \(steps.indices.map { "  - { from: people\($0).ndjson, \(Self.step)" }.joined(separator: "\n"))
        - { from: towns.ndjson, entity: Town, match: ident, map: { ident: id } }

      """)
    return try await workspace.report("people.yaml")
  }

  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities)
    return workspace
  }

  private func people(_ workspace: Workspace) throws -> [String] {
    try workspace.query(
      "M.sqlite",
      "SELECT P.ZIDENT, P.ZNAME, B.ZIDENT FROM ZPERSON P LEFT JOIN ZPERSON B ON P.ZBOSS = B.Z_PK ORDER BY 1, 2")
  }

  private static let first = #"{"id": 1, "name": "a", "boss": {"id": 2, "name": "b"}}"#
  private static let record = #"{"id": 2, "name": "bea"}"#

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The steps of the second run.
    var steps: [[String]]
    var left: [String]
    var warns: Bool
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "the owner has it no more, in the same batch", steps: [[record, #"{"id": 1, "boss": null}"#]],
      left: ["1|a|∅", "2|bea|∅"], warns: true),
    Case(
      name: "the owner's record comes first", steps: [[#"{"id": 1, "boss": null}"#, record]],
      left: ["1|a|∅", "2|bea|∅"], warns: true),
    Case(
      name: "the owner has another one", steps: [[record, #"{"id": 1, "boss": {"id": 3, "name": "cy"}}"#]],
      left: ["1|a|3", "2|bea|∅", "3|cy|∅"], warns: true),
    Case(
      name: "in a later step", steps: [[record], [#"{"id": 1, "boss": null}"#]], left: ["1|a|∅", "2|bea|∅"],
      warns: true),
    Case(
      name: "the owner still has it", steps: [[first, record]], left: ["1|a|2", "2|bea|∅"], warns: false),
    Case(
      name: "no record is about it", steps: [[#"{"id": 1, "boss": null}"#]], left: ["1|a|∅"], warns: false),
    Case(
      name: "no record is about it, and another takes its place", steps: [[#"{"id": 1, "boss": {"id": 3}}"#]],
      left: ["1|a|3", "3|b|∅"], warns: false),
  ]

  @Test("stay with what the record says, and the run warns", arguments: cases)
  func replaced(_ example: Case) async throws {
    let workspace = try workspace()
    _ = try await run(workspace, [[Self.first]])
    let report = try await run(workspace, example.steps)
    #expect(report.exitCode == 0)
    #expect(try people(workspace) == example.left)
    #expect(
      report.warnings.contains { $0.hasPrefix("Person.boss: 1 nested object is also a record's") } == example.warns)
    // The same feed again changes nothing.
    _ = try await run(workspace, example.steps)
    #expect(try people(workspace) == example.left)
  }

  @Test("stay when a list is shorter or in another order")
  func lists() async throws {
    let workspace = try workspace()
    _ = try await run(workspace, [[#"{"id": 1, "reports": [{"id": 2}, {"id": 3}, {"id": 4}]}"#]])
    let next = [
      #"{"id": 2, "name": "bea"}"#, #"{"id": 3, "name": "cy"}"#,
      #"{"id": 1, "reports": [{"id": 5}, {"id": 3}]}"#,
    ]
    let report = try await run(workspace, [next])
    #expect(report.exitCode == 0)
    #expect(try people(workspace) == ["1|∅|∅", "2|bea|∅", "3|cy|1", "5|∅|1"])
    #expect(report.warnings.contains { $0.hasPrefix("Person.reports: 1 nested object is also a record's") })
  }

  @Test("stay when the owner's record is rejected at the end, and count once", arguments: [false, true])
  func rejected(isThere: Bool) async throws {
    let workspace = try workspace()
    let records = [#"{"id": 1, "name": "a", "home": 7, "boss": {"id": 2, "name": "b"}}"#, Self.record]
    let report = try await run(workspace, [records], towns: isThere ? [7] : [])
    #expect(report.total.rejected == (isThere ? 0 : 1))
    #expect(try people(workspace) == (isThere ? ["1|a|2", "2|bea|∅"] : ["2|bea|∅"]))
  }
}
