import CoreDataLayout
import Foundation
import ModelFiles
import SQLite
import TestSupport
import Testing

@testable import ImportEngine
@testable import StoreModels

/// Random feeds into a store that was there: every object that is another one afterwards, by its own record, by its
/// members or by both, counts one version up and has one row of history; no other has either.
@Suite("Random owners of imported members")
struct RandomOwnerTests {
  /// The whole town as values: what the feeds say it is.
  private struct Twin {
    var cities: [String: String] = [:]
    var people: [String: (name: String, tags: Set<String>)] = [:]
    var tags: Set<String> = []
    /// By city and number.
    var shops: [String: (title: String, owner: String?)] = [:]

    /// What there is to say of each object, by its name.
    var objects: [String: String] {
      var objects: [String: String] = [:]
      for (city, name) in cities {
        objects[city] = name + shops.keys.filter { $0.hasPrefix(city + "/") }.sorted().joined(separator: ",")
      }
      for (person, (name, tags)) in people {
        let shops = shops.filter { $0.value.owner == person }.keys.sorted()
        objects[person] = "\(name) \(tags.sorted()) \(shops)"
      }
      for tag in tags { objects[tag] = "\(people.filter { $0.value.tags.contains(tag) }.keys.sorted())" }
      for (shop, (title, owner)) in shops { objects[shop] = "\(title) \(owner ?? "-")" }
      return objects
    }
  }

  private static func steps(_ order: [String], shops: String) -> String {
    let steps = [
      "tags": "  - { from: tags.ndjson, entity: Tag, match: [name], map: { name: name } }",
      "cities": """
        - from: cities.ndjson
          entity: City
          match: [code]
          strategy: @
          map: { code: code, name: name }
      """,
      "people": """
        - from: people.ndjson
          entity: Manager
          match: [identifier]
          map: { identifier: id, name: name, tags: { match: name, from: tags } }
      """,
      "shops": """
        - from: shops.ndjson
          entity: Shop
          match: [city, number]
          strategy: \(shops)
          map:
            number: number
            title: title
            city: { match: code, from: city }
            owner: { match: identifier, from: owner }
      """,
    ]
    return order.compactMap { steps[$0] }.joined(separator: "\n")
  }

