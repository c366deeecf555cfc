import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import TestQueries
import TestRows
import TestStores
import TestSupport
import Testing

/// Memberships that are written as finished pages beside the same memberships through SQLite.
@Suite("Join tables of page loads")
struct JoinLoadTests {
  private static func model() throws -> ManagedObjectModel {
    var person = EntityDefinition("Person")
    person.attributes = [.init("name", .string)]
    person.relationships = [
      .init("friends", toMany: "Person", inverse: "friends"),
      .init("rivals", toMany: "Person", inverse: "rivals", ordered: true),
      .init("clubs", toMany: "Club", inverse: "members"),
      .init("favourites", toMany: "Club", inverse: "admirers", ordered: true),
      .init("visited", toMany: "Club", inverse: "visitors", ordered: true),
      .init("boats", toMany: "Boat", inverse: "crew"),
    ]
    var club = EntityDefinition("Club")
    club.relationships = [
      .init("members", toMany: "Person", inverse: "clubs"),
      .init("admirers", toMany: "Person", inverse: "favourites"),
      .init("visitors", toMany: "Person", inverse: "visited", ordered: true),
    ]
    var boat = EntityDefinition("Boat")
    boat.relationships = [.init("crew", toMany: "Person", inverse: "boats"), .init("berths", toMany: "Club")]
    return try ManagedObjectModel(entities: [person, club, boat])
  }

  private struct Links {
    var entity: String
    var relationship: String
    var pairs: [(owner: Int64, destination: Int64)]
    var isReplacing = false
  }

  /// Memberships as an import gives them: list by list, from either side, with repetitions.
  private static func links(seed: UInt64, people: Int64, others: Int64) -> [Links] {
    var random = SeededGenerator(seed: seed)
    var result: [Links] = []
    let relationships = [
      ("Person", "friends", people, people), ("Person", "rivals", people, people), ("Person", "clubs", people, others),
      ("Club", "members", others, people), ("Person", "favourites", people, others),
      ("Club", "admirers", others, people), ("Person", "visited", people, others), ("Person", "boats", people, others),
    ]
    for _ in 0..<40 {
      let (entity, name, owners, members) = relationships[Int.random(in: 0..<relationships.count, using: &random)]
      let pairs = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        (
          owner: Int64.random(in: 1...owners, using: &random),
          destination: Int64.random(in: 1...members, using: &random)
        )
      }
      result.append(Links(entity: entity, relationship: name, pairs: pairs))
    }
    // Lists of owners that come one after the other, with their order.
    for owner in 1...people {
      let members = (0..<Int.random(in: 0...9, using: &random)).map { _ in Int64.random(in: 1...others, using: &random)
      }
      result.append(
        Links(
          entity: "Person", relationship: "visited", pairs: members.map { (owner: owner, destination: $0) },
          isReplacing: true))
    }
    return seed % 2 == 0 ? result.reversed().filter { !$0.isReplacing } : result
  }

  private static func build(
    _ path: String, _ links: [Links], isPaged: Bool, people: Int64, others: Int64, workers: Int
  ) throws -> Bool {
    let model = try Self.model()
    var options = SQLiteStore.Options.construction
    options.defersIndexes = false
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    if isPaged { #expect(try store.beginPageLoad(model.entities)) }
    for (name, count) in [("Person", people), ("Club", others), ("Boat", others)] {
      let entity = try model.required(name)
      try store.insert(
        makeBatch(entity, [], (0..<count).map { _ in [] }), keys: (0..<count).map { $0 + 1 })
    }
    for link in links {
      let relationship = try #require(try model.required(link.entity).relationship(link.relationship))
      try store.link(relationship, pairs: link.pairs, replacing: link.isReplacing)
    }
    let wasPaging = store.isPageLoading
    try store.endPageLoad(memoryBudget: 1 << 16, workers: workers)
    try store.seal()
    #expect(try StoreChecker.check(path: path, model: model).findings.isEmpty)
    return wasPaging
  }

  @Test(
    "memberships written as pages are those that SQLite writes, byte for byte", arguments: 1...6 as ClosedRange<UInt64>)
  func sameBytes(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let people = Int64(10 + seed * 7)
    let others = Int64(5 + seed)
    let links = Self.links(seed: seed, people: people, others: others)
    var files: [Data] = []
    for (index, workers) in [0, 1, 3].enumerated() {
      let path = folder.path("\(index).sqlite")
      let wasPaging = try Self.build(
        path, links, isPaged: workers > 0, people: people, others: others, workers: workers)
      if workers > 0 && seed % 2 == 0 { #expect(wasPaging) }
      let connection = try Connection(path: path)
      #expect(try connection.string("PRAGMA integrity_check") == "ok")
      #expect(try connection.integer("SELECT count(*) FROM (\(Self.joins(connection)))") ?? 0 > 100)
      try connection.execute("VACUUM INTO '\(folder.path("compact\(index)"))'")
      // The header counts changes.
      files.append(try Data(contentsOf: URL(fileURLWithPath: folder.path("compact\(index)"))).dropFirst(100))
    }
    let areEqual = files[0] == files[1] && files[1] == files[2]
    #expect(areEqual)
  }

  private static func joins(_ connection: Connection) throws -> String {
    let names = try connection.rows(
      ofQuery:
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Z!_%' ESCAPE '!' AND sql LIKE '%PRIMARY KEY (%'"
    )
    return names.map { "SELECT 1 FROM \($0)" }.joined(separator: " UNION ALL ")
  }

  @Test("ordered lists of new owners do not end a page load")
  func orderedLists() throws {
    let folder = try TemporaryFolder()
    let lists = (1...30 as ClosedRange<Int64>).map { owner in
      Links(
        entity: "Person", relationship: "visited",
        pairs: [4, 2, 4, owner % 5 + 1].map { (owner: owner, destination: $0) }, isReplacing: true)
    }
    let path = folder.path("a.sqlite")
    let isPaging = try Self.build(path, lists, isPaged: true, people: 30, others: 5, workers: 2)
    #expect(isPaging)
    // One more list for an owner that has members already is replaced through SQLite.
    let again = lists + [Links(entity: "Person", relationship: "visited", pairs: [(7, 1)], isReplacing: true)]
    #expect(try !Self.build(folder.path("b.sqlite"), again, isPaged: true, people: 30, others: 5, workers: 2))
    let connection = try Connection(path: folder.path("b.sqlite"))
    // 12 lists of two members, 18 of three, one of which now has one.
    let count = try connection.integer("SELECT count(*) FROM (\(Self.joins(connection)))")
    #expect(count == 76)
  }
}
