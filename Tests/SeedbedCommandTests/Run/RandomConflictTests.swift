import TestSupport
import Testing

/// Random records for objects with several unique values each, most of which are taken.
@Suite("Random constraint conflicts")
struct RandomConflictTests {
  private struct Record {
    var code: String
    var tag: String?
    var pet: String?

    /// What no other object may have.
    var values: [String] { ["code \(code)"] + [tag.map { "tag \($0)" }, pet.map { "pet \($0)" }].compactMap(\.self) }

    var line: String {
      "{\"code\":\"\(code)\"" + (tag.map { ",\"tag\":\"\($0)\"" } ?? "")
        + (pet.map { ",\"pet\":{\"name\":\"\($0)\"}" } ?? "")
        + "}"
    }

    static func random(_ spread: Int, using random: inout SeededGenerator) -> Record {
      func word() -> String { "\(Int.random(in: 0..<spread, using: &random))" }
      return Record(
        code: word(), tag: Bool.random(using: &random) ? word() : nil, pet: Bool.random(using: &random) ? word() : nil)
    }
  }

  private static func constraint(_ name: String) -> String {
    "<uniquenessConstraint><constraint value=\"\(name)\"/></uniquenessConstraint>"
  }

  @Test(
    "a record stands where none before it that stands has a value of it, in a new store and in one that is there",
    arguments: 0..<5 as Range<UInt64>, ["automatic", "find-or-create"])
  func twin(seed: UInt64, strategy: String) async throws {
    var random = SeededGenerator(seed: seed)
    let workspace = try Workspace()
    func attribute(_ name: String) -> String {
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"/>"
    }
    try workspace.writeModel(
      """
      <entity name="Account">\(attribute("code"))\(attribute("tag"))
        <relationship name="pet" optional="YES" maxCount="1" destinationEntity="Pet"/>
        <uniquenessConstraints>\(Self.constraint("code"))\(Self.constraint("tag"))</uniquenessConstraints></entity>
      <entity name="Pet">\(attribute("name"))<uniquenessConstraints>\(Self.constraint("name"))</uniquenessConstraints></entity>
      """)
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite, replace: never }
      rejects: { limit: 1000 }
      import:
      - { from: a.ndjson, entity: Account, strategy: \(strategy), map: { code: code, tag: tag, pet: { from: pet, map: { name: name } } } }
      """)
    var taken: Set<String> = []
    var stored: [String] = []
    for _ in 0..<3 {
      let spread = Int.random(in: 2...300, using: &random)
      let records = (0..<Int.random(in: 1...200, using: &random)).map { _ in Record.random(spread, using: &random) }
      var refused: [Int] = []
      for (index, record) in records.enumerated() {
        if record.values.contains(where: taken.contains) {
          refused.append(index + 1)
        } else {
          taken.formUnion(record.values)
          stored.append("\(record.code)|\(record.tag ?? "∅")|\(record.pet ?? "∅")")
        }
      }
      try workspace.write("a.ndjson", records.map { $0.line + "\n" }.joined())
      let report = try await workspace.report("p.yaml")
      #expect(
        report.total
          == Report.Counts(read: records.count, inserted: records.count - refused.count, rejected: refused.count))
      #expect(report.rejects.map(\.line) == Array(refused.prefix(20)))
      #expect(report.rejects.allSatisfy { $0.code == "constraint.conflict" })
      #expect(
        try workspace.query(
          "S.sqlite",
          "SELECT a.ZCODE, a.ZTAG, p.ZNAME FROM ZACCOUNT a LEFT JOIN ZPET p ON p.Z_PK = a.ZPET ORDER BY a.Z_PK")
          == stored)
      #expect(
        try workspace.query("S.sqlite", "SELECT count(*) FROM ZPET") == [
          "\(taken.filter { $0.hasPrefix("pet") }.count)"
        ])
    }
  }
}
