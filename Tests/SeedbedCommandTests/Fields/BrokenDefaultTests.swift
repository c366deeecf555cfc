import TestSupport
import Testing

/// Models with a default value that breaks a rule of its own attribute: no object may keep it.
@Suite("Defaults that break rules")
struct BrokenDefaultTests {
  private static let entities = """
    <entity name="A">
      <attribute name="k" attributeType="String" minValueString="5" defaultValueString="ab"/>
      <attribute name="i" optional="YES" attributeType="Integer 16" minValueString="5" defaultValueString="0"/>
      <attribute name="u" attributeType="Integer 32"/>
      <relationship name="parts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="B" inverseName="owner"/>
      \(ModelXML.unique("u"))
    </entity>
    <entity name="B">
      <attribute name="name" attributeType="String"/>
      <attribute name="i" optional="YES" attributeType="Integer 16" minValueString="5" defaultValueString="0"/>
      <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A" inverseName="parts"/>
    </entity>
    """

  private static let strategies = [
    "strategy: bulk, match: u", "strategy: upsert, match: u", "strategy: find-or-create, match: u", "match: u",
    "strategy: automatic",
  ]

  private func workspace(_ records: String, _ strategy: String, _ map: String) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities)
    try workspace.write("a.ndjson", records)
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite, replace: never }
      rejects: { limit: 10 }
      import: [{ from: a.ndjson, entity: A, \(strategy), map: { \(map) } }]
      """)
    return workspace
  }

  @Test("a record that would get one is a reject, whatever the strategy", arguments: strategies)
  func records(strategy: String) async throws {
    let workspace = try workspace(
      """
      {"u":7}
      {"u":8,"k":"abcdef"}
      {"u":9,"k":"abcdef","i":5}
      {"u":10,"k":"abcdef","i":null}

      """, strategy, "u: u, k: { from: k, optional: true }, i: { from: i, optional: true }")
    let run = try await workspace.run("run", "p.yaml")
    #expect(run.exitCode == 1, "\(run)")
    #expect(try workspace.query("S.sqlite", "SELECT ZU, ZK, ZI FROM ZA ORDER BY 1") == ["9|abcdef|5", "10|abcdef|∅"])
    #expect((run.text + run.talk).contains("the default value of A.i breaks a rule: 0 is less"), "\(run)")
    // What is there keeps its values.
    if strategy.contains("bulk") || !strategy.contains("match") { return }
    try workspace.write("a.ndjson", "{\"u\":9}\n")
    try await workspace.succeed("run", "p.yaml")
  }

  @Test("an attribute that is not in the map gets none, also in nested objects", arguments: strategies.suffix(3))
  func unmapped(strategy: String) async throws {
    let workspace = try workspace(
      """
      {"u":7,"k":"abcdef","parts":[{"name":"n"}]}
      {"u":8,"k":"abcdef"}

      """, strategy, "u: u, k: k, i: { value: 5 }, parts: { from: parts, map: { name: name } }")
    let run = try await workspace.run("run", "p.yaml")
    #expect(run.exitCode == 1 && (run.text + run.talk).contains("the default value of B.i breaks a rule"), "\(run)")
    #expect(try workspace.query("S.sqlite", "SELECT ZU, ZI FROM ZA") == ["8|5"])
    #expect(try workspace.query("S.sqlite", "SELECT count(*) FROM ZB") == ["0"])
  }

  @Test("a dump with such objects is restored as it is")
  func dump() async throws {
    let workspace = try workspace("{\"u\":9}\n", "match: u", "u: u, k: { value: abcdef }, i: { value: 5 }")
    try await workspace.succeed("run", "--quiet", "p.yaml")
    try workspace.execute("S.sqlite", "UPDATE ZA SET ZK = 'ab', ZI = 0")
    try await workspace.succeed("dump", "S.sqlite", "out")
    try await workspace.succeed("run", "--quiet", "out/restore.yaml")
    let stores = try workspace.names(in: "out").filter { $0.hasSuffix(".sqlite") }
    #expect(stores.count == 1)
    #expect(try workspace.query("out/\(stores.first ?? "")", "SELECT ZU, ZK, ZI FROM ZA") == ["9|ab|0"])
  }
}
