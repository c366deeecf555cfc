import CoreDataLayout
import Foundation
import ObjectModel
import StoreDifferences
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Two random stores, and what a slow comparison of all their objects in memory says of them.
@Suite("Random comparisons")
struct RandomComparisonTests {
  /// People, some of them authors, books with a key and without, tags that are ordered at one side.
  private static func model() throws -> ManagedObjectModel {
    var person = EntityDefinition("Person")
    person.attributes = [.init("name", .string), .init("born", .date), .init("rank", .integer32)]
    person.uniquenessConstraints = [["name"]]
    person.relationships = [
      .init("friend", toOne: "Person", inverse: "friendOf"), .init("friendOf", toMany: "Person", inverse: "friend"),
    ]
    var author = EntityDefinition("Author")
    author.superentityName = "Person"
    author.attributes = [.init("picture", .binary)]
    author.relationships = [.init("books", toMany: "Book", inverse: "author", ordered: true)]
    var book = EntityDefinition("Book")
    book.attributes = [.init("title", .string), .init("price", .decimal)]
    book.relationships = [
      .init("author", toOne: "Author", inverse: "books"), .init("tags", toMany: "Tag", inverse: "books", ordered: true),
    ]
    var tag = EntityDefinition("Tag")
    tag.attributes = [.init("word", .string), .init("weight", .double)]
    tag.uniquenessConstraints = [["word", "weight"]]
    tag.relationships = [
      .init("books", toMany: "Book", inverse: "tags"), .init("near", toMany: "Tag", inverse: "near"),
      .init("marks", toMany: "Person"),
    ]
    return try ManagedObjectModel(entities: [person, author, book, tag])
  }

  /// A graph that is written to a store: objects in the order of their primary keys.
  private struct World {
    struct Item {
      var entity: String
      var values: [String: Value]
      var toOne: [String: Int] = [:]
      var toMany: [String: [Int]] = [:]
    }
    var items: [Int: Item] = [:]
    var random: SeededGenerator

    mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func values(_ entity: String, _ number: Int) -> [String: Value] {
      switch entity {
      case "Book": ["title": .string("title \(self.number(4))"), "price": .decimal(Decimal(self.number(5)))]
      case "Tag":
        [
          "word": self.number(8) == 0 ? .null : .string("é \(number)"), "weight": .double(Double(number % 3)),
        ]
      default:
        [
          "name": self.number(8) == 0 ? .null : .string("name \(number)"), "rank": .integer(Int64(self.number(3))),
          "born": self.number(3) == 0 ? .null : .date(Date(timeIntervalSinceReferenceDate: Double(self.number(4)))),
          "picture": .data(Data(repeating: UInt8(self.number(3)), count: self.number(6) == 0 ? 150_000 : 3)),
        ]
      }
    }

    mutating func add(_ number: Int) {
      let entity = ["Person", "Author", "Author", "Book", "Book", "Tag", "Tag"][self.number(7)]
      items[number] = Item(entity: entity, values: values(entity, number))
    }

    mutating func link() {
      func all(_ entities: String...) -> [Int] {
        items.keys.filter { entities.contains(items[$0]?.entity ?? "") }.sorted()
      }
      let (people, authors, books, tags) = (all("Person", "Author"), all("Author"), all("Book"), all("Tag"))
      for person in people where number(2) == 0 {
        let friend = people.randomElement(using: &random)
        items[person]?.toOne["friend"] = friend
      }
      for book in books {
        let author = authors.randomElement(using: &random)
        if number(4) > 0 { items[book]?.toOne["author"] = author }
        let members = tags.shuffled(using: &random).prefix(number(4))
        items[book]?.toMany["tags"] = Array(members)
      }
      for author in authors {
        let own = books.filter { items[$0]?.toOne["author"] == author }
        let shuffled = own.shuffled(using: &random)
        items[author]?.toMany["books"] = shuffled
      }
      var free = people.shuffled(using: &random)
      for tag in tags {
        let count = min(number(3), free.count)
        items[tag]?.toMany["marks"] = Array(free.prefix(count))
        free.removeFirst(count)
        items[tag]?.toMany["near"] = []
      }
      for _ in 0..<tags.count {
        guard let one = tags.randomElement(using: &random), let other = tags.randomElement(using: &random) else {
          return
        }
        for (tag, near) in [(one, other), (other, one)] where items[tag]?.toMany["near"]?.contains(near) == false {
          items[tag]?.toMany["near"]?.append(near)
        }
      }
    }

    /// Some objects go, some come, some have other values or other members.
    mutating func change() {
      for number in items.keys.sorted() where self.number(6) == 0 {
        items[number] = nil
        for other in items.keys {
          guard var item = items[other] else { continue }
          item.toOne = item.toOne.filter { $0.value != number }
          item.toMany = item.toMany.mapValues { $0.filter { $0 != number } }
          items[other] = item
        }
      }
      for number in items.keys.sorted() where self.number(4) == 0 {
        guard let entity = items[number]?.entity else { continue }
        let fresh = values(entity, number)
        for name in fresh.keys.sorted() where !["name", "word", "weight"].contains(name) {
          if self.number(3) == 0 { items[number]?.values[name] = fresh[name] }
        }
      }
      for book in items.keys.sorted() where items[book]?.entity == "Book" && number(4) == 0 {
        let tags = number(2) == 0 ? [] : items[book]?.toMany["tags"]?.shuffled(using: &random)
        items[book]?.toMany["tags"] = tags
      }
      for author in items.keys.sorted() where items[author]?.entity == "Author" && number(4) == 0 {
        let books = items[author]?.toMany["books"]?.shuffled(using: &random)
        items[author]?.toMany["books"] = books
      }
      for person in items.keys.sorted() where items[person]?.entity == "Person" && number(3) == 0 {
        items[person]?.toOne["friend"] = nil
      }
      for number in 100..<(100 + self.number(5)) {
        let entity = ["Person", "Book", "Tag"][self.number(3)]
        items[number] = Item(entity: entity, values: values(entity, number))
      }
    }

