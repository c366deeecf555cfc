import Testing

/// A file of changes that is applied to a store that has them already.
@Suite("Changes applied twice")
struct RepeatedChangesTests {
  @Test("objects that have what the file says are left alone: no version rises, and the history gets no row")
  func twice() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write(
      "items.ndjson",
      #"{"id":"a","name":"A","tags":["x"],"parts":[{"id":"p"}]}"# + "\n" + #"{"id":"b","name":"B","parent":"a"}"# + "\n"
    )
    var pipeline = ItemPipeline(
      source: "items.ndjson",
      map: [
        "identifier: id", "name: name", "ratio: ratio", "parent: { match: identifier, from: parent }",
        "tags: { from: tags, match: name, map: { name: . } }", "parts: { from: parts, map: { identifier: id } }",
      ], replace: "always, history: true, now: \"2026-01-31T12:00:00Z\"")
    try pipeline.write(to: workspace)
    try await workspace.succeed("run", "items.yaml", "--quiet")
    try await workspace.succeed("copy", "Shop.sqlite", "Mirror.sqlite", "--quiet")
    // Values, a to-one relationship, members of both kinds.
    try workspace.write(
      "items.ndjson",
      #"{"id":"a","name":"A2","ratio":0.1,"tags":[],"parts":[]}"# + "\n"
        + #"{"id":"b","name":"B","parent":null,"tags":["x"]}"# + "\n")
    let last = try workspace.query("Shop.sqlite", "SELECT MAX(Z_PK) FROM ATRANSACTION")[0]
    pipeline.replace = "never"
    try pipeline.write(to: workspace)
    try await workspace.succeed("run", "items.yaml", "--quiet")
    let changes = try await workspace.succeed("history", "Shop.sqlite", "--since", last, "--json", "--values")
    let updates = changes.text.split(separator: "\n").filter { $0.contains(#""change":"update""#) }
    #expect(updates.count > 1)
    // What is inserted or deleted cannot be so twice.
    let head = String(changes.text.split(separator: "\n")[0]).replacing(/,"objects":\d+/, with: "")
    try workspace.write("changes.ndjson", ([head] + updates.map(String.init)).joined(separator: "\n") + "\n")

    let first = try await workspace.succeed("apply", "changes.ndjson", "--to", "Mirror.sqlite")
    #expect(first.talk == "inserted 0 objects, updated \(updates.count), deleted 0\n")
    let rows = [
      "SELECT Z_PK, Z_OPT, ZNAME, ZRATIO, ZPARENT FROM ZITEM ORDER BY 1", "SELECT Z_PK, Z_OPT FROM ZTAG",
      "SELECT COUNT(*) FROM ATRANSACTION", "SELECT COUNT(*) FROM ACHANGE",
    ]
    let before = try rows.map { try workspace.query("Mirror.sqlite", $0) }
    let second = try await workspace.succeed("apply", "changes.ndjson", "--to", "Mirror.sqlite")
    #expect(second.talk == "inserted 0 objects, updated 0, deleted 0; \(updates.count) unchanged\n")
    #expect(try rows.map { try workspace.query("Mirror.sqlite", $0) } == before)

    // An object that lacks something of it is written, and no other.
    try workspace.execute("Mirror.sqlite", "UPDATE ZITEM SET ZRATIO = 7 WHERE ZIDENTIFIER = 'a'")
    let third = try await workspace.succeed("apply", "changes.ndjson", "--to", "Mirror.sqlite")
    #expect(third.talk.hasPrefix("inserted 0 objects, updated 1, deleted 0; "), "\(third.talk)")
    #expect(try workspace.query("Mirror.sqlite", "SELECT ZRATIO FROM ZITEM WHERE ZIDENTIFIER = 'a'") == ["0.1"])
  }
}
