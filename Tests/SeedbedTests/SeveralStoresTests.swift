import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Seedbed
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Two stores on disk behind one coordinator: "User" holds shelves and books, "Shipped" books and genres.
private struct TwoStores {
  let folder: TemporaryFolder
  let model: ManagedObjectModel
  let coordinator: PersistentStoreCoordinator
  let user: any PersistentStore
  let shipped: any PersistentStore

  init(shippedType: some PersistentStoreType = .inMemory) throws {
    folder = try TemporaryFolder()
    model = try Library.model()
    coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    user = try coordinator.addPersistentStore(
      with: PersistentStoreDescription(type: .sqlite, url: folder.file("user.sqlite"), configuration: "User"))
    shipped = try coordinator.addPersistentStore(
      with: PersistentStoreDescription(
        type: shippedType, url: shippedType is InMemoryPersistentStoreType ? nil : folder.file("shipped.store"),
        configuration: "Shipped"))
  }

  func entity(_ name: String) throws -> Entity { try model.required(name) }

  /// Puts books straight into one store.
  func put(_ books: [(title: String, year: Int64, shelf: ObjectID?)], into store: any PersistentStore) throws {
    let book = try entity("Book")
    let first = try store.reservePrimaryKeys(books.count, for: book)
    var request = SaveRequest()
    for (index, values) in books.enumerated() {
      let id = store.id(of: book, first + Int64(index))
      request.inserted.append(
        Snapshot(
          objectID: id, version: 1, attributes: [.string(values.title), .integer(values.year)], toOne: [values.shelf]))
    }
    try store.save(request)
  }

  func putShelf(_ label: String, into store: any PersistentStore) throws -> ObjectID {
    let shelf = try entity("Shelf")
    let key = try store.reservePrimaryKeys(1, for: shelf)
    let id = store.id(of: shelf, key)
    var request = SaveRequest()
    request.inserted = [Snapshot(objectID: id, version: 1, attributes: [.string(label)], toOne: [nil])]
    try store.save(request)
    return id
  }
}

@Suite("Several stores behind one coordinator")
struct SeveralStoresTests {
  @Test("new objects go to the first store whose configuration has the entity")
  func placement() throws {
    let stores = try TwoStores()
    let context = try PersistentContainer.context(stores.coordinator)
    let (shelf, book, genre) = (try stores.entity("Shelf"), try stores.entity("Book"), try stores.entity("Genre"))
    try context.performAndWait {
      for entity in [shelf, book, genre] { context.insert(entity) }
      try context.save()
      #expect(try context.count(FetchSpecification(genre)) == 1)
    }
    #expect(try stores.user.count(FetchSpecification(shelf)) == 1)
    #expect(try stores.user.count(FetchSpecification(book)) == 1)
    #expect(try stores.user.count(FetchSpecification(genre)) == 0)
    #expect(try stores.shipped.count(FetchSpecification(genre)) == 1)
    #expect(try stores.shipped.count(FetchSpecification(book)) == 0)
  }

