import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

@Suite("#Predicate over generated to-many properties")
struct MemberPredicateTests {
  /// Fetches from the store, fetches what is in the context only, and lets Foundation evaluate the predicate itself:
  /// all must give the objects of those names.
  private struct Contents {
    let context: ManagedObjectContext
    let isSaved: Bool

    func check<Root: ManagedObject & PropertyNaming>(
      _ predicate: Predicate<Root>, _ expected: Set<String>, line: Int = #line
    ) throws {
      let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
      var request = FetchSpecification(try #require(context.coordinator.model["\(Root.self)"]))
      let all = try context.fetch(request).compactMap { $0 as? Root }
      request.predicate = try FetchPredicate(predicate)
      let found = try context.fetch(request)
      #expect(Set(found.map { name($0) }) == expected, "saved: \(isSaved)", sourceLocation: location)
      #expect(Set(try all.filter { try predicate.evaluate($0) }) == Set(found), sourceLocation: location)
    }

    private func name(_ object: ManagedObject) -> String {
      switch object {
      case let artist as Artist: artist.name
      case let painting as Painting: painting.stringRequired
      case let room as Room: room.value ?? ""
      default: ""
      }
    }
  }

  /// Vermeer has a work in the north room and one in both, Rembrandt one in the south room, Nobody one in none. The
  /// attic has no works; the attic and the south room are neighbours, and the south and the north one.
  private func gallery(_ body: @Sendable (Contents) throws -> Void) throws {
    let folder = try TemporaryFolder()
    let model = try Gallery.model()
    let stores: [any PersistentStore] = [
      InMemoryStore(model: model), try SQLiteStore.create(path: folder.path("gallery.sqlite"), model: model),
    ]
    for store in stores {
      let container = try PersistentContainer(
        name: "gallery", model: model, store: store, classes: Gallery2Classes.byEntityName)
      let context = container.newBackgroundContext(name: "test")
      try context.performAndWait {
        let rooms = ["north", "south", "attic"].map { name in
          let room = Room(context: context)
          room.value = name
          return room
        }
        rooms[1].addTo_neighbours([rooms[0], rooms[2]])
        let works = [
          ("Vermeer", "Milkmaid", [0]), ("Vermeer", "Lacemaker", [0, 1]), ("Rembrandt", "Night Watch", [1]),
          ("Nobody", "Sketch", []),
        ]
        var artists: [String: Artist] = [:]
        for (name, title, places) in works {
          let artist = artists[name] ?? Artist(context: context)
          artist.name = name
          artists[name] = artist
          let painting = Painting(context: context)
          painting.stringRequired = title
          painting.stringValue = title
          artist.addToWorks(painting)
          for place in places { rooms[place].addToWorks(painting) }
        }
        try body(Contents(context: context, isSaved: false))
        for painting in artists.values.flatMap(\.works).compactMap({ $0 as? Painting }) {
          (painting.dateRequired, painting.binaryRequired) = (
            Foundation.Date(timeIntervalSinceReferenceDate: 0), Foundation.Data()
          )
          (painting.uuidRequired, painting.uriRequired) = (UUID(), URL(string: "https://example.org"))
          (painting.integer16Required, painting.booleanRequired) = (1, true)
          (painting.floatRequired, painting.decimalRequired) = (1, 1)
        }
        try context.save()
        context.reset()
        try body(Contents(context: context, isSaved: true))
      }
    }
  }

  @Test("contains, isEmpty, count and allSatisfy ask for members")
  func members() throws {
    try gallery { gallery in
      try gallery.check(#Predicate<Artist> { $0.works.contains { $0.stringValue == "Lacemaker" } }, ["Vermeer"])
      try gallery.check(
        #Predicate<Artist> { !$0.works.contains { $0.stringValue == "Lacemaker" } }, ["Rembrandt", "Nobody"])
      try gallery.check(#Predicate<Artist> { $0.works.count == 1 }, ["Rembrandt", "Nobody"])
      try gallery.check(#Predicate<Room> { $0.works.isEmpty }, ["attic"])
      try gallery.check(#Predicate<Room> { !$0.works.isEmpty && $0.value != "north" }, ["south"])
      try gallery.check(#Predicate<Room> { $0.works.allSatisfy { $0.artist?.name == "Vermeer" } }, ["north", "attic"])
      try gallery.check(
        #Predicate<Artist> { $0.works.filter { $0.stringValue != "Sketch" }.count > 0 }, ["Vermeer", "Rembrandt"])
      try gallery.check(#Predicate<Artist> { $0.works.first?.stringValue == "Milkmaid" }, ["Vermeer"])
    }
  }

  @Test("inherited to-many properties have key paths of the class that inherits them")
  func inherited() throws {
    try gallery { gallery in
      try gallery.check(
        #Predicate<Painting> { $0.rooms.contains { $0.value == "south" } }, ["Lacemaker", "Night Watch"])
      try gallery.check(#Predicate<Painting> { $0.rooms.isEmpty && $0.artist != nil }, ["Sketch"])
      try gallery.check(
        #Predicate<Painting> { $0.artist.flatMap { $0.works.count > 1 } ?? false }, ["Milkmaid", "Lacemaker"])
    }
  }

  @Test("to-many properties nest, and an inner closure may ask for the outer object")
  func nested() throws {
    try gallery { gallery in
      try gallery.check(
        #Predicate<Artist> { $0.works.contains { $0.rooms.contains { $0.value == "south" } } },
        ["Vermeer", "Rembrandt"])
      try gallery.check(#Predicate<Artist> { $0.works.allSatisfy { $0.rooms.count == 1 } }, ["Rembrandt"])
      try gallery.check(#Predicate<Room> { $0.neighbours.contains { $0.works.isEmpty } }, ["south"])
      try gallery.check(
        #Predicate<Room> { room in room.neighbours.contains { $0.works.count > room.works.count } }, ["attic"])
    }
  }
}