  /// Writes random feeds, and says in the twin what they make of the town.
  private func feed(_ town: Town, _ twin: inout Twin, _ random: inout SeededGenerator, withShops: Bool) throws {
    func some(_ count: Int) -> [Int] { (0..<count).filter { _ in Bool.random(using: &random) } }
    let tags = some(4)
    for tag in tags { twin.tags.insert("t\(tag)") }
    try town.write("tags.ndjson", tags.map { #"{"name": "t\#($0)"}"# })
    var lines: [String] = []
    for city in some(5) {
      let name = "N\(Int.random(in: 0..<2, using: &random))"
      twin.cities["c\(city)"] = name
      lines.append(#"{"code": "c\#(city)", "name": "\#(name)"}"#)
    }
    try town.write("cities.ndjson", lines)
    lines = []
    for person in some(5) {
      let name = "N\(Int.random(in: 0..<2, using: &random))"
      let tags = twin.tags.sorted().filter { _ in Bool.random(using: &random) }
      twin.people["p\(person)"] = (name, Set(tags))
      lines.append(#"{"id": "p\#(person)", "name": "\#(name)", "tags": \#(tags)}"#)
    }
    try town.write("people.ndjson", lines)
    lines = []
    let cities = twin.cities.keys.sorted()
    for shop in some(12) where withShops && !cities.isEmpty {
      let (city, number) = (cities[shop % cities.count], shop / cities.count)
      let owner = Bool.random(using: &random) ? twin.people.keys.sorted().randomElement(using: &random) : nil
      let title = "T\(Int.random(in: 0..<2, using: &random))"
      twin.shops["\(city)/\(number)"] = (title, owner)
      let text = owner.map { "\"\($0)\"" } ?? "null"
      lines.append(#"{"city": "\#(city)", "number": \#(number), "title": "\#(title)", "owner": \#(text)}"#)
    }
    try town.write("shops.ndjson", lines)
  }

  private static let objects = """
    SELECT Z_ENT AS e, Z_PK AS k, ZCODE AS name, Z_OPT AS v FROM ZCITY
    UNION ALL SELECT Z_ENT, Z_PK, ZIDENTIFIER, Z_OPT FROM ZPERSON
    UNION ALL SELECT Z_ENT, Z_PK, ZNAME, Z_OPT FROM ZTAG
    UNION ALL SELECT s.Z_ENT, s.Z_PK, ZCODE || '/' || s.ZNUMBER, s.Z_OPT FROM ZSHOP AS s JOIN ZCITY AS c ON c.Z_PK = s.ZCITY
    """

  private func numbers(_ town: Town, _ sql: String) throws -> [String: Int64] {
    let connection = try Connection(path: town.folder.path("Town.sqlite"), options: .init(isReadOnly: true))
    defer { try? connection.close() }
    let statement = try Statement(connection, sql)
    defer { statement.finalize() }
    var numbers: [String: Int64] = [:]
    while try statement.step() { numbers[statement.string(at: 0) ?? ""] = statement.int64(at: 1) }
    return numbers
  }

  @Test(
    "say the same as a twin, in place or not",
    arguments: [(false, true), (true, true), (false, false)], ["upsert", "find-or-create"])
  func random(how: (isInPlace: Bool, keepsHistory: Bool), strategy: String) throws {
    for seed in 0..<4 {
      var random = SeededGenerator(seed: UInt64(seed))
      let town = try Town()
      let model = try StoreModel.readFile(
        path: town.folder.path("Town.xcdatamodel"), version: nil, templatePath: nil
      ).model
      var options = SQLiteStore.Options()
      options.tracksHistory = how.keepsHistory
      try SQLiteStore.create(path: town.folder.path("Town.sqlite"), model: model, options: options).close()
      var twin = Twin()
      for round in 0..<6 {
        let before = twin.objects
        let versions = try numbers(town, "SELECT name, v FROM (\(Self.objects))")
        let last =
          how.keepsHistory ? try numbers(town, "SELECT 'last', IFNULL(max(Z_PK), 0) FROM ACHANGE")["last"] ?? 0 : 0
        try feed(town, &twin, &random, withShops: round > 0)
        var order = ["tags", "cities", "people", "shops"]
        if round > 1 { order.swapAt(3, Int.random(in: 1...3, using: &random)) }
        // The shops of the second round come into an empty table of a store that has their owners.
        try town.run(
          Self.steps(order, shops: round == 1 && strategy == "upsert" ? "bulk" : strategy), strategy: strategy,
          isNew: false, isInPlace: how.isInPlace, recordsPerBatch: [1, 3, 8192].randomElement(using: &random) ?? 1)
        let after = twin.objects
        let changed = Set(before.filter { after[$0.key] != $0.value }.keys)
        var expected = after.mapValues { _ in Int64(1) }
        for (name, version) in versions { expected[name] = version + (changed.contains(name) ? 1 : 0) }
        let found = try numbers(town, "SELECT name, v FROM (\(Self.objects))")
        #expect(found == expected, "seed \(seed), round \(round): \(difference(found, expected))")
        if how.keepsHistory {
          let rows = try numbers(
            town,
            "SELECT name, count(*) FROM ACHANGE JOIN (\(Self.objects)) ON e = ZENTITY AND k = ZENTITYPK "
              + "WHERE ACHANGE.Z_PK > \(last) AND ZCHANGETYPE = 1 GROUP BY name"
          ).filter { before[$0.key] != nil }
          #expect(
            rows == Dictionary(uniqueKeysWithValues: changed.map { ($0, Int64(1)) }),
            "seed \(seed), round \(round): \(rows), changed \(changed)")
        }
      }
    }
  }

  private func difference(_ found: [String: Int64], _ expected: [String: Int64]) -> [String] {
    Set(found.keys).union(expected.keys).sorted().filter { found[$0] != expected[$0] }.map {
      "\($0): \(found[$0] ?? 0), not \(expected[$0] ?? 0)"
    }
  }

  @Test("a copy of a seed store is a store that was there: its objects count up, new ones begin with 1")
  func seed() throws {
    let town = try Town()
    func write(_ cities: [String], _ shops: [String]) throws {
      for name in ["tags.ndjson", "people.ndjson"] { try town.write(name, []) }
      try town.write("cities.ndjson", cities.map { #"{"code": "\#($0)", "name": "N"}"# })
      try town.write("shops.ndjson", shops.map { #"{"city": "\#($0)", "number": 1, "title": "T", "owner": null}"# })
    }
    try write(["c0", "c1"], [])
    try town.run(Self.steps(["cities", "shops"], shops: "upsert"), strategy: "upsert")
    try town.storeBytes().write(to: town.folder.file("Seed.sqlite"))
    try write(["c1", "c2"], ["c1", "c2"])
    for _ in 0..<2 {
      try town.run(
        Self.steps(["cities", "shops"], shops: "upsert"), strategy: "upsert", more: ", seed: Seed.sqlite")
      #expect(
        try numbers(town, "SELECT name, v FROM (\(Self.objects))")
          == ["c0": 1, "c1": 2, "c2": 1, "c1/1": 1, "c2/1": 1])
    }
  }
}
