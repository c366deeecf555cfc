import Testing

/// Key tables keep primary keys in 48 bits; stores may hold keys of 64.
@Suite("Primary keys that no reference can hold")
struct PrimaryKeyLimitTests {
  private static let change = "id,name,parent\nb,other,a\nc,new,a\n"

  private func workspace(_ sql: String) async throws -> Workspace {
    let workspace = try Workspace.withModel()
    let map = ["identifier: id", "name: name", "parent: { match: identifier, from: parent }"]
    try ItemPipeline(map: map).write(to: workspace)
    try workspace.write("items.csv", "id,name,parent\na,A,\nb,B,a\n")
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    try workspace.execute("Shop.sqlite", sql)
    try ItemPipeline(map: map, replace: "never").write(to: workspace)
    try workspace.write("items.csv", Self.change)
    return workspace
  }

  @Test(
    "an import into a table with such keys is refused, and the store stays as it is",
    arguments: [
      (
        "UPDATE ZITEM SET Z_PK = 140737488355329 WHERE ZIDENTIFIER = 'a'; UPDATE ZITEM SET ZPARENT = 140737488355329",
        "140737488355329"
      ),
      ("UPDATE ZITEM SET Z_PK = 4611686018427387000 WHERE ZIDENTIFIER = 'b'", "4611686018427387000"),
      ("UPDATE ZITEM SET Z_PK = -5 WHERE ZIDENTIFIER = 'b'", "-5"),
      ("UPDATE ZITEM SET Z_PK = 0 WHERE ZIDENTIFIER = 'b'", "0"),
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = 281474976710656 WHERE Z_NAME = 'Item'", "281474976710656"),
    ])
  func refused(sql: String, key: String) async throws {
    let workspace = try await workspace(sql)
    let before = try workspace.bytes("Shop.sqlite")
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 65, "\(outcome.talk)")
    #expect(outcome.talk.contains("Item has the primary key \(key), which no import can refer to"), "\(outcome.talk)")
    #expect(try workspace.bytes("Shop.sqlite") == before)
  }

  @Test("the greatest key that can be held is taken, and references lead to it")
  func greatest() async throws {
    let greatest = 140_737_488_355_328 - 2
    let workspace = try await workspace(
      """
      UPDATE ZITEM SET Z_PK = \(greatest) WHERE ZIDENTIFIER = 'a'; UPDATE ZITEM SET ZPARENT = \(greatest)
        WHERE ZIDENTIFIER = 'b'; UPDATE Z_PRIMARYKEY SET Z_MAX = \(greatest) WHERE Z_NAME = 'Item'
      """)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(
      try workspace.query("Shop.sqlite", "SELECT Z_PK, ZPARENT FROM ZITEM WHERE ZIDENTIFIER = 'c'")
        == ["\(greatest + 1)|\(greatest)"])
  }
}
