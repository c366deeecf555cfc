import Foundation
import TestSupport
import Testing

@Suite("Strategies mean the same")
struct StrategyTests {
  // MARK: - Random records

  /// Records of one entity as NDJSON lines, with mistakes, repeated keys, missing and null fields.
  private struct Source {
    var generator: SeededGenerator

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    mutating func pick(_ values: [String]) -> String { values.randomElement(using: &generator) ?? "null" }

    /// A field that is usually there and good; now and then bad, null or missing.
    mutating func field(_ name: String, _ good: [String], bad: [String] = []) -> String? {
      if chance(8) { return nil }
      if !bad.isEmpty, chance(2) { return "\"\(name)\": \(pick(bad))" }
      return "\"\(name)\": \(chance(5) ? "null" : pick(good))"
    }

    mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    func line(_ fields: [String?]) -> String { "{\(fields.compactMap { $0 }.joined(separator: ", "))}" }

    mutating func cities(_ count: Int) -> [String] {
      (0..<count).map { city in
        let code = "\"c\(chance(80) ? city : number(count))\""
        return line([
          chance(2) ? nil : "\"code\": \(code)",
          field("name", ["\"Rome\"", "\"Ürgüp\"", "\"\""], bad: ["\"too long a name\""]),
          field("population", ["1", "12", "\"3000000\"", "7"], bad: ["-1", "1.5", "99999999999"]),
          field("founded", ["\"1999-12-31\"", "\"2001-01-01T00:00:00.5Z\"", "\"2001-01-01\""], bad: ["\"soon\""]),
          // To itself, forward, back, in circles, and sometimes nowhere.
          chance(50) ? nil : field("twin", ["\"c\(number(count))\"", code], bad: ["\"nowhere\""]),
          chance(10) ? "\"skip\": true" : nil,
        ])
      }
    }

    mutating func people(_ count: Int) -> [String] {
      (0..<count).map { person in
        line([
          "\"id\": \"p\(chance(85) ? person : number(count))\"", field("name", ["\"Ann\"", "\"Bo\"", "5"]),
          field("bonus", ["1.50", "\"2.5\"", "1e2"], bad: ["\"x\""]),
        ])
      }
    }

