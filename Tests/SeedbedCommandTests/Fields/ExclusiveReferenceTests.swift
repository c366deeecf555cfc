import TestSupport
import Testing

/// References that break a rule only once all records are there: whether they do does not depend on the order of steps.
@Suite("References judged at the end")
struct ExclusiveReferenceTests {
  private static let entities = """
    <entity name="Person">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="badge" maxCount="1" destinationEntity="Badge" inverseName="person"/>
      \(ModelXML.unique("code"))
    </entity>
    <entity name="Badge">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="person" optional="YES" maxCount="1" destinationEntity="Person" inverseName="badge"/>
    </entity>
    <entity name="Pilot">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="plate" maxCount="1" destinationEntity="Plate" inverseName="pilot"/>
      <relationship name="city" optional="YES" maxCount="1" destinationEntity="City"/>
      <relationship name="leader" optional="YES" maxCount="1" destinationEntity="Pilot"/>
      \(ModelXML.unique("code"))
    </entity>
    <entity name="Plate">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="pilot" optional="YES" maxCount="1" destinationEntity="Pilot" inverseName="plate"/>
    </entity>
    <entity name="Rider">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="horse" maxCount="1" destinationEntity="Horse" inverseName="rider"/>
      <relationship name="saddle" maxCount="1" destinationEntity="Saddle" inverseName="rider"/>
    </entity>
    <entity name="Horse">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="rider" optional="YES" maxCount="1" destinationEntity="Rider" inverseName="horse"/>
    </entity>
    <entity name="Saddle">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="rider" optional="YES" maxCount="1" destinationEntity="Rider" inverseName="saddle"/>
    </entity>
    <entity name="Shop">
      <attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="city" maxCount="1" destinationEntity="City"/>
      \(ModelXML.unique("code"))
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
      \(ModelXML.unique("code"))
    </entity>
    <entity name="Part"><attribute name="code" optional="YES" attributeType="String"/></entity>
    <entity name="Wheel" parentEntity="Part"/>
    <entity name="Door" parentEntity="Part"/>
    """

