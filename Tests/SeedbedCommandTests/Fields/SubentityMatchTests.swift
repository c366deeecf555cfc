import TestSupport
import Testing

/// A step for an entity whose records are about objects of its sub-entities.
@Suite("Matching objects of sub-entities")
struct SubentityMatchTests {
  private static let entities = """
      <entity name="Place">
        <attribute name="code" optional="YES" attributeType="String"/>
        <attribute name="note" optional="YES" attributeType="String" defaultValueString="-"/>
        <relationship name="visits" optional="YES" toMany="YES" ordered="YES" destinationEntity="Visit" inverseName="place"/>
        \(ModelXML.unique("code"))
      </entity>
      <entity name="Town" parentEntity="Place">
        <attribute name="size" optional="YES" attributeType="Integer 32" defaultValueString="5"/>
      </entity>
      <entity name="Visit">
        <attribute name="day" optional="YES" attributeType="String"/>
        <relationship name="place" optional="YES" maxCount="1" destinationEntity="Place" inverseName="visits"/>
      </entity>
    """

  private static func workspace(_ steps: String) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(entities)
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: P.sqlite, replace: never }\nrejects: { limit: 5 }\nimport:\n\(steps)\n")
    try workspace.write("towns.csv", "code,note,size\na,north,2\nb,south,3\n")
    try workspace.write("places.csv", "code,note\na,east\nb,\n")
    try workspace.write("visits.csv", "day,place\nmonday,a\ntuesday,b\n")
    return workspace
  }

  @Test(
    "replace gives the step's attributes their defaults, not those of the sub-entity", arguments: MatchTests.strategies)
  func replace(strategy: String) async throws {
    let workspace = try Self.workspace(
      """
      - { from: towns.csv, entity: Town, match: [code], map: { code: code, note: note, size: size } }
      - { from: places.csv, entity: Place, match: [code], strategy: \(strategy), on-match: replace, map: { code: code } }
      """)
    #expect(try await workspace.report("p.yaml").total == Report.Counts(read: 4, inserted: 2, updated: 2))
    #expect(try workspace.query("P.sqlite", "SELECT ZCODE, ZNOTE, ZSIZE FROM ZPLACE ORDER BY 1") == ["a|-|2", "b|-|3"])
  }

  @Test(
    "references find the object by whatever key it was given, as what it is",
    arguments: MatchTests.strategies, [", key: code", ""])
  func references(strategy: String, townSetting: String) async throws {
    let workspace = try Self.workspace(
      """
      - { from: towns.csv, entity: Town, match: [code]\(townSetting), map: { code: code, note: note, size: size } }
      - { from: places.csv, entity: Place, match: [code], key: code, strategy: \(strategy), map: { code: code, note: note } }
      - { from: visits.csv, entity: Visit, map: { day: day, place: { key: place } } }
      """)
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 6, inserted: 4, updated: 2))
    #expect(report.steps.map(\.strategy)[1] == strategy)
    #expect(
      try workspace.query(
        "P.sqlite",
        "SELECT ZDAY, ZCODE, p.Z_ENT = v.Z1_PLACE FROM ZVISIT v JOIN ZPLACE p ON p.Z_PK = ZPLACE ORDER BY ZDAY")
        == ["monday|a|1", "tuesday|b|1"])
    #expect(try await workspace.run("check", "--strict", "P.sqlite").exitCode == 0)
  }

  @Test(
    "a natural key that a step and one for the sub-entity give is the same object's, batches apart",
    arguments: MatchTests.strategies)
  func naturalKeys(strategy: String) async throws {
    let workspace = try Self.workspace(
      """
      - { from: towns.csv, entity: Town, match: [code], map: { code: code, note: note, size: size } }
      - { from: places.csv, entity: Place, match: [code], strategy: \(strategy), map: { code: code, note: note } }
      - { from: visits.csv, entity: Visit, map: { day: day, place: { match: code, from: place } } }
      """)
    let others = (0..<9_000).map { "x\($0),other\n" }.joined()
    try workspace.write("places.csv", "code,note\na,east\n" + others + "a,west\n")
    let report = try await workspace.report("p.yaml")
    #expect(report.total.rejected == 0)
    #expect(
      try workspace.query(
        "P.sqlite", "SELECT ZDAY, ZCODE, ZNOTE FROM ZVISIT v JOIN ZPLACE p ON p.Z_PK = ZPLACE ORDER BY ZDAY")
        == ["monday|a|west", "tuesday|b|south"])
    #expect(try await workspace.report("p.yaml").total.rejected == 0)
  }
}
