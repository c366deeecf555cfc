import Testing

/// Nested objects with keys of their own that lack what a new object must have.
@Suite("Requirements of nested objects")
struct NestedRequirementTests {
  private static let map = [
    "identifier: id", "name: name", "count: count",
    "children: { from: in, match: identifier, map: { identifier: id, name: name } }",
  ]

  private func workspace(_ records: String, rejects: Int = 0) throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.ndjson", records)
    try ItemPipeline(source: "items.ndjson", map: Self.map, replace: "never", rejects: "limit: \(rejects)")
      .write(to: workspace)
    return workspace
  }

  private func links(_ workspace: Workspace) throws -> [String] {
    try workspace.query(
      "Shop.sqlite",
      "SELECT c.ZIDENTIFIER, c.ZNAME, p.ZIDENTIFIER FROM ZITEM c LEFT JOIN ZITEM p ON p.Z_PK = c.ZPARENT ORDER BY 1")
  }

  @Test("a new object takes a stored one by its key alone")
  func storedMember() async throws {
    let workspace = try workspace(#"{"id":"b","name":"B"}"#)
    #expect(try await workspace.report("items.yaml").total.inserted == 1)
    try workspace.write("items.ndjson", #"{"id":"a","name":"A","in":[{"id":"b"}]}"#)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 1, inserted: 1))
    #expect(try links(workspace) == ["a|A|∅", "b|B|a"])
  }

  @Test(
    "an object that another record of the batch brings is there, whichever is nested",
    arguments: [
      [#"{"id":"b","name":"B"}"#, #"{"id":"a","name":"A","in":[{"id":"b"}]}"#],
      [#"{"id":"a","name":"A","in":[{"id":"b","name":"B"}]}"#, #"{"id":"b","count":3}"#],
    ])
  func sameBatch(records: [String]) async throws {
    let workspace = try workspace(records.joined(separator: "\n"))
    let report = try await workspace.report("items.yaml")
    #expect(report.total.read == 2 && report.total.sum == 2 && report.total.rejected == 0)
    #expect(try links(workspace) == ["a|A|∅", "b|B|a"])
  }

  @Test("one that is nowhere is rejected with its record, and the message names the attribute")
  func missing() async throws {
    let workspace = try workspace(
      (0..<20).map { #"{"id":"x\#($0)","name":"X","in":[{"id":"y\#($0)"\#($0 == 7 ? "" : #","name":"Y""#)}]}"# }
        .joined(separator: "\n"), rejects: 5)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(outcome.text.contains("items.ndjson:8:"), "\(outcome.text)")
    #expect(
      outcome.text.contains("Item.name is required and the record does not have it"), "\(outcome.text)")
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*), count(ZPARENT) FROM ZITEM") == ["38|19"])
  }
}
