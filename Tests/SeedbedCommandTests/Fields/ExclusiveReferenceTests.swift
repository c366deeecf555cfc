import Testing

/// References that break a rule only once all records are there: whether they do does not depend on the order of steps.
@Suite("References judged at the end")
struct ExclusiveReferenceTests {
  private static let entities = """
    <entity name="Person">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="badge" maxCount="1" destinationEntity="Badge" inverseName="person"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Badge">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="person" optional="YES" maxCount="1" destinationEntity="Person" inverseName="badge"/>
    </entity>
    <entity name="Shop">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="city" maxCount="1" destinationEntity="City"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Stall">
      <attribute name="code" optional="YES" attributeType="String"/>
      <attribute name="number" optional="YES" attributeType="Integer 32"/>
      <relationship name="city" optional="YES" maxCount="1" destinationEntity="City"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="number"/><constraint value="city"/>
      </uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="City"><attribute name="code" optional="YES" attributeType="String"/></entity>
    <entity name="Node">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="base" optional="YES" maxCount="1" destinationEntity="Part"/>
      <relationship name="parts" optional="YES" toMany="YES" destinationEntity="Part"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Part"><attribute name="code" optional="YES" attributeType="String"/></entity>
    <entity name="Wheel" parentEntity="Part"/>
    <entity name="Door" parentEntity="Part"/>
    """

  private func workspace(_ steps: String, _ files: [String: String]) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      "M.xcdatamodel/contents",
      "<?xml version=\"1.0\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">"
        + Self.entities + "</model>")
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: S.sqlite, replace: never }\nrejects: { limit: 9 }\nimport:\n\(steps)\n")
    for (name, text) in files { try workspace.write(name, text) }
    return workspace
  }

  @Test("a second object for a mandatory partner is rejected, whichever step comes first", arguments: [true, false])
  func partner(badgesFirst: Bool) async throws {
    let steps = [
      "- { from: badges.ndjson, entity: Badge, match: code, map: { code: code } }",
      "- { from: people.ndjson, entity: Person, match: code, map: { code: code, badge: { match: code, from: badge } } }",
    ]
    let workspace = try workspace(
      (badgesFirst ? steps : steps.reversed()).joined(separator: "\n"),
      [
        "people.ndjson": #"{"code":"a","badge":"x"}"# + "\n" + #"{"code":"b","badge":"x"}"#,
        "badges.ndjson": #"{"code":"x"}"#,
      ])
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 3, inserted: 2, rejected: 1))
    #expect(
      try workspace.query(
        "S.sqlite",
        "SELECT p.ZCODE, b.ZCODE, b.ZPERSON = p.Z_PK FROM ZPERSON p LEFT JOIN ZBADGE b ON b.Z_PK = p.ZBADGE")
        == ["a|x|1"])
  }

  @Test("a mandatory reference that may be missing is not", arguments: ["upsert", "find-or-create"])
  func mandatory(strategy: String) async throws {
    let workspace = try workspace(
      """
      - { from: a.ndjson, entity: Shop, match: code, strategy: \(strategy), map: { code: code, city: { match: code, from: city } } }
      - { from: b.ndjson, entity: Shop, match: code, strategy: \(strategy), map: { code: code, city: { match: code, from: city, missing: "null" } } }
      """, ["a.ndjson": #"{"code":"s","city":"zz"}"#, "b.ndjson": #"{"code":"s","city":"zy"}"#])
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 2, rejected: 2))
    #expect(try workspace.query("S.sqlite", "SELECT count(*) FROM ZSHOP") == ["0"])
  }

  @Test("a nested object of another entity takes the place of the one before, which goes")
  func otherEntity() async throws {
    let workspace = try workspace(
      """
      - { from: a.ndjson, entity: Node, match: code, map: { code: code, base: { from: base, entity: Wheel, map: { code: code } }, parts: { from: parts, entity: Wheel, map: { code: code } } } }
      - { from: a.ndjson, entity: Node, match: code, map: { code: code, base: { from: base, entity: Door, map: { code: code } }, parts: { from: parts, entity: Door, map: { code: code } } } }
      """, ["a.ndjson": #"{"code":"n","base":{"code":"1"},"parts":[{"code":"2"},{"code":"3"}]}"#])
    for _ in 0..<2 {
      #expect(try await workspace.report("p.yaml").total.rejected == 0)
      #expect(
        try workspace.query("S.sqlite", "SELECT count(*), count(DISTINCT Z_ENT) FROM ZPART") == ["3|1"])
    }
  }

  @Test("a run that a late reference ends names the record, and the order in which it is a reject")
  func constraint() async throws {
    let steps = [
      "- { from: stalls.ndjson, entity: Stall, match: code, map: { code: code, number: n, city: { match: code, from: city } } }",
      "- { from: cities.ndjson, entity: City, match: code, map: { code: code } }",
    ]
    let files = [
      "stalls.ndjson": (1...3).map { #"{"code":"s\#($0)","n":\#($0 % 2),"city":"x"}"# }.joined(separator: "\n"),
      "cities.ndjson": #"{"code":"x"}"#,
    ]
    let late = try workspace(steps.joined(separator: "\n"), files)
    let ended = try await late.run("run", "p.yaml")
    #expect(ended.exitCode == 65 && ended.talk.contains("stalls.ndjson:3:"), "\(ended)")
    #expect(ended.talk.contains("put the step of City first"), "\(ended)")
    #expect(!late.exists("S.sqlite"))
    let early = try workspace(steps.reversed().joined(separator: "\n"), files)
    #expect(try await early.report("p.yaml").total == Report.Counts(read: 4, inserted: 3, rejected: 1))
  }
}
