import TestSupport
import Testing

/// Files with a record for each pair of a many-to-many relationship.
@Suite("Records of pairs")
struct PairsTests {
  private static func workspace(_ records: String, _ map: String) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Product"><attribute name="sku" attributeType="String"/><attribute name="name" optional="YES" attributeType="String"/>
       <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" inverseName="products" inverseEntity="Tag"/>
       \(ModelXML.unique("sku"))</entity>
      <entity name="Tag"><attribute name="ident" attributeType="String"/>
       <relationship name="products" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Product" inverseName="tags" inverseEntity="Product"/>
       \(ModelXML.unique("ident"))</entity>
      """)
    try workspace.write("tags.csv", "ident\n1\n2\n3\n")
    try workspace.write("pairs.csv", records)
    try workspace.write(
      "pairs.yaml",
      """
      model: M.xcdatamodel
      store: { path: M.sqlite }
      import:
        - { from: tags.csv, entity: Tag, match: ident, map: { ident: ident } }
        - { from: pairs.csv, entity: Product, match: sku, map: { sku: sku, \(map) } }

      """)
    return workspace
  }

  private static let list = #"tags: { match: ident, from: tag, separator: "|" }"#

  @Test("that a record gives a whole list is told where several are about one object")
  func pairs() async throws {
    let workspace = try Self.workspace("sku,tag\nA,1\nA,2\nA,3\nB,3\n", Self.list)
    let outcome = try await workspace.run("run", "pairs.yaml")
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.text.contains(
        "warning: Product: 2 records left out, as others are about the same objects, and with them what they say of tags"
      ),
      "\(outcome.text)")
    #expect(try workspace.query("M.sqlite", "SELECT count(*) FROM Z_1TAGS") == ["2"])
  }

  @Test(
    "nothing is told where no list is lost",
    arguments: [("sku,tag\nA,1|2|3\nB,3\n", list), ("sku,tag\nA,1\nA,2\n", "name: tag")])
  func lists(records: String, map: String) async throws {
    let outcome = try await Self.workspace(records, map).run("run", "pairs.yaml")
    #expect(outcome.exitCode == 0 && !outcome.text.contains("warning"), "\(outcome.text)")
  }
}
