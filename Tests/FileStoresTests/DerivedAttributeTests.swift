import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Derived attributes have the same values in every type of store")
struct DerivedAttributeTests {
  private static let others = StoreKind.allCases.filter { $0 != .sqlite }

  @Test("random saves, with the store opened anew in between", arguments: others, [1, 2, 3])
  func randomSaves(kind: StoreKind, seed: Int) throws {
    let folder = try TemporaryFolder()
    let model = try Museum.derivedModel()
    let sqlite = try StoreKind.sqlite.open(in: folder, model)
    var store = try kind.open(in: folder, model)
    var museum = RandomMuseum(seed: UInt64(seed))
    var moments: [String: Value] = [:]
    var sqliteMoments: [String: Value] = [:]
    for round in 0..<14 {
      let change = museum.next()
      try change.apply(to: sqlite)
      try change.apply(to: store)
      let lines = try Portrait.lines(sqlite, without: ["savedAt"])
      let difference = try Portrait.lines(store, without: ["savedAt"]).difference(from: lines)
      #expect(difference.isEmpty, "round \(round): \(difference)")
      let saved = try Self.later(&moments, store)
      #expect(try saved == Self.later(&sqliteMoments, sqlite), "round \(round)")
      try Self.compareFetches(store, sqlite, "round \(round)")
      if round % 3 == 2, kind != .inMemory {
        store = try kind.open(in: folder, model)
        #expect(try Portrait.lines(store, without: ["savedAt"]) == lines, "round \(round), opened anew")
        #expect(try Self.later(&moments, store).isEmpty, "round \(round), opened anew")
      }
    }
  }

