import TestSupport
import Testing

/// Records about stored objects that need new objects of each other.
@Suite("Records that need each other")
struct CircularRecordTests {
  private static let guests = """
    - { from: guests.ndjson, entity: Guest, match: code, map: { code: code, friend: { match: code, from: friend }, pet: { from: pet, map: { code: code, tag: tag } } } }
    """
  private static let visitors = """
    - { from: visitors.ndjson, entity: Visitor, match: code, map: { code: code, favourite: { match: code, from: favourite } } }
    """

  /// A store with three guests and a pet, and a pipeline that updates them.
  private func workspace(_ steps: [String], guests: [String], visitors: [String]) async throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Guest">
        <attribute name="code" optional="YES" attributeType="String"/>
        <relationship name="friend" optional="YES" maxCount="1" destinationEntity="Visitor"/>
        <relationship name="pet" optional="YES" maxCount="1" destinationEntity="Pet"/>
      </entity>
      <entity name="Visitor">
        <attribute name="code" optional="YES" attributeType="String"/>
        <relationship name="favourite" optional="YES" maxCount="1" destinationEntity="Pet"/>
      </entity>
      <entity name="Pet">
        <attribute name="code" optional="YES" attributeType="String"/>
        <attribute name="tag" optional="YES" attributeType="String"/>
        \(ModelXML.unique("tag"))
      </entity>
      """)
    let head = "model: M.xcdatamodel\nstore: { path: S.sqlite, replace: never }\nrejects: { limit: 99 }\nimport:\n"
    try workspace.write(
      "before.yaml",
      head + """
        - { from: before.ndjson, entity: Guest, match: code, map: { code: code } }
        - { from: pets.ndjson, entity: Pet, match: code, map: { code: code, tag: tag } }
        """)
    try workspace.write("before.ndjson", (0...2).map { "{\"code\":\"u\($0)\"}\n" }.joined())
    try workspace.write("pets.ndjson", #"{"code":"old","tag":"t"}"#)
    _ = try await workspace.report("before.yaml")
    try workspace.write("p.yaml", head + steps.joined(separator: "\n"))
    try workspace.write("guests.ndjson", guests.joined(separator: "\n"))
    try workspace.write("visitors.ndjson", visitors.joined(separator: "\n"))
    return workspace
  }

  @Test("all are written where all can stand", arguments: [true, false])
  func standing(guestsFirst: Bool) async throws {
    let steps = [Self.guests, Self.visitors]
    let workspace = try await workspace(
      guestsFirst ? steps : steps.reversed(),
      guests: [
        #"{"code":"u1","friend":"y","pet":{"code":"k1","tag":"s"}}"#,
        #"{"code":"u2","friend":"x","pet":{"code":"k2"}}"#,
      ], visitors: [#"{"code":"x","favourite":"k1"}"#, #"{"code":"y","favourite":"k2"}"#])
    #expect(try await workspace.report("p.yaml").total == Report.Counts(read: 4, inserted: 2, updated: 2))
  }

  @Test("a record that a constraint refuses takes only what needs it along", arguments: [true, false])
  func refused(guestsFirst: Bool) async throws {
    let steps = [Self.guests, Self.visitors]
    let workspace = try await workspace(
      guestsFirst ? steps : steps.reversed(),
      guests: [
        #"{"code":"u0","friend":"z","pet":{"code":"k0","tag":"t"}}"#,
        #"{"code":"u1","friend":"y","pet":{"code":"k1"}}"#,
        #"{"code":"u2","friend":"x","pet":{"code":"k2"}}"#,
      ],
      visitors: [
        #"{"code":"x","favourite":"k1"}"#, #"{"code":"y","favourite":"k2"}"#, #"{"code":"z","favourite":"k0"}"#,
      ])
    #expect(try await workspace.report("p.yaml").total == Report.Counts(read: 6, inserted: 2, updated: 2, rejected: 2))
    #expect(
      try workspace.query(
        "S.sqlite", "SELECT g.ZCODE, v.ZCODE FROM ZGUEST g LEFT JOIN ZVISITOR v ON v.Z_PK = g.ZFRIEND ORDER BY 1")
        == ["u0|∅", "u1|y", "u2|x"])
  }

  @Test("none is where two of them bring an object by which a third is to be found", arguments: [true, false])
  func ambiguous(guestsFirst: Bool) async throws {
    let steps = [Self.guests, Self.visitors]
    let workspace = try await workspace(
      guestsFirst ? steps : steps.reversed(),
      guests: [
        #"{"code":"u1","friend":"n","pet":{"code":"k"}}"#, #"{"code":"u2","friend":"n","pet":{"code":"k"}}"#,
      ], visitors: [#"{"code":"n","favourite":"k"}"#])
    #expect(try await workspace.report("p.yaml").total == Report.Counts(read: 3, rejected: 3))
    #expect(try workspace.query("S.sqlite", "SELECT count(*) FROM ZPET") == ["1"])
  }

  @Test(
    "a record that falls when another has been written with it ends the run, which names both",
    arguments: [true, false])
  func fallen(guestsFirst: Bool) async throws {
    let steps = [Self.guests, Self.visitors]
    let workspace = try await workspace(
      guestsFirst ? steps : steps.reversed(),
      guests: [
        #"{"code":"u1","friend":"y","pet":{"code":"k1","tag":"t"}}"#,
        #"{"code":"u2","friend":"x","pet":{"code":"k2"}}"#,
      ], visitors: [#"{"code":"x","favourite":"k1"}"#, #"{"code":"y","favourite":"k2"}"#])
    let before = try workspace.bytes("S.sqlite")
    let ended = try await workspace.run("run", "p.yaml")
    #expect(ended.exitCode == 65 && ended.talk.contains("visitors.ndjson:1:25: \"k1\" matches no object"), "\(ended)")
    #expect(ended.talk.contains("the record at guests.ndjson:2:") && ended.talk.contains("hint: "), "\(ended)")
    #expect(try workspace.bytes("S.sqlite") == before)
  }
}
