import TestSupport
import Testing

/// Objects that exchange unique values in one save: what the history says of them, and what belongs to their keys.
@Suite("Exchanged unique values")
struct ExchangedValueTests {
  private func workspace(_ entities: String, map: String, history: Bool, _ records: String) async throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(entities)
    for (name, settings) in [("p.yaml", "history: \(history)"), ("next.yaml", "replace: never")] {
      try workspace.write(
        name, "model: M.xcdatamodel\nstore: { path: S.sqlite, \(settings) }\nimport:\n\(map)\n")
    }
    try workspace.write("t.ndjson", records)
    try workspace.write("d.ndjson", "")
    _ = try await workspace.report("p.yaml")
    return workspace
  }

  @Test("the history has the changes, and a copy follows them")
  func history() async throws {
    let workspace = try await workspace(
      """
      <entity name="T"><attribute name="id" optional="YES" attributeType="String"/><attribute name="u" optional="YES" attributeType="String"/><attribute name="w" optional="YES" attributeType="String"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint><uniquenessConstraint><constraint value="u"/></uniquenessConstraint><uniquenessConstraint><constraint value="w"/></uniquenessConstraint></uniquenessConstraints></entity>
      """, map: "- { from: t.ndjson, entity: T, match: id, strategy: find-or-create, map: { id: id, u: u, w: w } }",
      history: true, #"{"id":"1","u":"a","w":"A"}"# + "\n" + #"{"id":"2","u":"b","w":"B"}"# + "\n")
    #expect(try await workspace.run("copy", "S.sqlite", "Copy.sqlite").exitCode == 0)
    try workspace.write("t.ndjson", #"{"id":"1","u":"b","w":null}"# + "\n" + #"{"id":"2","u":"a","w":"B"}"# + "\n")
    #expect(try await workspace.report("next.yaml").total.updated == 2)
    let changes = try await workspace.run("history", "S.sqlite", "--since", "1")
    #expect(changes.text.contains("T/1: u, w\n") && changes.text.contains("T/2: u\n"), "\(changes.text)")
    let file = try await workspace.run("history", "S.sqlite", "--since", "1", "--json", "--values")
    try workspace.write("changes.json", file.text)
    let applied = try await workspace.run("apply", "changes.json", "--to", "Copy.sqlite")
    #expect(applied.exitCode == 0, "\(applied.talk)")
    let query = "SELECT ZID, ZU, ZW FROM ZT ORDER BY ZID"
    #expect(try workspace.query("S.sqlite", query) == ["1|b|∅", "2|a|B"])
    #expect(try workspace.query("Copy.sqlite", query) == ["1|b|∅", "2|a|B"])
  }

  @Test("a relationship that is taken over leaves neither entity nor order behind", arguments: [true, false])
  func relationship(isOrdered: Bool) async throws {
    let inverse = isOrdered ? "toMany=\"YES\" ordered=\"YES\"" : "maxCount=\"1\""
    let workspace = try await workspace(
      """
      <entity name="D"><attribute name="code" optional="YES" attributeType="String"/><relationship name="owner" optional="YES" \(inverse) destinationEntity="A" inverseName="r"/></entity>
      <entity name="D1" parentEntity="D"/>
      <entity name="A"><attribute name="code" optional="YES" attributeType="String"/><relationship name="r" optional="YES" maxCount="1" destinationEntity="D" inverseName="owner"/>
      \(ModelXML.unique("r"))</entity>
      """,
      map: """
        - { from: d.ndjson, entity: D1, match: code, map: { code: code } }
        - { from: t.ndjson, entity: A, match: code, strategy: find-or-create, map: { code: code, r: { match: code, from: r } } }
        """, history: false, "")
    try workspace.write("d.ndjson", #"{"code":"d"}"# + "\n")
    try workspace.write("t.ndjson", #"{"code":"b"}"# + "\n" + #"{"code":"a","r":"d"}"# + "\n")
    _ = try await workspace.report("next.yaml")
    try workspace.write("t.ndjson", #"{"code":"b","r":"d"}"# + "\n" + #"{"code":"a","r":null}"# + "\n")
    #expect(try await workspace.report("next.yaml").total.updated == 2)
    #expect(
      try workspace.query("S.sqlite", "SELECT ZCODE, ZR NOTNULL, Z2_R NOTNULL FROM ZA ORDER BY 1") == [
        "a|0|0", "b|1|1",
      ])
    let check = try await workspace.run("check", "S.sqlite", "--strict", "--model", "M.xcdatamodel")
    #expect(check.exitCode == 0, "\(check.text)")
  }
}
