import TestSupport
import Testing

@testable import ImportEngine

/// Rows that come with a record and go when it is refused late are no change of the store.
@Suite("Runs that change nothing")
struct ComingAndGoingTests {
  private static let steps = """
      - from: people.ndjson
        entity: Person
        match: [identifier]
        map: { identifier: id, name: name, tags: { match: name, from: tags, missing: reject } }
    \(Town.shopStep)
      - { from: cities.ndjson, entity: City, strategy: @, match: [code], map: { code: code, name: name } }
    """

  @Test(
    "leave every byte as it is, whatever was refused late",
    arguments: [(false, false), (true, false), (false, true), (true, true)], ["upsert", "find-or-create"])
  func lateRejects(how: (isInPlace: Bool, keepsHistory: Bool), strategy: String) throws {
    for records in [1, 8192] {
      let town = try Town()
      if how.keepsHistory { try town.makeStoreWithHistory() }
      let cities = (0..<4).map { #"{"code": "c\#($0)", "name": "City"}"# }
      let people = (0..<4).map { #"{"id": "p\#($0)", "name": "Person", "tags": []}"# }
      let shops = (0..<4).map { #"{"city": "c\#($0)", "number": 1, "title": "T", "owner": "p\#($0)"}"# }
      try town.write("cities.ndjson", cities)
      try town.write("people.ndjson", people)
      try town.write("shops.ndjson", shops)
      try town.run(Self.steps, strategy: strategy, isNew: !how.keepsHistory)
      let bytes = try town.storeBytes()
      // Shops of nobody, of a city that does not come, and of one that is refused itself; a person with a tag of
      // nobody's.
      try town.write("cities.ndjson", cities + [#"{"code": "c9", "name": "a name that is much too long"}"#])
      try town.write("people.ndjson", people + [#"{"id": "p9", "name": "Person", "tags": ["none"]}"#])
      try town.write(
        "shops.ndjson",
        shops + [
          #"{"city": "c1", "number": 7, "title": "T", "owner": "nobody"}"#,
          #"{"city": "c8", "number": 7, "title": "T", "owner": "p1"}"#,
          #"{"city": "c9", "number": 7, "title": "T", "owner": "p9"}"#,
        ])
      for _ in 0..<2 {
        let result = try town.run(
          Self.steps, strategy: strategy, isNew: false, isInPlace: how.isInPlace, recordsPerBatch: records)
        #expect(result.counts.contains { $0.contains("3 rejected") }, "\(result.counts)")
        #expect(result.ownersUpdated == 0)
        #expect(try town.storeBytes() == bytes)
      }
      // A run that changes something after that does so.
      try town.write("shops.ndjson", [#"{"city": "c1", "number": 7, "title": "T", "owner": "p1"}"#])
      let result = try town.run(
        Self.steps, strategy: strategy, isNew: false, isInPlace: how.isInPlace, recordsPerBatch: records)
      #expect(try result.counts.contains { $0.contains("1 inserted") } && town.storeBytes() != bytes)
    }
  }
}
