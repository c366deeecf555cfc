import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

/// The same random graph in a SQLite store and in one in memory: people and pupils, courses with ordered pupils,
/// lessons, and clubs with many members.
struct Academy {
  let folder: TemporaryFolder
  let model: ManagedObjectModel
  let sqlite: SQLiteStore
  let memory: InMemoryStore

  init(_ random: inout SeededGenerator) throws {
    folder = try TemporaryFolder()
    model = try Self.makeModel()
    sqlite = try SQLiteStore.create(path: folder.path("academy.sqlite"), model: model)
    memory = InMemoryStore(model: model, identifier: try #require(UUID(uuidString: sqlite.identifier)))
    let graph = try Graph(&random)
    for store in [sqlite, memory] as [any PersistentStore] {
      for (name, count) in graph.counts { _ = try store.reservePrimaryKeys(count, for: model.required(name)) }
      try store.save(graph.request(store.identifier, model))
    }
  }

  var stores: [any PersistentStore] { [sqlite, memory] }

  private static func makeModel() throws -> ManagedObjectModel {
    var person = EntityDefinition("Person")
    person.attributes = [
      AttributeDefinition("name", .string), AttributeDefinition("age", .integer16),
      AttributeDefinition("height", .double), AttributeDefinition("born", .date),
      AttributeDefinition("active", .boolean),
    ]
    person.relationships = [
      RelationshipDefinition("mentor", toOne: "Person", inverse: "mentees"),
      RelationshipDefinition("mentees", toMany: "Person", inverse: "mentor"),
    ]
    var pupil = EntityDefinition("Pupil")
    pupil.superentityName = "Person"
    pupil.attributes = [AttributeDefinition("grade", .integer32)]
    pupil.relationships = [
      RelationshipDefinition("course", toOne: "Course", inverse: "pupils"),
      RelationshipDefinition("clubs", toMany: "Club", inverse: "members"),
    ]
    var course = EntityDefinition("Course")
    course.attributes = [AttributeDefinition("title", .string), AttributeDefinition("code", .integer64)]
    course.relationships = [
      RelationshipDefinition("pupils", toMany: "Pupil", inverse: "course", ordered: true),
      RelationshipDefinition("lessons", toMany: "Lesson", inverse: "course"),
    ]
    var lesson = EntityDefinition("Lesson")
    lesson.attributes = [
      AttributeDefinition("topic", .string), AttributeDefinition("minutes", .integer32),
      AttributeDefinition("cost", .decimal),
    ]
    lesson.relationships = [RelationshipDefinition("course", toOne: "Course", inverse: "lessons")]
    var club = EntityDefinition("Club")
    club.attributes = [AttributeDefinition("label", .string), AttributeDefinition("fee", .double)]
    club.relationships = [RelationshipDefinition("members", toMany: "Pupil", inverse: "clubs")]
    return try ManagedObjectModel(entities: [person, pupil, course, lesson, club])
  }

  static let texts = RandomStores.texts
}

/// Objects as keys and values, before they have a store.
private struct Graph {
  private struct Object {
    var entity: String
    var key: Int64
    var values: [String: Value]
    var toOne: [String: (entity: String, key: Int64)]
  }

  private var objects: [Object] = []
  private var members: [(owner: (entity: String, key: Int64), name: String, keys: [(String, Int64)])] = []
  /// By root entity.
  private(set) var counts: [String: Int] = [:]

  init(_ random: inout SeededGenerator) throws {
    var generator = random
    defer { random = generator }
    func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
    func maybe(_ value: Value) -> Value { number(0...4) == 0 ? .null : value }
    func text() -> Value { maybe(.string(Academy.texts.randomElement(using: &generator) ?? "")) }
    // Quarters add up exactly in any order.
    func quarter() -> Value { maybe(.double(Double(number(-8...40)) / 4)) }
    for key in Int64(1)...4 {
      objects.append(
        Object(
          entity: "Course", key: key, values: ["title": text(), "code": maybe(.integer(number(-3...9)))], toOne: [:]))
      objects.append(Object(entity: "Club", key: key, values: ["label": text(), "fee": quarter()], toOne: [:]))
    }
    for key in Int64(1)...10 {
      let course = number(1...6)
      objects.append(
        Object(
          entity: "Lesson", key: key,
          values: [
            "topic": text(), "minutes": maybe(.integer(number(0...90))),
            "cost": maybe(.decimal(Decimal(number(-8...40)) / 4)),
          ],
          toOne: course <= 4 ? ["course": ("Course", course)] : [:]))
    }
    let people = Int64(16)
    var isPupil: [Int64: Bool] = [:]
    for key in 1...people { isPupil[key] = number(0...2) > 0 }
    var pupilsOfCourse: [Int64: [(String, Int64)]] = [:]
    for key in 1...people {
      let name = isPupil[key] == true ? "Pupil" : "Person"
      var values: [String: Value] = [
        "name": text(), "age": maybe(.integer(number(-2...12))), "height": quarter(),
        "born": maybe(.date(Date(timeIntervalSinceReferenceDate: Double(number(-400...400)) * 43_200))),
        "active": maybe(.boolean(number(0...1) == 1)),
      ]
      var toOne: [String: (entity: String, key: Int64)] = [:]
      let mentor = number(1...(people + 4))
      if mentor <= people { toOne["mentor"] = (isPupil[mentor] == true ? "Pupil" : "Person", mentor) }
      if isPupil[key] == true {
        values["grade"] = maybe(.integer(number(1...5)))
        let course = number(1...6)
        if course <= 4 {
          toOne["course"] = ("Course", course)
          pupilsOfCourse[course, default: []].insert(
            ("Pupil", key), at: Int(number(0...Int64(pupilsOfCourse[course]?.count ?? 0))))
        }
        let clubs = (Int64(1)...4).filter { _ in number(0...2) == 0 }
        members.append((("Pupil", key), "clubs", clubs.map { ("Club", $0) }))
      }
      objects.append(Object(entity: name, key: key, values: values, toOne: toOne))
    }
    for (course, pupils) in pupilsOfCourse.sorted(by: { $0.key < $1.key }) {
      members.append((("Course", course), "pupils", pupils))
    }
    counts = ["Course": 4, "Club": 4, "Lesson": 10, "Person": Int(people)]
  }

  func request(_ store: String, _ model: ManagedObjectModel) throws -> SaveRequest {
    func id(_ name: String, _ key: Int64) throws -> ObjectID {
      ObjectID(entity: try model.required(name), reference: .permanent(store: store, primaryKey: key))
    }
    var request = SaveRequest()
    for object in objects {
      let entity = try model.required(object.entity)
      request.inserted.append(
        Snapshot(
          objectID: try id(object.entity, object.key), version: 1,
          attributes: entity.attributes.map { object.values[$0.name] ?? .null },
          toOne: try entity.relationships.map { try object.toOne[$0.name].map { try id($0.entity, $0.key) } }))
    }
    for change in members {
      request.toMany.append(
        SaveRequest.ToManyChange(
          owner: try id(change.owner.entity, change.owner.key), relationshipName: change.name,
          members: try change.keys.map { try id($0.0, $0.1) }))
    }
    return request
  }
}
