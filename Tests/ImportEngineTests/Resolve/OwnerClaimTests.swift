import SQLite
import TestQueries
import TestSupport
import Testing

@Suite("Records that give one object to several owners")
struct OwnerClaimTests {
  private static let badges = "  - { from: badges.ndjson, entity: Badge, match: [number], map: { number: number } }\n"
  private static let people = """
      - from: people.ndjson
        entity: Person
        match: [identifier]
        @
        map: { identifier: id, badge: { match: number, from: badge } }

    """

  /// What records in order leave, by plain rules: a badge goes from the person that has it to the one that is named.
  private struct Twin {
    var badges: [Int: Int] = [:]

    /// - Returns: how many badges were taken from a person to which a record before gave it.
    mutating func take(_ records: [(person: Int, badge: Int?)]) -> Int {
      var contradictions = 0
      var said: Set<Int> = []
      for record in records {
        if let badge = record.badge, let holder = badges.first(where: { $0.value == badge })?.key,
          holder != record.person
        {
          badges[holder] = nil
          if said.contains(holder) { contradictions += 1 }
        }
        badges[record.person] = record.badge
        said.insert(record.person)
      }
      return contradictions
    }
  }

  private func write(_ records: [(person: Int, badge: Int?)], to town: Town) throws {
    try town.write(
      "people.ndjson", records.map { #"{"id": "p\#($0.person)", "badge": \#($0.badge.map { "\($0)" } ?? "null")}"# })
  }

  @Test(
    "the last record that names an object has it, and the run warns of those that lose it",
    arguments: UInt64(1)...6, [(1, false), (3, true), (8192, false), (8192, true)])
  func random(seed: UInt64, form: (recordsPerBatch: Int, isInPlace: Bool)) throws {
    var generator = SeededGenerator(seed: seed)
    let town = try Town()
    try town.write("badges.ndjson", (0..<8).map { #"{"number": \#($0)}"# })
    var twin = Twin()
    for feed in 0..<4 {
      let records = (0..<8).shuffled(using: &generator).prefix(6).map { person in
        (person: person, badge: Bool.random(using: &generator) ? Int.random(in: 0..<8, using: &generator) : nil)
      }
      try write(records, to: town)
      let expected = twin.take(records)
      // In the first feed of every other seed, badges come after the people that have them.
      let isLate = feed == 0 && seed.isMultiple(of: 2)
      let result = try town.run(
        isLate ? Self.people + Self.badges : Self.badges + Self.people,
        strategy: seed.isMultiple(of: 3) ? "strategy: find-or-create" : "", isNew: feed == 0,
        isInPlace: feed > 0 && form.isInPlace, recordsPerBatch: form.recordsPerBatch)
      let stored = try Connection.rows(
        at: town.folder.path("Town.sqlite"),
        "SELECT P.ZIDENTIFIER, B.ZNUMBER FROM ZPERSON P JOIN ZBADGE B ON P.ZBADGE = B.Z_PK AND B.ZPERSON = P.Z_PK ORDER BY 1"
      )
      #expect(stored == twin.badges.sorted { $0.key < $1.key }.map { "p\($0.key)|\($0.value)" })
      let warnings = result.warnings.filter { $0.hasPrefix("Person.badge: ") }
      #expect(warnings.count == (expected > 0 ? 1 : 0))
      #expect(
        warnings.allSatisfy { $0.hasPrefix("Person.badge: \(expected) Badge object") }, "\(expected): \(warnings)")
    }
  }

  @Test("the warning says where the first record is, and a moved object is none")
  func places() throws {
    let town = try Town()
    try town.write("badges.ndjson", (0..<4).map { #"{"number": \#($0)}"# })
    try write([(1, 1), (2, 2), (3, 1), (4, 2)], to: town)
    let first = try town.run(Self.badges + Self.people, strategy: "")
    #expect(
      first.warnings == [
        "Person.badge: 2 Badge objects were given to another Person by a later record and taken from the one that an "
          + "earlier record names (the first: \(town.folder.path("people.ndjson")):3)"
      ])
    try write([(1, 2), (3, 3), (4, 1), (2, nil)], to: town)
    #expect(try town.run(Self.badges + Self.people, strategy: "", isNew: false).warnings.isEmpty)
  }

  @Test("objects that change places in a later step are no contradiction, and kept ones claim nothing")
  func laterSteps() throws {
    let town = try Town()
    try town.write("badges.ndjson", (0..<4).map { #"{"number": \#($0)}"# })
    try write([(1, 1), (2, 2)], to: town)
    try town.write("more.ndjson", [#"{"id": "p1", "badge": 2}"#, #"{"id": "p2", "badge": 1}"#])
    let more = Self.people.replacing("people.ndjson", with: "more.ndjson")
    #expect(try town.run(Self.badges + Self.people + more, strategy: "").warnings.isEmpty)
    // New objects are given what their records say, also where matches are kept.
    try write([(1, 1), (2, 1)], to: town)
    let keep = try town.run(Self.badges + Self.people, strategy: "on-match: keep")
    #expect(keep.warnings.count == 1)
    try write([(1, 2), (2, 2)], to: town)
    #expect(try town.run(Self.badges + Self.people, strategy: "on-match: keep", isNew: false).warnings.isEmpty)
  }

  @Test("lists that share a member are told as well, nested ones too", arguments: [false, true])
  func lists(isNested: Bool) throws {
    let town = try Town()
    let owners = """
        - from: owners.ndjson
          entity: Shop
          match: [city, number]
          map: { number: number, title: number, city: { match: code, from: "'c'" }, rows: \(isNested ? "{ from: rows, match: [label], map: { label: label } }" : "{ match: label, from: rows }") }

      """
    let cities = "  - { from: cities.ndjson, entity: City, match: [code], map: { code: code } }\n"
    try town.write("cities.ndjson", [#"{"code": "c"}"#])
    let rows = "  - { from: rows.ndjson, entity: Row, match: [label], map: { label: label } }\n"
    try town.write("rows.ndjson", ["a", "b", "c"].map { #"{"label": "\#($0)"}"# })
    func list(_ labels: String...) -> String {
      "[\(labels.map { isNested ? #"{"label": "\#($0)"}"# : #""\#($0)""# }.joined(separator: ", "))]"
    }
    try town.write(
      "owners.ndjson",
      [#"{"number": 1, "rows": \#(list("a", "b"))}"#, #"{"number": 2, "rows": \#(list("b", "c"))}"#])
    let result = try town.run(cities + rows + owners, strategy: "")
    #expect(result.rejects.isEmpty)
    #expect(
      result.warnings.filter { $0.hasPrefix("Shop.rows: 1 Row object was given to a second Shop") }.count == 1,
      "\(result.warnings)")
  }
}
