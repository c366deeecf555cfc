import TestSupport
import Testing

/// Records that are refused, or leave their object as it is, leave no trace: no key, no claim, nothing that supersedes.
@Suite("Traces of records that are not written")
struct RefusedRecordTests {
  private static let constraints = """
    <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint>
    <uniquenessConstraint><constraint value="number"/></uniquenessConstraint></uniquenessConstraints>
    """
  private static let model = """
    <entity name="A"><attribute name="code" attributeType="String"/><attribute name="number" attributeType="Integer 32"/>
    \(constraints)</entity>
    <entity name="B"><attribute name="name" attributeType="String"/><attribute name="size" attributeType="Integer 32"/>
    <relationship name="a" maxCount="1" destinationEntity="A"/>
    \(ModelXML.unique("name"))</entity>
    """
  private static let references = """
    - { from: b.ndjson, entity: B, match: name, map: { name: name, size: size, a: { match: code, from: a } } }
    """

  private func workspace(_ steps: String, _ files: [String: String]) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.model)
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: S.sqlite, replace: never }\nrejects: { limit: 99 }\nimport:\n\(steps)\n")
    for (name, records) in files { try workspace.write(name, records + "\n") }
    return workspace
  }

  @Test("a refused change is found by no key", arguments: ["upsert", "find-or-create"])
  func refused(strategy: String) async throws {
    let workspace = try workspace(
      """
      - { from: a1.ndjson, entity: A, map: { code: code, number: number } }
      - { from: a2.ndjson, entity: A, match: number, strategy: \(strategy), map: { code: code, number: number } }
      \(Self.references)
      """,
      [
        "a1.ndjson": #"{"code":"k0","number":3}"# + "\n" + #"{"code":"k2","number":1}"#,
        "a2.ndjson": #"{"code":"k0","number":1}"#, "b.ndjson": #"{"name":"b","size":1,"a":"k0"}"#,
      ])
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 4, inserted: 3, rejected: 1))
    #expect(try workspace.query("S.sqlite", "SELECT ZNUMBER FROM ZB JOIN ZA ON ZA.Z_PK = ZA") == ["3"])
  }

  @Test(
    "an object that on-match: keep leaves as it is has no key that the record has",
    arguments: ["upsert", "find-or-create", "automatic"])
  func kept(strategy: String) async throws {
    let way = strategy == "automatic" ? "" : ", strategy: \(strategy)"
    let workspace = try workspace(
      """
      - { from: a1.ndjson, entity: A, map: { code: code, number: number } }
      - { from: a2.ndjson, entity: A, match: number, on-match: keep\(way), map: { code: code, number: number } }
      \(Self.references)
      """,
      [
        "a1.ndjson": #"{"code":"k1","number":1}"#, "a2.ndjson": #"{"code":"other","number":1}"#,
        "b.ndjson": #"{"name":"b","size":1,"a":"other"}"# + "\n" + #"{"name":"c","size":1,"a":"k1"}"#,
      ])
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 4, inserted: 2, unchanged: 1, rejected: 1))
    #expect(try workspace.query("S.sqlite", "SELECT ZNAME FROM ZB") == ["c"])
  }

  @Test(
    "a record that is wrong about a required destination supersedes no other, as one with a wrong value does not",
    arguments: ["bulk", "upsert", "find-or-create"], ["last", "first", "reject"])
  func superseding(strategy: String, duplicates: String) async throws {
    func records(_ name: String, isWrongFirst: Bool, _ wrong: String) -> String {
      let good = #"{"name":"NAME","size":1,"a":"k0"}"#
      return (isWrongFirst ? [wrong, good] : [good, wrong]).joined(separator: "\n").replacing("NAME", with: name)
    }
    let nowhere = #"{"name":"NAME","size":2,"a":null}"#
    let withoutSize = #"{"name":"NAME","size":null,"a":"k0"}"#
    let workspace = try workspace(
      """
      - { from: a.ndjson, entity: A, map: { code: code, number: number } }
      - { from: b.ndjson, entity: B, match: name, strategy: \(strategy), duplicates: \(duplicates),
          map: { name: name, size: size, a: { match: code, from: a } } }
      """,
      [
        "a.ndjson": #"{"code":"k0","number":3}"#,
        "b.ndjson": [
          records("b", isWrongFirst: true, nowhere), records("c", isWrongFirst: false, nowhere),
          records("d", isWrongFirst: true, withoutSize), records("e", isWrongFirst: false, withoutSize),
        ].joined(separator: "\n"),
      ])
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 9, inserted: 5, rejected: 4))
    #expect(try workspace.query("S.sqlite", "SELECT ZNAME FROM ZB WHERE ZSIZE = 1 ORDER BY 1") == ["b", "c", "d", "e"])
  }

  @Test("a record that breaks a constraint of a nested object's conflicting row is refused, and nothing else ends")
  func editedRow() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="E0"><attribute name="code" attributeType="String"/>
      <relationship name="r1" toMany="YES" optional="YES" destinationEntity="E3"/>
      <relationship name="r7" toMany="YES" optional="YES" destinationEntity="E1" inverseName="q7"/></entity>
      <entity name="E1"><attribute name="code2" attributeType="Integer 32"/>
      <relationship name="r6" optional="YES" maxCount="1" destinationEntity="E3"/>
      <relationship name="q7" toMany="YES" optional="YES" destinationEntity="E0" inverseName="r7"/>
      \(ModelXML.unique("code2"))</entity>
      <entity name="E3"><attribute name="code" attributeType="String"/><attribute name="sE3" attributeType="String"/>
      \(ModelXML.unique("code"))</entity>
      """)
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite }
      rejects: { limit: 99 }
      import:
      - { from: d.ndjson, entity: E1, map: { code2: code2_,
          r6: { from: r6_, match: [code], map: { code: code_, sE3: sE3_ } },
          q7: { from: q7_, map: { code: 'code_ ?? "dd"',
                r1: { from: r1_, match: [code], map: { code: code_, sE3: 'sE3_ ?? "dd"' } } } } } }
      """)
    try workspace.write(
      "d.ndjson",
      """
      {"code2_": 2, "r6_": {"code_": "k0", "sE3_": "x"}}
      {"code2_": 3}
      {"code2_": 2, "q7_": [{"r1_": [{"code_": "k0"}]}]}

      """)
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 3, inserted: 2, rejected: 1))
  }
}
