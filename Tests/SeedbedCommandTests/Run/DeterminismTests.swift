import Testing

/// The same input and pipeline give the same bytes.
@Suite("Determinism")
struct DeterminismTests {
  @Test(
    "a store does not depend on the number of workers, the memory, the folder or the day",
    arguments: [
      ("transit", "Transit"), ("bubble-tea", "BubbleTea"), ("recipes", "Recipes"), ("surf-journal", "SurfJournal"),
    ])
  func stores(pipeline: String, store: String) async throws {
    var first: [UInt8]?
    for jobs in ["1", "2", "5"] {
      let workspace = try Workspace.shipped()
      var known: [UInt8]?
      // The second run of a workspace replaces the store of the first.
      for _ in 1...(jobs == "2" ? 2 : 1) {
        let outcome = try await workspace.run("run", "--quiet", "--jobs", jobs, "pipelines/\(pipeline).yaml")
        #expect(outcome.exitCode == 0)
        let bytes = try workspace.bytes("build/\(store).sqlite")
        #expect(known == nil || known == bytes, "two runs differ")
        known = bytes
      }
      #expect(first == nil || first == known, "--jobs \(jobs) differs")
      first = known
    }
    let workspace = try Workspace.shipped()
    let outcome = try await workspace.run("run", "--quiet", "--memory", "32MB", "pipelines/\(pipeline).yaml")
    #expect(outcome.exitCode == 0)
    #expect(try workspace.bytes("build/\(store).sqlite") == first, "less memory differs")
  }
}