  @Test("the random saves come to values of every form")
  func coverage() throws {
    let store = InMemoryStore(model: try Museum.derivedModel())
    var museum = RandomMuseum(seed: 2)
    var seen: Set<String> = []
    for _ in 0..<60 {
      try museum.next().apply(to: store)
      for line in try Portrait.lines(store) {
        seen.formUnion(line.split(separator: " ").compactMap { $0.split(separator: "=").first.map(String.init) })
      }
    }
    for entity in store.model.entities {
      for attribute in entity.attributes where attribute.derivation != nil {
        #expect(seen.contains(attribute.name) == (attribute.name != "mean"), "\(entity.name).\(attribute.name)")
      }
    }
    #expect(
      store.notes == [
        "Derived attribute Room.mean (works.@avg.small) is not computed: the collection operator in works.@avg.small is "
          + "not known."
      ])
  }

  /// The objects whose `now()` is another than at the last call.
  private static func later(_ moments: inout [String: Value], _ store: any PersistentStore) throws -> Set<String> {
    var found: [String: Value] = [:]
    for snapshot in try store.snapshots(FetchSpecification(try store.model.required("Work"))) {
      let index = try #require(snapshot.objectID.entity.attributes.firstIndex { $0.name == "savedAt" })
      found[Portrait.code(snapshot)] = snapshot.attributes[index]
      guard case .date(let date) = snapshot.attributes[index] else {
        Issue.record("now() gave no date")
        continue
      }
      #expect(abs(date.timeIntervalSinceNow) < 3_600)
    }
    defer { moments = found }
    return Set(found.filter { moments[$0.key] != $0.value }.keys)
  }

  private static func compareFetches(
    _ store: any PersistentStore, _ other: any PersistentStore, _ place: String
  ) throws {
    for (entity, format) in [
      ("Artist", "workCount > 1"), ("Artist", "unknownCount == 1 OR listedSum < 0"), ("Artist", "priceSum >= 1"),
      ("Work", "artistCode BEGINSWITH 'A' AND tagCount == 0"), ("Work", "canonicalTitle == 'cafe'"),
      ("Work", "artist.workCount == 2"), ("Work", "savedAt != nil AND signsInRoom == nil"),
      ("Painting", "roomKey != nil"), ("Tag", "smallSum < 0"), ("Room", "ANY works.tagCount > 0"),
      ("Room", "works.@sum.tagCount > signCount"),
    ] {
      func codes(_ store: any PersistentStore) throws -> [String] {
        var request = FetchSpecification(try store.model.required(entity))
        request.predicate = try FetchPredicate(parsing: format)
        return try store.snapshots(request).map { Portrait.code($0) }.sorted()
      }
      #expect(try codes(store) == codes(other), "\(place): \(format)")
    }
  }

  @Test(
    "a key path to a deleted object has no value, whatever still refers to it",
    arguments: StoreKind.allCases.filter { !$0.isFolder })
  func dangling(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Museum.derivedModel()
    let store = try kind.open(in: folder, model)
    var museum = RandomMuseum(seed: 5)
    func count(_ attribute: String) throws -> Int {
      try Portrait.lines(store).count { $0.contains(" \(attribute)=") }
    }
    for _ in 0..<60 where try count("favouriteTitle") == 0 { try museum.next().apply(to: store) }
    #expect(try count("favouriteTitle") > 0)
    let artist = try model.required("Artist")
    let place = try #require(artist.relationships.firstIndex { $0.name == "favourite" })
    let favourites = Set(try store.snapshots(FetchSpecification(artist)).compactMap { $0.toOne[place] })
    func delete(_ isDeleted: (ObjectID) -> Bool) throws {
      var request = SaveRequest()
      request.deleted = try Portrait.snapshots(store).filter { isDeleted($0.objectID) }.map {
        ($0.objectID, $0.version)
      }
      try store.save(request)
    }
    try delete { favourites.contains($0) }
    #expect(try count("favouriteTitle") == 0)
    // Of these, the inverse knows what leads there.
    for _ in 0..<60 where try count("artistCode") == 0 { try museum.next().apply(to: store) }
    #expect(try count("artistCode") > 0)
    try delete { $0.entity == artist }
    #expect(try count("artistCode") == 0)
  }

  private static let filters = [
    "title == 5", "title != 'plain'", "NOT (title != 'plain')", "title < 'm' AND NOT small BETWEEN {0, 10000}",
    "small == '7' OR small != 'x'", "small < 'x'", "weight != 0.5", "price > 10", "price BETWEEN {-20, 20.25}",
    "isShown != NO", "NOT (isShown == YES OR large > 0)", "title == nil AND made != nil", "made > 0", "5 < medium",
    "token != 'x'", "small IN {1, 2} OR NOT (title IN {'plain', ''})", "TRUEPREDICATE", "FALSEPREDICATE", "link > 'h'",
    "title == nil OR (title != ' ' AND quarters > 0)", "title BEGINSWITH 'p'", "artist.code == 'x'", "small < nil",
  ]

  @Test("filters of counts mean the same, missing values and other types included", arguments: [1, 2, 3])
  func filters(seed: Int) throws {
    var entities = try Museum.derivedModel().entities.map(\.definition)
    let artist = try #require(entities.firstIndex { $0.name == "Artist" })
    for (index, filter) in Self.filters.enumerated() {
      entities[artist].attributes.append(
        Museum.attribute("count\(index)", .integer64, "works.@count", where: filter))
    }
    let model = try ManagedObjectModel(entities: entities)
    let folder = try TemporaryFolder()
    let sqlite = try StoreKind.sqlite.open(in: folder, model)
    let store = InMemoryStore(model: model)
    var museum = RandomMuseum(seed: UInt64(seed))
    for round in 0..<20 {
      let change = museum.next()
      try change.apply(to: sqlite)
      try change.apply(to: store)
      let difference = try Portrait.lines(store, without: ["savedAt"])
        .difference(from: Portrait.lines(sqlite, without: ["savedAt"]))
      #expect(difference.isEmpty, "round \(round): \(difference)")
    }
  }

  private static let whole: [StoreKind] = [.inMemory, .sqlite, .binary, .xml]

  @Test("derived values may have to be unique", arguments: whole)
  func uniqueness(kind: StoreKind) throws {
    var person = EntityDefinition("Person")
    person.attributes = [
      AttributeDefinition("code", .string), Museum.attribute("key", .string, "canonical:(code)"),
    ]
    person.uniquenessConstraints = [["key"]]
    let folder = try TemporaryFolder()
    let model = try ManagedObjectModel(entities: [person])
    let store = try kind.open(in: folder, model)
    let entity = try model.required("Person")
    func snapshot(_ key: Int64, _ code: String, version: Int64 = 1) -> Snapshot {
      let id = store.id(of: entity, key)
      return Snapshot(
        objectID: id, version: version, attributes: entity.attributes.map { $0.name == "code" ? .string(code) : .null },
        toOne: [])
    }
    var request = SaveRequest()
    request.inserted = [snapshot(1, "Zo\u{EB}"), snapshot(2, "Eve")]
    try store.save(request)
    let before = try Portrait.lines(store)
    request.inserted = [snapshot(3, "Anna"), snapshot(4, "ZOE")]
    let twice = request
    #expect(throws: StoreError.self) { try store.save(twice) }
    #expect(try Portrait.lines(store) == before)
    request.inserted = [snapshot(5, "zoe")]
    request.updated = [snapshot(1, "Bo")]
    try store.save(request)
    let keys = ["Person Bo: code=Bo key=bo", "Person Eve: code=Eve key=eve", "Person zoe: code=zoe key=zoe"]
    #expect(try Portrait.lines(store).map { $0.replacing("string(", with: "") } == keys)
  }

  @Test(
    "values follow both sides of a one-to-one relationship, and infinities that cancel have no sum", arguments: whole)
  func oneToOne(kind: StoreKind) throws {
    var seat = EntityDefinition("Seat")
    seat.attributes = [AttributeDefinition("code", .string), Museum.attribute("guest", .string, "ticket.code")]
    seat.relationships = [.init("ticket", toOne: "Ticket", inverse: "seat")]
    var ticket = EntityDefinition("Ticket")
    ticket.attributes = [AttributeDefinition("code", .string), AttributeDefinition("price", .double)]
    ticket.relationships = [
      .init("seat", toOne: "Seat", inverse: "ticket"), .init("hall", toOne: "Hall", inverse: "tickets"),
    ]
    var hall = EntityDefinition("Hall")
    hall.attributes = [
      AttributeDefinition("code", .string), Museum.attribute("takings", .double, "tickets.@sum.price"),
      Museum.attribute("guest", .string, "lowercase:(doorman.ticket.code)"),
    ]
    hall.relationships = [.init("tickets", toMany: "Ticket", inverse: "hall"), .init("doorman", toOne: "Seat")]
    let folder = try TemporaryFolder()
    let container = PersistentContainer(
      name: "Theatre", managedObjectModel: try ManagedObjectModel(entities: [seat, ticket, hall]),
      persistentStoreDescriptions: [kind.description(in: folder)])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      func insert(_ entity: String, _ code: String) throws -> ManagedObject {
        let object = context.insert(try container.managedObjectModel.required(entity))
        object["code"] = .string(code)
        return object
      }
      func saved(_ object: ManagedObject, _ name: String) throws -> Value {
        try context.save()
        context.refreshAllObjects()
        return object.attributeValue(name)
      }
      let (seat, other, hall) = (try insert("Seat", "1"), try insert("Seat", "2"), try insert("Hall", "Red"))
      let (anna, ben) = (try insert("Ticket", "Anna"), try insert("Ticket", "Ben"))
      seat.setObject(anna, for: "ticket")
      hall.setObject(seat, for: "doorman")
      for (ticket, price) in [(anna, Double.infinity), (ben, 2)] {
        ticket["price"] = .double(price)
        ticket.setObject(hall, for: "hall")
      }
      #expect(try saved(seat, "guest") == .string("Anna"))
      #expect(hall["guest"] == .string("anna"))
      #expect(hall["takings"] == .double(.infinity))
      ben["price"] = .double(-.infinity)
      anna["code"] = .string("Anne")
      #expect(try saved(seat, "guest") == .string("Anne"))
      #expect(hall["guest"] == .string("anne"))
      #expect(hall["takings"] == nil)
      ben.setObject(seat, for: "seat")
      other.setObject(anna, for: "ticket")
      #expect(try saved(seat, "guest") == .string("Ben"))
      #expect(other["guest"] == .string("Anne"))
      #expect(hall["guest"] == .string("ben"))
      context.delete(ben)
      #expect(try saved(seat, "guest") == .null)
      #expect(hall["guest"] == nil)
      context.delete(anna)
      #expect(try saved(hall, "takings") == .double(0))
    }
  }
}
