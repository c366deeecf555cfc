import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Requests of one shape share a statement")
struct ShapeTests {
  private static let formats: [(entity: String, format: String, arguments: [Sort])] = [
    ("Person", "age > %@ AND height <= %@", [.integer, .double]),
    ("Person", "age > %@ AND age < %@", [.integer, .integer]),
    ("Person", "name BEGINSWITH[n] %@ OR name == %@", [.text, .text]),
    ("Person", "name BEGINSWITH %@", [.text]),
    ("Person", "NOT (age == %@) AND mentor.age >= %@", [.integer, .double]),
    ("Person", "mentor == %@ OR mentor.mentor != %@", [.person, .person]),
    ("Person", "born > %@ AND active == %@", [.double, .integer]),
    ("Course", "SUBQUERY(pupils, $p, $p.age > %@ AND $p.grade <= %@).@count > 0", [.integer, .integer]),
    (
      "Course", "SUBQUERY(lessons, $l, $l.minutes > %@ AND $l.topic >= %@).@count != 0 AND code < %@",
      [.integer, .text, .integer]
    ),
    ("Course", "SUBQUERY(lessons, $l, $l.minutes > %@).@count == 2", [.integer]),
    ("Lesson", "cost >= %@ AND course.code != %@", [.double, .integer]),
    ("Club", "fee > %@ AND label < %@ AND label >= %@", [.double, .text, .text]),
  ]

  private enum Sort { case integer, double, text, person }

  @Test("whatever the values are, the answer is that of the store in memory", arguments: UInt64(1)...4)
  func values(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let academy = try Academy(&random)
    for _ in 0..<15 {
      for (name, format, sorts) in Self.formats {
        var requests: [FetchSpecification] = []
        let draws = sorts.map { Self.draw($0, &random) }
        let limit = [0, 0, 3].randomElement(using: &random) ?? 0
        for store in academy.stores {
          var request = FetchSpecification(try academy.model.required(name))
          let arguments = try draws.map { try $0(store, academy.model) }
          request.predicate = try FetchPredicate(parsing: format, arguments: arguments)
          request.fetchLimit = limit
          requests.append(request)
        }
        let expected = try academy.memory.snapshots(requests[1])
        let found = try academy.sqlite.snapshotBlocks(requests[0]).flatMap(\.snapshots)
        #expect(found.map(\.objectID.primaryKey) == expected.map(\.objectID.primaryKey), "\(requests[0].predicate)")
        #expect(found.map(\.attributes) == expected.map(\.attributes), "\(requests[0].predicate)")
        #expect(found == (try academy.sqlite.snapshots(requests[0])))
      }
    }
  }

  /// A value that may be missing, empty, not a number or of another kind than the attribute.
  private static func draw(
    _ sort: Sort, _ random: inout SeededGenerator
  ) -> (any PersistentStore, ManagedObjectModel) throws -> (any PredicateArgument)? {
    let number = Int64.random(in: -3...20, using: &random)
    let text = ["", "a", "A", "Ann", "b", "é", "z", "\u{10FFFF}"].randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return { _, _ in nil }
    case 1: return { _, _ in Double.nan }
    case 2: return { _, _ in text }
    case 3: return { _, _ in number }
    default: break
    }
    switch sort {
    case .integer: return { _, _ in number }
    case .double: return { _, _ in Double(number) / 4 }
    case .text: return { _, _ in text }
    case .person:
      return { store, model in
        let people = try store.objectIDs(FetchSpecification(model.required("Person")))
        return people[Int(abs(number)) % people.count]
      }
    }
  }

  @Test("rows of every type come packed as they come one by one")
  func types() throws {
    var entity = EntityDefinition("Thing")
    entity.attributes = [
      AttributeDefinition("integer", .integer64), AttributeDefinition("flag", .boolean),
      AttributeDefinition("real", .double), AttributeDefinition("single", .float),
      AttributeDefinition("date", .date), AttributeDefinition("decimal", .decimal),
      AttributeDefinition("text", .string), AttributeDefinition("bytes", .binary),
      AttributeDefinition("uuid", .uuid), AttributeDefinition("uri", .uri),
    ]
    entity.relationships = [
      RelationshipDefinition("next", toOne: "Thing", inverse: "previous"),
      RelationshipDefinition("previous", toOne: "Thing", inverse: "next"),
    ]
    var special = EntityDefinition("Special")
    special.superentityName = "Thing"
    special.attributes = [AttributeDefinition("extra", .string)]
    let model = try ManagedObjectModel(entities: [entity, special])
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.create(path: folder.path("things.sqlite"), model: model)
    var random = SeededGenerator(seed: 5)
    var request = SaveRequest()
    let count = 700
    _ = try store.reservePrimaryKeys(count, for: model.required("Thing"))
    let entities = try (0..<count).map { _ in try model.required(Bool.random(using: &random) ? "Thing" : "Special") }
    func id(_ index: Int) -> ObjectID {
      store.id(of: entities[index], Int64(index + 1))
    }
    for index in 0..<count {
      func value(_ attribute: AttributeDefinition) -> Value {
        if Int.random(in: 0..<4, using: &random) == 0 { return .null }
        let number = Int64.random(in: -9...9, using: &random)
        switch attribute.type {
        case .integer64: return .integer(number == 9 ? .max : number == -9 ? .min : number)
        case .boolean: return .boolean(number > 0)
        case .double, .float: return .double(Double(number) / 4)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case .decimal: return .decimal(Decimal(number) / 8)
        case .binary: return .data(Data(repeating: 7, count: Int(abs(number))))
        case .uuid: return .uuid(UUID())
        case .uri: return URL(string: "https://example.org/\(number)").map { .uri($0) } ?? .null
        default: return .string(String(repeating: "é\(number)", count: number == 7 ? 40_000 : Int(abs(number))))
        }
      }
      let isLinked = index > 0 && index % 2 == 1
      request.inserted.append(
        Snapshot(
          objectID: id(index), version: 1, attributes: entities[index].attributes.map(value),
          toOne: entities[index].relationships.map {
            $0.name == "next"
              ? (index % 2 == 0 && index + 1 < count ? id(index + 1) : nil) : isLinked ? id(index - 1) : nil
          }))
    }
    try store.save(request)
    for name in ["Thing", "Special"] {
      let all = FetchSpecification(try model.required(name))
      let expected = try store.snapshots(all)
      let blocks = try store.snapshotBlocks(all)
      #expect(blocks.count > 2)
      #expect(blocks.flatMap(\.snapshots) == expected)
      #expect(expected == request.inserted.filter { $0.objectID.entity.isKind(of: all.entity) })
    }
  }
}