    /// - Parameter isShuffled: whether objects get primary keys in another order than that of their numbers.
    mutating func write(to store: SQLiteStore, isShuffled: Bool) throws {
      let order = isShuffled ? items.keys.sorted().shuffled(using: &random) : items.keys.sorted()
      var ids: [Int: ObjectID] = [:]
      for number in order {
        guard let item = items[number] else { continue }
        let entity = try #require(store.model[item.entity])
        let key = try store.reservePrimaryKeys(1, for: entity)
        ids[number] = store.id(of: entity, key)
      }
      var request = SaveRequest()
      for number in order {
        guard let item = items[number], let id = ids[number] else { continue }
        request.inserted.append(
          Snapshot(
            objectID: id, version: 1, attributes: id.entity.attributes.map { item.values[$0.name] ?? .null },
            toOne: id.entity.relationships.map { $0.isToMany ? nil : item.toOne[$0.name].flatMap { ids[$0] } }))
        for (name, members) in item.toMany.sorted(by: { $0.key < $1.key }) {
          request.toMany.append(.init(owner: id, relationshipName: name, members: members.compactMap { ids[$0] }))
        }
      }
      try store.save(request)
    }
  }

  /// All objects of a store by their keys, in memory.
  private struct Contents {
    /// An object's name: its key, or its primary key.
    var names: [ObjectID: String] = [:]
    var lines: [String: [String: String]] = [:]

    init(_ store: SQLiteStore) throws {
      var rows: [Snapshot] = []
      for root in store.model.entities where root.superentity == nil {
        rows += try store.snapshots(FetchSpecification(root))
      }
      for row in rows {
        let entity = row.objectID.entity
        let key = entity.uniquenessConstraints.first ?? []
        let values = key.map { name in row.attributes[entity.attributes.firstIndex { $0.name == name } ?? 0] }
        let isKnown = !values.isEmpty && !values.contains(.null)
        names[row.objectID] = "\(entity.name) " + (isKnown ? "\(values)" : "/\(row.objectID.primaryKey ?? 0)")
      }
      for row in rows {
        let entity = row.objectID.entity
        var properties: [String: String] = [:]
        for (attribute, value) in zip(entity.attributes, row.attributes) {
          // The description of data says how many bytes there are.
          properties[attribute.name] =
            if case .data(let data) = value { data.base64EncodedString() } else { "\(value)" }
        }
        for (relationship, target) in zip(entity.relationships, row.toOne) {
          if !relationship.isToMany {
            properties[relationship.name] = target.flatMap { names[$0] } ?? "none"
          } else if !["friendOf", "books"].contains(relationship.name) || relationship.isOrdered {
            let members = try store.members(of: row.objectID, relationship: relationship).compactMap { names[$0] }
            properties[relationship.name] = "\(relationship.isOrdered ? members : members.sorted())"
          }
        }
        lines[names[row.objectID] ?? ""] = properties
      }
    }

    func differences(to other: Contents) -> [String] {
      Set(lines.keys).union(other.lines.keys).sorted().compactMap { name in
        guard let here = lines[name] else { return "inserted \(name)" }
        guard let there = other.lines[name] else { return "deleted \(name)" }
        let changed = here.keys.filter { here[$0] != there[$0] }.sorted()
        return changed.isEmpty ? nil : "updated \(name) \(changed)"
      }
    }
  }

  private func name(_ key: ObjectKey) -> String {
    let values = key.values.map(\.value)
    let isKnown = !values.isEmpty && !values.contains(.null)
    return "\(key.entity) " + (isKnown ? "\(values)" : "/\(key.primaryKey)")
  }

  @Test("differences are those of all objects, whatever their primary keys", arguments: UInt64(1)...60)
  func random(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var world = World(random: SeededGenerator(seed: seed))
    for number in 0..<(20 + world.number(30)) { world.add(number) }
    world.link()
    let stores = try ["a", "b"].map { name in
      try SQLiteStore.create(path: folder.path("\(name).sqlite"), model: try Self.model())
    }
    try world.write(to: stores[0], isShuffled: false)
    if seed % 5 != 0 { world.change() }
    try world.write(to: stores[1], isShuffled: seed % 2 == 0)
    let expected = try Contents(stores[0]).differences(to: try Contents(stores[1]))
    for store in stores { try store.close(keepsLog: seed % 3 == 0) }
    let before = try folder.names()
    let comparison = StoreComparison(
      leftPath: folder.path("a.sqlite"), try Self.model(), rightPath: folder.path("b.sqlite"), try Self.model())
    var found: [String] = []
    let summary = try comparison.run { difference in
      let properties = difference.properties.map(\.name).sorted()
      found.append(
        "\(difference.change) \(name(difference.object))" + (difference.change == .updated ? " \(properties)" : ""))
    }
    #expect(found.sorted() == expected.sorted())
    #expect(summary.changeCount == expected.count)
    #expect(summary.hasDifferences == !expected.isEmpty)
    #expect(try folder.names() == before)
  }
}
