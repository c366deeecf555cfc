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
}