    mutating func shops(_ count: Int, cities: Int, people: Int) -> [String] {
      (0..<count).map { _ in
        line([
          "\"number\": \(number(4))", chance(2) ? nil : "\"city\": \"c\(number(cities))\"",
          chance(96) ? "\"title\": \(pick(["\"Shop\"", "\"Café\"", "\"Store\""]))" : nil,
          field("rating", ["0.1", "4.5", "\"3\""], bad: ["5.5"]), field("open", ["true", "\"no\"", "1"], bad: ["2"]),
          field("price", ["10.50", "\"10.5\"", "10.25"]),
          field(
            "uid", ["\"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11\"", "\"6e9a3e9c-3a0e-4b6e-9c55-0e6a5b0d9b12\""],
            bad: ["\"?\""]),
          chance(2) ? nil : "\"owner\": \"p\(number(people + 1))\"",
        ])
      }
    }
  }

  private static func steps(_ keys: String = "") -> String {
    """
      - from: shops.ndjson
        entity: Shop
        match: [city, number]
        strategy: @
        \(keys)
        map:
          number: number
          title: title
          rating: rating
          open: open
          price: price
          uid: uid
          city: { match: code, from: city }
          owner: { match: identifier, from: owner }
      - from: cities.ndjson
        entity: City
        match: [code]
        strategy: @
        where: "coalesce(skip, false) != true"
        \(keys)
        map:
          code: code
          name: name
          population: population
          founded: founded
          twin: { match: code, from: twin\(keys.contains("first") ? ", missing: \"null\"" : "") }
      - from: managers.ndjson
        entity: Manager
        match: [identifier]
        \(keys)
        map: { identifier: id, name: name, bonus: bonus }
    """
  }

  private func fill(_ town: Town, seed: UInt64, count: Int = 40) throws {
    var source = Source(generator: SeededGenerator(seed: seed))
    try town.write("cities.ndjson", source.cities(count))
    try town.write("managers.ndjson", source.people(count / 2))
    try town.write("shops.ndjson", source.shops(count * 2, cities: count, people: count / 2))
  }

  private func expectSame(_ left: Town.Result, _ right: Town.Result, _ what: String) {
    #expect(left.counts == right.counts, "\(what)")
    #expect(left.ownersUpdated == right.ownersUpdated, "\(what)")
    let (leftRejects, rightRejects) = (Set(left.rejects), Set(right.rejects))
    #expect(left.rejects.count == right.rejects.count, "\(what)")
    #expect(leftRejects.subtracting(rightRejects) == [], "only in the left: \(what)")
    #expect(rightRejects.subtracting(leftRejects) == [], "only in the right: \(what)")
    let (leftRows, rightRows) = (Set(left.rows), Set(right.rows))
    #expect(left.rows.count == right.rows.count, "\(what)")
    #expect(leftRows.subtracting(rightRows) == [], "only in the left: \(what)")
    #expect(rightRows.subtracting(leftRows) == [], "only in the right: \(what)")
  }

  private static let duplicates = ["", "duplicates: first", "duplicates: reject"]

  @Test("into an empty store: bulk, upsert and find-or-create", arguments: 1...3 as ClosedRange<UInt64>)
  func intoEmpty(seed: UInt64) throws {
    let town = try Town()
    try fill(town, seed: seed)
    let steps = Self.steps(Self.duplicates[Int(seed) % 3])
    let bulk = try town.run(steps, strategy: "bulk")
    #expect(bulk.rows.count > 30)
    #expect(!bulk.rejects.isEmpty)
    for (strategy, records) in [
      ("bulk", 7), ("upsert", 8192), ("upsert", 7), ("find-or-create", 8192), ("find-or-create", 5),
    ] {
      let other = try town.run(steps, strategy: strategy, recordsPerBatch: records)
      expectSame(bulk, other, "\(strategy) with \(records) records a batch")
    }
  }

  @Test(
    "into a filled store: upsert and find-or-create, with every rule for matches",
    arguments: 1...3 as ClosedRange<UInt64>,
    ["update", "keep", "replace", "fail"])
  func intoFilled(seed: UInt64, onMatch: String) throws {
    var results: [Town.Result] = []
    for (strategy, records) in [("upsert", 8192), ("find-or-create", 8192), ("upsert", 6), ("find-or-create", 9)] {
      let town = try Town()
      try fill(town, seed: seed)
      try town.run(Self.steps(), strategy: "bulk")
      try fill(town, seed: seed + 100, count: 44)
      results.append(
        try town.run(Self.steps("on-match: \(onMatch)"), strategy: strategy, isNew: false, recordsPerBatch: records))
      if results.count > 1 {
        expectSame(results[0], results[results.count - 1], "\(strategy) with \(records) records a batch")
      }
    }
    #expect(results[0].counts[0].contains(/[1-9][0-9]* inserted/))
  }

  @Test("the same records once more change nothing", arguments: ["upsert", "find-or-create"])
  func again(strategy: String) throws {
    let town = try Town()
    try fill(town, seed: 11)
    let first = try town.run(Self.steps(), strategy: "bulk")
    let second = try town.run(Self.steps(), strategy: strategy, isNew: false, recordsPerBatch: 6)
    #expect(first.rows == second.rows)
    #expect(second.counts.allSatisfy { $0.contains(": 0 inserted, 0 updated") }, "\(second.counts)")
    #expect(first.rejects == second.rejects && second.ownersUpdated == 0)
  }

  @Test("with one worker and with three the store has the same bytes", arguments: ["bulk", "upsert", "find-or-create"])
  func jobs(strategy: String) throws {
    let town = try Town()
    try fill(town, seed: 21, count: 60)
    let one = try town.run(Self.steps(), strategy: strategy, jobs: 1, recordsPerBatch: 5)
    let bytes = try town.storeBytes()
    for _ in 0..<3 {
      let three = try town.run(Self.steps(), strategy: strategy, jobs: 3, recordsPerBatch: 5)
      #expect(three == one)
      #expect(try town.storeBytes() == bytes)
    }
  }
}
