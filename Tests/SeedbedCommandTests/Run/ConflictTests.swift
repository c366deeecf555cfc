import TestSupport
import Testing

/// Uniqueness constraints other than the match keys.
@Suite("Constraint conflicts")
struct ConflictTests {
  @Test(
    "a record that breaks another constraint is rejected, whatever the strategy",
    arguments: ["automatic", "upsert", "find-or-create"])
  func conflict(strategy: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("accounts.csv", "id,email\na,one@example.org\nb,two@example.org\nc,one@example.org\nd,\ne,\n")
    try ItemPipeline(
      source: "accounts.csv", entity: "Account", settings: ["strategy: \(strategy)"],
      map: ["identifier: id", "email: email"], rejects: "file: rejects.csv, limit: 1"
    ).write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.exitCode == 1)
    #expect(report.total == Report.Counts(read: 5, inserted: 4, rejected: 1))
    #expect(report.rejects.map(\.code) == ["constraint.conflict"])
    #expect(report.rejects.map(\.line) == [4])
    #expect(report.rejects.map(\.property) == ["email"])
    #expect(report.rejects.map(\.value) == ["one@example.org"])
    #expect(try workspace.text("rejects.csv").hasSuffix(",c,one@example.org\n"))
    #expect(
      try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZEMAIL FROM ZACCOUNT ORDER BY 1")
        == ["a|one@example.org", "b|two@example.org", "d|∅", "e|∅"])
  }

  struct Case: Sendable, CustomTestStringConvertible {
    /// The entity that has the constraint.
    var declaring: String
    /// Entities of the steps, each with one record of the same name.
    var steps: [String]
    var settings: String
    var message: String
    var testDescription: String { "\(declaring): \(steps.joined(separator: ", ")), \(settings)" }
  }

  @Test(
    "an object of another entity in the hierarchy is told as what it is",
    arguments: [
      Case(
        declaring: "Club", steps: ["Team", "Club"], settings: "strategy: find-or-create",
        message: "an object of Team has the same name"),
      Case(
        declaring: "Club", steps: ["Squad", "Club"], settings: "strategy: find-or-create",
        message: "an object of Squad has the same name"),
      Case(
        declaring: "Team", steps: ["Club", "Team"], settings: "strategy: find-or-create",
        message: "an object of Club has the same name"),
      Case(
        declaring: "Team", steps: ["Team", "Team"], settings: "strategy: find-or-create",
        message: "another Team has the same name"),
      Case(
        declaring: "Team", steps: ["Team", "Club"], settings: "match: name, strategy: upsert",
        message: "an object of Team that is no Club has the same name"),
    ])
  func hierarchy(_ example: Case) async throws {
    let workspace = try Workspace()
    let constraint =
      ModelXML.unique("name")
    func entity(_ name: String, _ attributes: String, _ parent: String = "") -> String {
      "<entity name=\"\(name)\"\(parent)>\(attributes)\(name == example.declaring ? constraint : "")</entity>"
    }
    let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#
    try workspace.writeModel(
      entity("Team", name) + entity("Club", "", " parentEntity=\"Team\"")
        + entity("Squad", "", " parentEntity=\"Team\""))
    try workspace.write("a.csv", "name\nX\n")
    let steps = example.steps.map { "  - { from: a.csv, entity: \($0), \(example.settings), map: { name: name } }" }
    try workspace.write(
      "a.yaml",
      "model: M.xcdatamodel\nstore: { path: M.sqlite }\nrejects: { limit: 5 }\nimport:\n\(steps.joined(separator: "\n"))\n"
    )
    let report = try await workspace.report("a.yaml")
    #expect(report.rejects.map(\.message) == [example.message])
  }

  @Test("a load that breaks the constraint of a sibling names the entity whose table it holds for")
  func sibling() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="A"><attribute name="f" optional="YES" attributeType="String"/></entity>
      <entity name="B" parentEntity="A">
        \(ModelXML.unique("f"))
      </entity>
      <entity name="C" parentEntity="A"/>
      """)
    try workspace.write("c.csv", "f\nx\nx\n")
    try workspace.write(
      "c.yaml",
      "model: M.xcdatamodel\nstore: { path: S.sqlite }\nimport: [{ from: c.csv, entity: C, map: { f: f } }]\n")
    let run = try await workspace.run("run", "c.yaml")
    #expect(run.exitCode == 65, "\(run.talk)")
    #expect(run.talk.contains("several A have the same f (rows 1 and 2 have the same key in Z_B_UNIQUE_f;"))
    #expect(run.talk.contains("the constraint of B holds for the whole table of A"))
  }
}
