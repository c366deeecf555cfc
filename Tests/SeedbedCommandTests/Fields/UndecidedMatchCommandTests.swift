import Testing

/// Regular expressions of which the search is given up, because it takes too much memory.
@Suite("Commands and runs with regular expressions that take too long")
struct UndecidedMatchCommandTests {
  static let pattern = "(.|x)+!"
  private static let long = String(repeating: "x", count: 300_000) + "!"

  /// `S.sqlite` with a short text and a long one, which both match.
  private func workspace() async throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="A">
        <attribute name="n" optional="YES" attributeType="Integer 32"/>
        <attribute name="text" optional="YES" attributeType="String"/>
      </entity>
      """)
    try workspace.write("a.csv", "n,text\n1,xx!\n2,\(Self.long)\n")
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite }
      import: [{ from: a.csv, entity: A, map: { n: n, text: text } }]
      """)
    try await workspace.succeed("run", "--quiet", "p.yaml")
    return workspace
  }

  static let commands = [
    ["query", "S.sqlite", "A WHERE text MATCHES '\(pattern)'"],
    ["query", "S.sqlite", "A WHERE ANY {text, 'b'} MATCHES '\(pattern)'"],
    ["delete", "S.sqlite", "--entity", "A", "--where", "NOT text MATCHES '\(pattern)'"],
    ["update", "S.sqlite", "--entity", "A", "--where", "NOT text MATCHES '\(pattern)'", "--set", "n = 3"],
    [
      "update", "S.sqlite", "--entity", "A", "--where", "TRUEPREDICATE", "--set",
      "n = TERNARY(text MATCHES '\(pattern)', 1, 3)",
    ],
  ]

  @Test("A command whose predicate cannot be decided ends with 65, and changes nothing", arguments: commands)
  func undecided(arguments: [String]) async throws {
    let workspace = try await workspace()
    let before = try workspace.bytes("S.sqlite")
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    #expect(outcome.exitCode == 65, "\(outcome.exitCode) \(outcome.talk)")
    #expect(outcome.talk.contains("a search by MATCHES was given up"), "\(outcome.talk)")
    #expect(outcome.talk.contains("without nested repetitions"), "\(outcome.talk)")
    #expect(try workspace.bytes("S.sqlite") == before)
  }

  @Test("A record is rejected with that reason where the model has such an expression")
  func rejects() async throws {
    let workspace = try await workspace()
    try workspace.writeModel(
      """
      <entity name="A">
        <attribute name="n" optional="YES" attributeType="Integer 32"/>
        <attribute name="text" optional="YES" attributeType="String" regularExpressionString="\(Self.pattern)"/>
      </entity>
      """)
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: T.sqlite }
      rejects: { file: rejects.csv, limit: 1 }
      import: [{ from: a.csv, entity: A, map: { n: n, text: text } }]
      """)
    let outcome = try await workspace.run("run", "p.yaml")
    #expect(outcome.exitCode == 1, "\(outcome.talk)")
    #expect(try workspace.query("T.sqlite", "SELECT ZN FROM ZA") == ["1"])
    let rejects = try workspace.text("rejects.csv")
    #expect(rejects.contains("value.match-undecided") && rejects.contains("takes too long to find out"))
  }
}