  private func workspace(_ steps: String, _ files: [String: String]) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities)
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: S.sqlite, replace: never }\nrejects: { limit: 99 }\nimport:\n\(steps)\n")
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

  @Test("a stored owner keeps a mandatory partner, whichever step comes first", arguments: [true, false])
  func storedOwner(platesFirst: Bool) async throws {
    let steps = [
      "- { from: plates.ndjson, entity: Plate, match: code, map: { code: code } }",
      "- { from: pilots.ndjson, entity: Pilot, match: code, map: { code: code, plate: { match: code, from: plate }, leader: { match: code, from: leader } } }",
    ]
    let workspace = try workspace(
      (platesFirst ? steps : steps.reversed()).joined(separator: "\n"),
      ["plates.ndjson": #"{"code":"1"}"#, "pilots.ndjson": #"{"code":"a","plate":"1"}"#])
    #expect(try await workspace.report("p.yaml").total.inserted == 2)
    // "b" waits for "c", which has a plate.
    try workspace.write("plates.ndjson", #"{"code":"1"}"# + "\n" + #"{"code":"2"}"#)
    try workspace.write(
      "pilots.ndjson", #"{"code":"b","plate":"1","leader":"c"}"# + "\n" + #"{"code":"c","plate":"2"}"#)
    #expect(try await workspace.report("p.yaml").total.rejected == 1)
    #expect(
      try workspace.query(
        "S.sqlite", "SELECT p.ZCODE, b.ZCODE FROM ZPILOT p JOIN ZPLATE b ON b.ZPILOT = p.Z_PK ORDER BY 1")
        == ["a|1", "c|2"])
  }

  @Test("a record whose partner is taken does not take records along that are about the same objects")
  func beaten() async throws {
    let workspace = try workspace(
      """
      - { from: f0.ndjson, entity: Pilot, match: code, map: { code: code, plate: { match: code, from: plate }, city: { from: city, match: code, map: { code: code } } } }
      - { from: f1.ndjson, entity: Pilot, match: code, map: { code: code, plate: { match: code, from: plate } } }
      - { from: f2.ndjson, entity: City, match: code, map: { code: code } }
      - { from: plates.ndjson, entity: Plate, match: code, map: { code: code } }
      """,
      [
        "f0.ndjson": #"{"code":"a","plate":"1"}"# + "\n" + #"{"code":"b","plate":"1","city":{"code":"c"}}"#,
        "f1.ndjson": #"{"code":"b","plate":"2"}"#, "f2.ndjson": #"{"code":"c"}"#,
        "plates.ndjson": #"{"code":"1"}"# + "\n" + #"{"code":"2"}"#,
      ])
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 6, inserted: 5, rejected: 1))
    #expect(report.rejects.map(\.code) == ["reference.taken"])
    #expect(
      try workspace.query(
        "S.sqlite", "SELECT p.ZCODE, b.ZCODE FROM ZPILOT p JOIN ZPLATE b ON b.ZPILOT = p.Z_PK ORDER BY 1")
        == ["a|1", "b|2"])
    #expect(try workspace.query("S.sqlite", "SELECT ZCODE FROM ZCITY") == ["c"])
  }

  @Test("a record may wait for two objects that it must have for itself")
  func two() async throws {
    let workspace = try workspace(
      """
      - { from: a.ndjson, entity: Rider, match: code, map: { code: code, horse: { match: code, from: horse }, saddle: { match: code, from: saddle } } }
      - { from: b.ndjson, entity: Horse, match: code, map: { code: code } }
      - { from: b.ndjson, entity: Saddle, match: code, map: { code: code } }
      """, ["a.ndjson": #"{"code":"r","horse":"x","saddle":"x"}"#, "b.ndjson": #"{"code":"x"}"#])
    #expect(try await workspace.report("p.yaml").total == Report.Counts(read: 3, inserted: 3))
    #expect(
      try workspace.query(
        "S.sqlite",
        "SELECT count(*) FROM ZRIDER r JOIN ZHORSE h ON h.Z_PK = r.ZHORSE AND h.ZRIDER = r.Z_PK "
          + "JOIN ZSADDLE s ON s.Z_PK = r.ZSADDLE AND s.ZRIDER = r.Z_PK") == ["1"])
  }

  @Test("a record that falls leaves its mandatory partner to the next one", arguments: 0..<8)
  func fallen(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    struct Pilot {
      var plate: Int
      var city: Bool
      /// Of an earlier record.
      var leader: Int?
    }
    let count = Int.random(in: 2...12, using: &random)
    let plates = Int.random(in: 1...count, using: &random)
    let pilots = (0..<count).map { index in
      Pilot(
        plate: .random(in: 0..<plates, using: &random), city: .random(in: 0..<4, using: &random) > 0,
        leader: index > 0 && Bool.random(using: &random) ? .random(in: 0..<index, using: &random) : nil)
    }
    var owners: [Int: Int] = [:]
    var standing: Set<Int> = []
    for (index, pilot) in pilots.enumerated()
    where pilot.city && owners[pilot.plate] == nil && pilot.leader.map(standing.contains) ?? true {
      owners[pilot.plate] = index
      standing.insert(index)
    }
    let lines = pilots.enumerated().map { index, pilot in
      #"{"code":"p\#(index)","plate":"\#(pilot.plate)","city":"\#(pilot.city ? "x" : "none")""#
        + (pilot.leader.map { #","leader":"p\#($0)""# } ?? "") + "}"
    }
    // Where the plates are first, records that need not wait have theirs first.
    let steps = [
      "- { from: pilots.ndjson, entity: Pilot, match: code, map: { code: code, plate: { match: code, from: plate }, "
        + "city: { match: code, from: city }, leader: { match: code, from: leader } } }",
      "- { from: plates.ndjson, entity: Plate, match: code, map: { code: code } }",
    ]
    let cities = "- { from: cities.ndjson, entity: City, match: code, map: { code: code } }"
    let place = Int.random(in: 0...steps.count, using: &random)
    let workspace = try workspace(
      (steps[..<place] + [cities] + steps[place...]).joined(separator: "\n"),
      [
        "pilots.ndjson": lines.joined(separator: "\n"), "cities.ndjson": #"{"code":"x"}"#,
        "plates.ndjson": (0..<plates).map { #"{"code":"\#($0)"}"# }.joined(separator: "\n"),
      ])
    let report = try await workspace.report("p.yaml")
    #expect(
      try workspace.query(
        "S.sqlite",
        "SELECT p.ZCODE, b.ZCODE FROM ZPILOT p JOIN ZPLATE b ON b.Z_PK = p.ZPLATE AND b.ZPILOT = p.Z_PK ORDER BY b.ZCODE + 0"
      )
        == owners.sorted { $0.key < $1.key }.map { "p\($0.value)|\($0.key)" }, "\(place) \(lines)")
    #expect(report.total.rejected == count - standing.count)
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
