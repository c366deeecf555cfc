import Foundation
import TestSupport
import Testing

/// Records that wait for others are written as if all they need had been there at once: where several records are about
/// one object, the last one counts.
@Suite("The order of records that wait")
struct WaitingOrderTests {
  struct Step: Sendable {
    var entity = "A"
    var map: [String]
    var records: [String]
  }

  private static let keyed = RejectTraceTests.keyed
  private static let nested = RejectTraceTests.nested
  /// Objects without values, which some steps refer to.
  private static let bare = [
    Step(map: [], records: (0...9).map { #"{"k":"a\#($0)"}"# }),
    Step(entity: "B", map: [], records: (0...9).map { #"{"k":"b\#($0)"}"# }),
  ]

  private static func run(
    _ workspace: Workspace, _ store: String, _ steps: [Step], settings: String = ""
  ) async throws -> Report {
    var text = "model: M.xcdatamodel\nstore: { path: \(store)\(settings) }\nrejects: { limit: 1000 }\nimport:\n"
    for (index, step) in steps.enumerated() {
      try workspace.write("\(index).ndjson", step.records.map { $0 + "\n" }.joined())
      text += "  - { from: \(index).ndjson, entity: \(step.entity), match: k, map: { "
      text += (["k: k"] + step.map).joined(separator: ", ") + " } }\n"
    }
    try workspace.write("p.yaml", text)
    let report = try await workspace.report("p.yaml")
    #expect(report.steps.allSatisfy { $0.counts.sum == $0.counts.read })
    return report
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// What the store holds before.
    var before: [Step] = []
    var steps: [Step]
    var testDescription: String { name }
  }

  /// Two records that claim one object, of which the first waits.
  private static let twoClaims = Step(
    entity: "B", map: [keyed("riap"), keyed("nn")],
    records: [#"{"k":"b0","riap":"a0","nn":["a1"]}"#, #"{"k":"b1","riap":"a0"}"#])

  static let cases: [Case] = [
    Case(
      name: "a record that nests an object whose own record waits comes after that",
      before: [Step(entity: "B", map: ["v: v"], records: [#"{"k":"b0","v":1}"#])],
      steps: [
        Step(entity: "B", map: ["v: v", keyed("riap")], records: [#"{"k":"b0","v":5,"riap":"a0"}"#]),
        Step(map: [nested("mm")], records: [#"{"k":"a1","mm":[{"k":"b0","v":8}]}"#]),
      ]),
    Case(
      name: "so does one of the same step",
      steps: [
        Step(
          map: [nested("mm"), keyed("par")],
          records: [
            #"{"k":"a1","mm":[{"k":"b0","v":5}],"par":"a2"}"#, #"{"k":"a3","mm":[{"k":"b0","v":8}]}"#,
            #"{"k":"a4","mm":[{"k":"b1","v":8}]}"#,
          ])
      ]),
    Case(
      name: "an object that a held change brings is found by a later step",
      before: [Step(map: [], records: [#"{"k":"a0"}"#])],
      steps: [
        Step(map: [keyed("par"), nested("mm")], records: [#"{"k":"a0","par":"a1","mm":[{"k":"c7","v":2}]}"#]),
        Step(map: [], records: [#"{"k":"a1"}"#]),
        Step(map: [keyed("pair")], records: [#"{"k":"a2","pair":"c7"}"#]),
      ]),
    Case(
      name: "of two records that claim an object, the later one has it, though the first one waits",
      before: [Step(map: [], records: [#"{"k":"a0"}"#])],
      steps: [twoClaims]),
    Case(
      name: "also where the first one is a change",
      before: [Step(map: [], records: [#"{"k":"a0"}"#]), Step(entity: "B", map: [], records: [#"{"k":"b0"}"#])],
      steps: [twoClaims]),
    Case(
      name: "members of a list too",
      before: [Step(map: [], records: [#"{"k":"a0"}"#, #"{"k":"a5"}"#])],
      steps: [
        Step(
          map: [keyed("kids"), keyed("mm")],
          records: [#"{"k":"a0","kids":["a5","a2"],"mm":["b3"]}"#, #"{"k":"a6","kids":["a5"]}"#])
      ]),
    Case(
      name: "a record that a later one gives to another owner keeps that",
      before: [Step(map: [], records: [#"{"k":"a0"}"#])],
      steps: [
        Step(map: [keyed("par"), keyed("mm")], records: [#"{"k":"a0","par":"a3","mm":["b3"]}"#]),
        Step(map: [keyed("kids")], records: [#"{"k":"a1","kids":["a0"]}"#]),
      ]),
    Case(
      name: "also where it is written without objects",
      before: [Step(map: [], records: [#"{"k":"a0"}"#])],
      steps: [
        Step(map: [keyed("par"), keyed("one")], records: [#"{"k":"a0","par":"a3","one":"b3"}"#]),
        Step(map: [keyed("kids")], records: [#"{"k":"a1","kids":["a0"]}"#]),
      ]),
  ]

  @Test("it does not matter whether the objects that records refer to come first", arguments: cases)
  func order(_ test: Case) async throws { try await compare(test.before, test.steps) }

  /// Runs steps before and after those whose objects their records refer to: the stores are to be the same.
  private func compare(_ before: [Step], _ steps: [Step]) async throws {
    var results: [[String]] = []
    for steps in [before + Self.bare + steps, before + steps + Self.bare] {
      let workspace = try RejectTraceTests.workspace()
      let report = try await Self.run(workspace, "s.sqlite", steps)
      #expect(report.rejects.isEmpty)
      results.append(try RejectTraceTests.contents(workspace, "s.sqlite"))
      #expect(try await workspace.run("check", "s.sqlite", "--strict").exitCode == 0)
    }
    #expect(results[0] == results[1])
  }

  @Test(
    "an object whose first record is rejected and whose second one waits behind it is found",
    arguments: [#"{ match: k, from: par }"#, #"{ match: k, from: par, missing: "null" }"#])
  func secondRecord(reference: String) async throws {
    let workspace = try RejectTraceTests.workspace()
    let report = try await Self.run(
      workspace, "s.sqlite",
      [
        Step(map: [Self.keyed("par")], records: [#"{"k":"a0","par":"zz"}"#]),
        Step(map: [Self.keyed("pair")], records: [#"{"k":"a0","pair":null}"#]),
        Step(map: ["par: \(reference)"], records: [#"{"k":"a1","par":"a0"}"#]),
      ])
    #expect(report.total.rejected == 1 && report.total.inserted == 2)
    let parents = "SELECT a.ZK, p.ZK FROM ZA a JOIN ZA p ON p.Z_PK = a.ZPAR"
    #expect(try workspace.query("s.sqlite", parents) == ["a1|a0"])
  }

  @Test("records of one object whose key waits make one object", arguments: ["", ", strategy: upsert"])
  func waitingKeys(strategy: String) async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Line"><attribute name="code" attributeType="String"/>
       <relationship name="halts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Halt" inverseName="line" inverseEntity="Halt"/>
       \(ModelXML.unique("code"))</entity>
      <entity name="Halt"><attribute name="number" attributeType="Integer 32"/><attribute name="name" optional="YES" attributeType="String"/>
       <relationship name="line" maxCount="1" deletionRule="Nullify" destinationEntity="Line" inverseName="halts" inverseEntity="Line"/>
       <uniquenessConstraints><uniquenessConstraint><constraint value="line"/><constraint value="number"/></uniquenessConstraint></uniquenessConstraints></entity>
      """)
    for (file, name) in [("first", "One"), ("second", "Two"), ("third", "Three")] {
      try workspace.write("\(file).ndjson", #"{"line":"U1","number":1,"name":"\#(name)"}"# + "\n")
    }
    try workspace.write("lines.ndjson", #"{"code":"U1"}"# + "\n")
    let steps = ["first", "second", "third"].map { file in
      "  - { from: \(file).ndjson, entity: Halt, match: [line, number], map: { number: number, name: name, line: { match: code, from: line } }\(file == "first" ? "" : strategy) }\n"
    }
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: S.sqlite }\nimport:\n" + steps.joined()
        + "  - { from: lines.ndjson, entity: Line, match: code, map: { code: code } }\n")
    let report = try await workspace.report("p.yaml")
    #expect(report.exitCode == 0 && report.total.inserted == 2 && report.total.updated == 2)
    #expect(try workspace.query("S.sqlite", "SELECT ZNAME FROM ZHALT") == ["Three"])
  }

  @Test("random feeds say the same whether what they refer to comes first or last", arguments: 0..<40)
  func random(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    func chance(_ percent: Int) -> Bool { pick(1...100) <= percent }
    // Nested objects of one owner each could wait for each other in a circle, behind which the order ends.
    let nestsMany = chance(50)
    let maps = [
      nestsMany ? Self.nested("mm") : Self.keyed("mm"), Self.keyed("pair"), Self.keyed("om"), Self.keyed("par"),
    ]
    func field(_ name: String) -> String? {
      guard chance(50) else { return nil }
      func list(_ shown: (String) -> String) -> String {
        "[" + Set((0..<pick(1...3)).map { _ in pick(0...9) }).sorted().map { shown("b\($0)") }.joined(separator: ",")
          + "]"
      }
      switch name {
      case "mm": return list { nestsMany ? #"{"k":"\#($0)","v":\#(pick(1...3))}"# : #""\#($0)""# }
      case "om": return list { #""\#($0)""# }
      case "pair": return #""b\#(pick(0...9))""#
      default: return #""a\#(pick(0...9))""#
      }
    }
    let steps = (0..<pick(1...3)).map { _ in
      let named = ["mm", "pair", "om", "par"].enumerated().filter { _ in chance(60) }
      return Step(
        map: named.map { maps[$0.offset] },
        records: Set((0..<pick(1...8)).map { _ in pick(0...9) }).sorted().shuffled(using: &generator).map { key in
          let fields = named.compactMap { name in field(name.element).map { #","\#(name.element)":\#($0)"# } }
          return #"{"k":"a\#(key)"\#(fields.joined())}"#
        })
    }
    try await compare([], steps)
  }
}