  @Test(
    "a fetch over both stores is sorted, limited and counted as over one",
    arguments: [(0, 0), (0, 3), (2, 0), (2, 3), (5, 4), (9, 2)])
  func merging(offset: Int, limit: Int) throws {
    let stores = try TwoStores()
    let shelves = [
      try stores.putShelf("b", into: stores.user), try stores.putShelf("a", into: stores.user),
    ]
    try stores.put([("u1", 1990, shelves[0]), ("u2", 2010, shelves[1]), ("u3", 2000, nil)], into: stores.user)
    try stores.put([("s1", 2005, nil), ("s2", 1980, nil), ("s3", 2000, nil), ("s4", 2020, nil)], into: stores.shipped)
    var request = FetchSpecification(try stores.entity("Book"))
    request.fetchOffset = offset
    request.fetchLimit = limit
    func titles(_ descriptors: [FetchSortDescriptor]) throws -> [Value] {
      request.sortDescriptors = descriptors
      return try stores.coordinator.store.snapshots(request).map { $0.attributes[0] }
    }
    func window(_ all: [String]) -> [Value] {
      let rest = all.dropFirst(offset)
      return (limit > 0 ? rest.prefix(limit) : rest).map { .string($0) }
    }
    #expect(try titles([.init(["year"])]) == window(["s2", "u1", "u3", "s3", "s1", "u2", "s4"]))
    #expect(try titles([.init(["year"], ascending: false)]) == window(["s4", "u2", "s1", "u3", "s3", "u1", "s2"]))
    // Missing values first, then by the shelf's label at the far end of the relationship.
    #expect(
      try titles([.init(["shelf", "label"]), .init(["title"])]) == window(["s1", "s2", "s3", "s4", "u3", "u2", "u1"]))
    #expect(try titles([]) == window(["u1", "u2", "u3", "s1", "s2", "s3", "s4"]))
    #expect(try stores.coordinator.store.count(request) == window(["", "", "", "", "", "", ""]).count)
  }

  @Test("objects are changed and deleted in the store they came from")
  func storesOfOrigin() throws {
    let stores = try TwoStores()
    try stores.put([("u1", 1990, nil), ("u2", 1991, nil)], into: stores.user)
    try stores.put([("s1", 1992, nil), ("s2", 1993, nil)], into: stores.shipped)
    let book = try stores.entity("Book")
    let context = try PersistentContainer.context(stores.coordinator)
    try context.performAndWait {
      for object in try context.fetch(FetchSpecification(book)) {
        if case .string(let title) = object["title"], title.hasSuffix("1") {
          object["title"] = .string(title + "!")
        } else {
          context.delete(object)
        }
      }
      try context.save()
    }
    #expect(try stores.user.snapshots(FetchSpecification(book)).map { $0.attributes[0] } == [.string("u1!")])
    #expect(try stores.shipped.snapshots(FetchSpecification(book)).map { $0.attributes[0] } == [.string("s1!")])
  }

  @Test("a relationship from one store to another is refused and nothing is written")
  func crossing() throws {
    let stores = try TwoStores()
    try stores.put([("s1", 1992, nil)], into: stores.shipped)
    let (book, shelf) = (try stores.entity("Book"), try stores.entity("Shelf"))
    let context = try PersistentContainer.context(stores.coordinator)
    try context.performAndWait {
      let shipped = try #require(try context.fetch(FetchSpecification(book)).first)
      shipped.setObject(context.insert(shelf), for: "shelf")
      #expect { try context.save() } throws: { "\($0)".contains("another store") }
    }
    #expect(try stores.user.count(FetchSpecification(shelf)) == 0)
  }

  @Test("a conflict in one store leaves the other as it was, and the merged save writes both once", arguments: 0..<6)
  func conflicts(number: Int) throws {
    let stores =
      switch number / 2 {
      case 0: try TwoStores()
      case 1: try TwoStores(shippedType: .sqlite)
      // It can only write when the others have committed.
      default: try TwoStores(shippedType: .xml)
      }
    let conflicting = number % 2 == 0 ? "u" : "s"
    try stores.put([("u", 1990, nil)], into: stores.user)
    try stores.put([("s", 1991, nil)], into: stores.shipped)
    let book = try stores.entity("Book")
    @Sendable func rows() throws -> [String] {
      try [stores.user, stores.shipped].flatMap { try $0.snapshots(FetchSpecification(book)) }.map { row in
        guard case .string(let title) = row.attributes[0], case .integer(let year) = row.attributes[1] else {
          return ""
        }
        return "\(title) \(year) v\(row.version)"
      }
    }
    let context = try PersistentContainer.context(stores.coordinator)
    try context.performAndWait {
      for object in try context.fetch(FetchSpecification(book)) { object["year"] = .integer(2_000) }
      let other = try PersistentContainer.context(stores.coordinator)
      try other.performAndWait {
        for object in try other.fetch(FetchSpecification(book)) where object["title"] == .string(conflicting) {
          object["year"] = .integer(1_980)
        }
        try other.save()
      }
      let before = try rows()
      #expect(throws: SaveConflictError.self) { try context.save() }
      #expect(try rows() == before)
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      #expect(try rows() == (conflicting == "u" ? ["u 2000 v3", "s 2000 v2"] : ["u 2000 v2", "s 2000 v3"]))
    }
  }

  @Test("a store that cannot write leaves the others as they were")
  func failure() throws {
    let stores = try TwoStores(shippedType: .xml)
    try stores.put([("s", 1991, nil)], into: stores.shipped)
    let (shelf, book) = (try stores.entity("Shelf"), try stores.entity("Book"))
    let context = try PersistentContainer.context(stores.coordinator)
    try context.performAndWait {
      let object = try #require(try context.fetch(FetchSpecification(book)).first)
      object["year"] = .integer(2_000)
      context.insert(shelf)["label"] = .string("new")
      // Another process's file is not overwritten.
      try Data("mine".utf8).write(to: stores.folder.file("shipped.store"))
      #expect(throws: StoreError.self) { try context.save() }
      #expect(context.hasChanges)
    }
    #expect(try stores.user.count(FetchSpecification(shelf)) == 0)
  }

  @Test("a store that is taken away is asked no more, and its objects cannot be saved")
  func removal() throws {
    let stores = try TwoStores()
    try stores.put([("s1", 1992, nil)], into: stores.shipped)
    let book = try stores.entity("Book")
    let context = try PersistentContainer.context(stores.coordinator)
    try context.performAndWait {
      let object = try #require(try context.fetch(FetchSpecification(book)).first)
      try stores.coordinator.remove(stores.shipped)
      #expect(try context.fetch(FetchSpecification(book)).isEmpty)
      object["title"] = .string("lost")
      #expect { try context.save() } throws: { "\($0)".contains("removed") }
    }
    #expect(throws: StoreError.self) { try stores.coordinator.remove(stores.shipped) }
  }

  @Test("an unknown configuration and a store added twice are refused, and no file is made")
  func refusals() throws {
    let stores = try TwoStores()
    let description = PersistentStoreDescription(
      type: .sqlite, url: stores.folder.file("other.sqlite"), configuration: "Nobody")
    #expect(throws: StoreError.self) { try stores.coordinator.addPersistentStore(with: description) }
    #expect(throws: StoreError.self) { try stores.coordinator.add(stores.user, configuration: "User") }
    #expect(try !stores.folder.names().contains("other.sqlite"))
  }
}

extension PersistentContainer {
  /// A background context of a coordinator.
  fileprivate static func context(_ coordinator: PersistentStoreCoordinator) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: coordinator, name: "test")
  }
}
