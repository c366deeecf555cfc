import SQLite
import TestQueries
import TestSupport
import Testing

@testable import ImportEngine

/// In a store that was there before, objects whose members change count one version up per run; in a new one none does.
@Suite("Owners of imported members")
struct OwnersUpdatedTests {
  private static let steps = """
      - from: cities.ndjson
        entity: City
        match: [code]
        strategy: @
        map: { code: code, name: name }
      - from: managers.ndjson
        entity: Manager
        match: [identifier]
        map: { identifier: id, name: name }
    \(Town.shopStep)
    """

  private func shop(_ city: String, _ number: Int, _ owner: String?, title: String = "Shop") -> String {
    let owner = owner.map { "\"\($0)\"" } ?? "null"
    return #"{"city": "\#(city)", "number": \#(number), "title": "\#(title)", "owner": \#(owner)}"#
  }

  private func fill(_ town: Town) throws {
    try town.write("cities.ndjson", (0..<6).map { #"{"code": "c\#($0)", "name": "City"}"# })
    try town.write("managers.ndjson", (0..<4).map { #"{"id": "p\#($0)", "name": "Person"}"# })
    try town.write(
      "shops.ndjson", [shop("c0", 1, "p0"), shop("c1", 1, "p0"), shop("c1", 2, "p1"), shop("c5", 1, "p3")])
  }

  private func versions(_ town: Town) throws -> [String] {
    try lines(
      town,
      "SELECT ZCODE || ' ' || Z_OPT FROM ZCITY UNION ALL SELECT ZIDENTIFIER || ' ' || Z_OPT FROM ZPERSON ORDER BY 1")
  }

  /// Of each owner the number of changes of type "update" in the store's history.
  private func updates(_ town: Town) throws -> [String] {
    try lines(
      town,
      """
      SELECT name || ' ' || count(*) FROM ACHANGE JOIN (
        SELECT Z_ENT, Z_PK, ZCODE AS name FROM ZCITY UNION ALL SELECT Z_ENT, Z_PK, ZIDENTIFIER FROM ZPERSON
      ) AS owners ON owners.Z_ENT = ZENTITY AND owners.Z_PK = ZENTITYPK WHERE ZCHANGETYPE = 1 GROUP BY name ORDER BY name
      """)
  }

  private func lines(_ town: Town, _ sql: String) throws -> [String] {
    try Connection.rows(at: town.folder.path("Town.sqlite"), sql)
  }

  private static let strategies = ["bulk", "upsert", "find-or-create"]

  @Test("a new store has version 1 everywhere", arguments: strategies, [2, 8192])
  func fresh(strategy: String, records: Int) throws {
    let town = try Town()
    try fill(town)
    let result = try town.run(Self.steps, strategy: strategy, recordsPerBatch: records)
    #expect(try versions(town).allSatisfy { $0.hasSuffix(" 1") } && result.ownersUpdated == 0)
  }

  @Test(
    "an existing one counts every owner once, beside its own changes, whatever the strategy",
    arguments: ["upsert", "find-or-create"], [1, 2, 8192])
  func existing(strategy: String, records: Int) throws {
    let town = try Town()
    try fill(town)
    try town.run(Self.steps, strategy: "bulk")
    try town.write(
      "cities.ndjson",
      [#"{"code": "c0", "name": "Named"}"#, #"{"code": "c2", "name": "City"}"#, #"{"code": "c9", "name": "New"}"#])
    try town.write(
      "shops.ndjson",
      [
        // Unchanged, moved to another person, new ones with a city that changes itself, that does not and that is new.
        shop("c1", 2, "p1"), shop("c1", 1, "p1"), shop("c0", 2, "p0"), shop("c2", 1, "p2"), shop("c2", 2, "p2"),
        shop("c9", 1, nil), shop("c1", 2, "p1", title: "Other"),
        // Refused, one of them late.
        #"{"city": "c3", "number": 1, "owner": "p3"}"#, shop("c4", 1, "nobody"),
      ])
    let result = try town.run(
      Self.steps + "\n    duplicates: last", strategy: strategy, isNew: false, recordsPerBatch: records)
    #expect(
      try versions(town) == [
        "c0 2", "c1 1", "c2 2", "c3 1", "c4 1", "c5 1", "c9 1", "p0 2", "p1 2", "p2 2", "p3 1",
      ])
    #expect(result.ownersUpdated == 4)
    #expect(result.counts[0].contains("1 inserted, 1 updated, 1 unchanged"))
    #expect(result.counts[1].contains("0 inserted, 0 updated, 4 unchanged"))
    // What is refused again comes and goes.
    let versions = try versions(town)
    let again = try town.run(
      Self.steps + "\n    duplicates: last", strategy: strategy, isNew: false, recordsPerBatch: records)
    #expect(try again.ownersUpdated == 0 && self.versions(town) == versions)
    try town.write("shops.ndjson", [shop("c1", 2, "p1", title: "Other"), shop("c2", 2, "p2")])
    let bytes = try town.storeBytes()
    let last = try town.run(Self.steps, strategy: strategy, isNew: false, recordsPerBatch: records)
    #expect(try last.ownersUpdated == 0 && town.storeBytes() == bytes)
  }

  @Test(
    "history has one row for each owner and run, for its own change and its members, in place or not",
    arguments: [false, true], ["upsert", "find-or-create"])
  func history(isInPlace: Bool, strategy: String) throws {
    for records in [1, 8192] {
      let town = try Town()
      try town.makeStoreWithHistory()
      try fill(town)
      try town.run(Self.steps, strategy: strategy, isNew: false, isInPlace: isInPlace, recordsPerBatch: records)
      #expect(try versions(town).allSatisfy { $0.hasSuffix(" 1") })
      let before = try updates(town)
      #expect(before == [], "\(before)")
      // One person loses two shops to another; a city gets two, and a name of its own.
      try town.write("cities.ndjson", [#"{"code": "c1", "name": "City"}"#, #"{"code": "c5", "name": "Named"}"#])
      try town.write(
        "shops.ndjson",
        [
          shop("c0", 1, "p1"), shop("c1", 1, "p1"), shop("c5", 2, "p3"), shop("c5", 3, "p3"), shop("c1", 2, "p1"),
        ])
      let result = try town.run(
        Self.steps, strategy: strategy, isNew: false, isInPlace: isInPlace, recordsPerBatch: records)
      #expect(
        try versions(town) == [
          "c0 1", "c1 1", "c2 1", "c3 1", "c4 1", "c5 2", "p0 2", "p1 2", "p2 1", "p3 2",
        ])
      #expect(result.ownersUpdated == 3)
      #expect(try updates(town) == ["c5 1", "p0 1", "p1 1", "p3 1"])
      // The city's one says of its name, the third of six properties, and of its members, the fifth.
      #expect(
        try lines(
          town,
          "SELECT hex(ZCOLUMNS) FROM ACHANGE JOIN ZCITY AS c ON c.Z_ENT = ZENTITY AND c.Z_PK = ZENTITYPK "
            + "WHERE ZCODE = 'c5' AND ZCHANGETYPE = 1") == ["28"])
      // Nothing new is no update.
      let again = try town.run(
        Self.steps, strategy: strategy, isNew: false, isInPlace: isInPlace, recordsPerBatch: records)
      #expect(again.ownersUpdated == 0)
      #expect(try updates(town) == ["c5 1", "p0 1", "p1 1", "p3 1"])
    }
  }

  @Test("both sides of many-to-many relationships and ordered lists count, too", arguments: [1, 8192])
  func lists(records: Int) throws {
    let town = try Town()
    try town.write("tags.ndjson", (0..<4).map { #"{"name": "t\#($0)"}"# })
    try town.write(
      "people.ndjson", [#"{"id": "p0", "tags": ["t0", "t1"]}"#, #"{"id": "p1", "tags": ["t1"]}"#])
    let steps = """
        - { from: tags.ndjson, entity: Tag, match: [name], map: { name: name } }
        - from: people.ndjson
          entity: Person
          match: [identifier]
          map: { identifier: id, tags: { match: name, from: tags } }
      """
    try town.run(steps, strategy: "")
    try town.write(
      "people.ndjson",
      [#"{"id": "p0", "tags": ["t0", "t2"]}"#, #"{"id": "p1", "tags": ["t1"]}"#, #"{"id": "p2", "tags": ["t2"]}"#])
    let result = try town.run(steps, strategy: "", isNew: false, recordsPerBatch: records)
    let connection = try Connection(path: town.folder.path("Town.sqlite"), options: .init(isReadOnly: true))
    defer { try? connection.close() }
    let versions = try connection.string(
      "SELECT group_concat(v) FROM (SELECT ZNAME || Z_OPT AS v FROM ZTAG UNION ALL "
        + "SELECT ZIDENTIFIER || Z_OPT FROM ZPERSON ORDER BY 1)")
    #expect(versions == "p02,p11,p21,t01,t12,t22,t31")
    // The person is changed by its own record.
    #expect(result.ownersUpdated == 2)
  }
}
