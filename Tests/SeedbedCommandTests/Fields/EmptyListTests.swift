import TestSupport
import Testing

/// Required to-many relationships, through the tool.
@Suite("Required to-many relationships in pipelines")
struct EmptyListTests {
  private func workspace(counts: String, strategy: String) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      "Cart.xcdatamodel/contents",
      """
      <model documentVersion="1.0">
        <entity name="Cart">
          <attribute name="number" attributeType="Integer 32"/>
          <relationship name="lines" toMany="YES" \(counts) destinationEntity="Line" inverseName="cart"
            inverseEntity="Line" deletionRule="Cascade"/>
          <relationship name="tags" toMany="YES" \(counts) destinationEntity="Tag" inverseName="carts"
            inverseEntity="Tag"/>
          \(ModelXML.unique("number"))
        </entity>
        <entity name="Line">
          <relationship name="cart" optional="YES" maxCount="1" destinationEntity="Cart" inverseName="lines"
            inverseEntity="Cart"/>
        </entity>
        <entity name="Tag">
          <attribute name="name" attributeType="String"/>
          <relationship name="carts" toMany="YES" destinationEntity="Cart" inverseName="tags" inverseEntity="Cart"/>
        </entity>
      </model>
      """)
    try workspace.write("carts.csv", "number,tags\n1,\n2,red\n3,none\n")
    try workspace.write("tags.csv", "name\nred\nblue\n")
    try workspace.write(
      "carts.yaml",
      """
      model: Cart.xcdatamodel
      store: { path: Cart.sqlite }
      rejects: { limit: 10 }
      import:
        - { from: tags.csv, entity: Tag, map: { name: name } }
        - from: carts.csv
          entity: Cart
          match: number
          strategy: \(strategy)
          map:
            number: number
            \(strategy == "upsert" ? "" : "tags: { match: name, from: tags, separator: \";\", missing: \"null\" }")
      """)
    return workspace
  }

  @Test(
    "one without a minimum count may stay empty, whatever the strategy",
    arguments: ["automatic", "bulk", "upsert", "find-or-create"])
  func withoutMinimum(strategy: String) async throws {
    let workspace = try workspace(counts: "", strategy: strategy)
    let run = try await workspace.run("run", "--quiet", "carts.yaml")
    #expect(run.exitCode == 0, "\(run.talk)\(run.text)")
    #expect(try workspace.query("Cart.sqlite", "SELECT count(*) FROM ZCART") == ["3"])
    let lint = try await workspace.run("lint", "carts.yaml")
    #expect(!(lint.text + lint.talk).contains("required"), "\(lint.text)\(lint.talk)")
    let check = try await workspace.run("check", "Cart.sqlite", "--model", "Cart.xcdatamodel")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("one with a minimum count rejects records that leave it empty, and lint says what is missing")
  func withMinimum() async throws {
    let workspace = try workspace(counts: "minCount=\"1\"", strategy: "find-or-create")
    let lint = try await workspace.run("lint", "carts.yaml")
    #expect((lint.text + lint.talk).contains("Cart.lines is required and not in the map"), "\(lint.text)\(lint.talk)")
    let run = try await workspace.run("run", "--quiet", "carts.yaml")
    #expect(run.exitCode != 0)
  }
}
