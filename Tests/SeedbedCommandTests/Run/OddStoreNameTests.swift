import Testing

@Suite("Stores with names that SQLite would read otherwise")
struct OddStoreNameTests {
  @Test("a name that looks like a URI or a database in memory is a file's", arguments: ["file:S.sqlite", ":memory:x"])
  func names(name: String) async throws {
    let workspace = try RejectTraceTests.workspace()
    try workspace.write("b.ndjson", #"{"k":"b0","v":1}"# + "\n")
    for store in ["S.sqlite", name] {
      try workspace.write(
        "p.yaml",
        """
        model: M.xcdatamodel
        store: { path: "\(store)" }
        import:
          - { from: b.ndjson, entity: B, match: k, map: { k: k, v: v } }
        """)
      #expect(try await workspace.report("p.yaml").exitCode == 0)
    }
    let before = try workspace.bytes("S.sqlite")
    #expect(try await workspace.run("delete", name, "--entity", "B", "--where", "TRUEPREDICATE").exitCode == 0)
    #expect(try workspace.bytes("S.sqlite") == before)
    #expect(try workspace.query("S.sqlite", "SELECT ZK FROM ZB") == ["b0"])
    #expect(try await workspace.run("copy", name, "copy.sqlite").exitCode == 0)
    #expect(try workspace.query("copy.sqlite", "SELECT ZK FROM ZB").isEmpty)
  }
}
