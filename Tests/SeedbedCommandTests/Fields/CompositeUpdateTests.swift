import Testing

/// `update` of elements of an optional composite with mandatory elements.
@Suite("Updates of elements")
struct CompositeUpdateTests {
  private static let entities = """
    <entity name="A">
      <attribute name="k" optional="YES" attributeType="String"/>
      <attribute name="c" optional="YES" attributeType="Composite" composite="P"/>
    </entity>
    <composite name="P">
      <attribute name="x" attributeType="Integer 32"/>
      <attribute name="y" optional="YES" attributeType="String"/>
      <attribute name="n" optional="YES" attributeType="Composite" composite="Q"/>
    </composite>
    <composite name="Q">
      <attribute name="v" attributeType="Integer 32"/>
      <attribute name="w" optional="YES" attributeType="Integer 32"/>
    </composite>
    """

  struct Case: Sendable, CustomTestStringConvertible {
    /// x, y, v and w of the only object.
    var before: String
    var assignments: [String]
    /// The same afterwards; nil where the update is refused.
    var after: String?
    /// What has to have a value.
    var missing = "c.x"
    var testDescription: String { "\(before): \(assignments.joined(separator: ", "))" }
  }

  private static let cases = [
    Case(before: "NULL|NULL|NULL|NULL", assignments: ["c.y = 'z'"]),
    Case(before: "NULL|NULL|NULL|NULL", assignments: ["c.y = 'z'", "c.x = 1"], after: "1|z|∅|∅"),
    Case(before: "NULL|NULL|NULL|NULL", assignments: ["c.y = k"]),
    Case(before: "1|'y'|NULL|NULL", assignments: ["c.x = NULL"]),
    Case(before: "1|NULL|NULL|NULL", assignments: ["c.x = NULL"], after: "∅|∅|∅|∅"),
    Case(before: "1|'y'|NULL|NULL", assignments: ["c.x = NULL", "c.y = NULL"], after: "∅|∅|∅|∅"),
    Case(before: "1|'y'|2|NULL", assignments: ["c.x = NULL", "c.y = NULL"]),
    Case(before: "1|'y'|2|NULL", assignments: ["c = NULL"], after: "∅|∅|∅|∅"),
    Case(before: "1|'y'|NULL|NULL", assignments: ["c.n.w = 3"], missing: "c.n.v"),
    Case(before: "1|'y'|2|3", assignments: ["c.n.v = NULL"], missing: "c.n.v"),
    Case(before: "1|'y'|2|3", assignments: ["c.n = NULL"], after: "1|y|∅|∅"),
    Case(before: "1|'y'|NULL|NULL", assignments: ["c.n.v = c.x + 1"], after: "1|y|2|∅"),
    Case(before: "NULL|NULL|NULL|NULL", assignments: ["c.n.v = 1"]),
    // Computed in memory.
    Case(before: "NULL|NULL|NULL|NULL", assignments: ["c.y = TERNARY(k MATCHES 'a', k, NULL)"]),
    Case(before: "1|NULL|NULL|NULL", assignments: ["c.y = TERNARY(k MATCHES 'a', k, NULL)"], after: "1|a|∅|∅"),
    Case(before: "1|NULL|NULL|NULL", assignments: ["c.x = TERNARY(k MATCHES 'b', 1, NULL)"], after: "∅|∅|∅|∅"),
    Case(before: "1|'y'|NULL|NULL", assignments: ["c.x = TERNARY(k MATCHES 'b', 1, NULL)"]),
  ]

  @Test("a mandatory element has a value afterwards where its composite has one, and only there", arguments: cases)
  func updates(example: Case) async throws {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities)
    try workspace.write("a.csv", "k\na\n")
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite }
      import: [{ from: a.csv, entity: A, map: { k: k } }]
      """)
    try await workspace.succeed("run", "--quiet", "p.yaml")
    let columns = ["ZX", "ZY", "ZV", "ZW"]
    let values = example.before.split(separator: "|")
    try workspace.execute(
      "S.sqlite", "UPDATE ZA SET " + zip(columns, values).map { "\($0) = \($1)" }.joined(separator: ", "))
    let before = try workspace.query("S.sqlite", "SELECT ZX, ZY, ZV, ZW FROM ZA")
    let update = try await Tool.run(
      ["update", "S.sqlite", "--entity", "A", "--where", "TRUEPREDICATE"]
        + example.assignments.flatMap { ["--set", $0] }, in: workspace.folder)
    let after = try workspace.query("S.sqlite", "SELECT ZX, ZY, ZV, ZW FROM ZA")
    if let expected = example.after {
      #expect(update.exitCode == 0 && after == [expected], "\(update)")
      #expect(try await !workspace.check("S.sqlite").notes.contains { $0.code == "missingValue" })
    } else {
      #expect(update.exitCode == 65 && after == before, "\(update)")
      #expect(update.talk.contains("\(example.missing): a value is required"), "\(update.talk)")
    }
  }
}
