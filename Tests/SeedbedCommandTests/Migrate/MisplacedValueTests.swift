import TestSupport
import Testing

@Suite(
  "seedbed migrate by a mapping model, and values that are not of their column's type",
  .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct MisplacedValueTests {
  @Test(
    "they are refused with column and row, and not read as something else",
    arguments: [
      (
        "ZDISPLAYINDEX = 'seven'",
        "ZNOTE.ZDISPLAYINDEX has values that are not of its type, INTEGER (1 row, for instance 1)"
      ),
      (
        "ZDATECREATED = 'yesterday'",
        "ZNOTE.ZDATECREATED has values that are not of its type, TIMESTAMP (1 row, for instance 1)"
      ),
      ("ZTITLE = x'ff00'", "ZNOTE.ZTITLE has values that are not of its type, VARCHAR (1 row, for instance 1)"),
    ])
  func refused(change: String, said: String) async throws {
    let workspace = try await Notes.workspace(
      version: "v2", mapping: Notes.mapping("v2_to_v3"),
      records: "[{\"title\": \"one\", \"body\": \"b\", \"image\": \"AQID\"}]", map: "body: body, image: image")
    try workspace.execute("Notes.sqlite", "UPDATE ZNOTE SET \(change)")
    let before = try workspace.bytes("Notes.sqlite")
    for more in [["--dry-run"], []] {
      let line = ["migrate", "Notes.sqlite", "--model", Notes.model, "--to", "UnCloudNotesDataModel v3"]
      let outcome = try await Tool.run(line + more, in: workspace.folder)
      #expect(outcome.exitCode == 65 && outcome.talk.contains(said), "\(outcome.text)\(outcome.talk)")
      #expect(outcome.talk.contains("write the values anew"), "\(outcome.talk)")
      #expect(try workspace.bytes("Notes.sqlite") == before)
    }
  }
}
