import Foundation
import ObjectModel
import Predicates
import StoreInterface
import Synchronization
import TestStores
import TestSupport
import Testing

@Suite("Batches in every type of store")
struct StoreBatchTests {
  /// `title year shelf` of every book, by title.
  private static func books(_ store: any PersistentStore) throws -> [String] {
    let book = try store.model.required("Book")
    let places = ["title", "year"].map { name in book.attributes.firstIndex { $0.name == name } ?? 0 }
    let shelf = book.relationships.firstIndex { $0.name == "shelf" } ?? 0
    return try store.snapshots(FetchSpecification(book)).map { row in
      "\(row.attributes[places[0]].string ?? "nil") \(row.attributes[places[1]].integer.map { "\($0)" } ?? "nil") "
        + (row.toOne[shelf] == nil ? "nowhere" : "shelved")
    }.sorted()
  }

  /// A new store with the library's objects.
  private static func library(
    _ kind: StoreKind, _ folder: TemporaryFolder, _ model: ManagedObjectModel
  ) throws -> any BatchWriting {
    let store = try kind.open(in: folder, model)
    try Library.fill(store)
    return try #require(store as? any BatchWriting)
  }

  @Test(
    "what a batch inserts, updates and deletes is in the store when it is opened again", arguments: StoreKind.allCases)
  func batches(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let store = try Self.library(kind, folder, model)
    let book = try model.required("Book")
    let update = BatchUpdate(FetchSpecification(book), assignments: ["year": FetchExpression(format: "year + 1")])
    #expect(try store.perform(StoreBatch(.update(update))).updatedCount == 1)

    var rows: [[String: BatchRowWriter.Content]] = [
      ["title": .value(.string("Emma")), "year": .value(.integer(1815))],
      ["title": .value(.string("Ulysses")), "year": .value(.integer(1922))],
    ]
    var writer = BatchRowWriter(book)
    let insertion = BatchInsertion(book, conflictRule: .update) {
      writer.clear()
      if rows.isEmpty { return nil }
      try writer.append(rows.removeFirst())
      return writer.batch
    }
    let inserted = try store.perform(StoreBatch(.insert(insertion)))
    #expect(inserted.insertedCount == 1 && inserted.updatedCount == 1)
    #expect(try Self.books(store) == ["Dune <1> 1966 shelved", "Emma 1815 nowhere", "Ulysses 1922 nowhere"])

    struct Stop: Error {}
    let shelves = StoreBatch(.delete(BatchDeletion(FetchSpecification(try model.required("Shelf")))))
    #expect(throws: Stop.self) { try store.perform(shelves) { _ in throw Stop() } }
    #expect(try Self.books(store).contains("Dune <1> 1966 shelved"))
    let deleted = try store.perform(shelves)
    #expect(deleted.deletedCount == 1 && deleted.relatedCount == 1)
    let expected = ["Dune <1> 1966 nowhere", "Emma 1815 nowhere", "Ulysses 1922 nowhere"]
    #expect(try Self.books(store) == expected)
    if kind == .inMemory { return }
    try store.close()
    #expect(try Self.books(kind.open(in: folder, model)) == expected)
  }

  /// Threads that save all the time, and what they did.
  private final class Savers: Sendable {
    let isOver = Atomic(false)
    let saves = Atomic(0)
    let failures = Mutex<[String]>([])
    private let group = DispatchGroup()

    func start(_ save: @escaping @Sendable () throws -> Void) {
      for _ in 0..<2 {
        group.enter()
        Thread.detachNewThread { [self] in
          defer { group.leave() }
          while !isOver.load(ordering: .relaxed) {
            do {
              try save()
              saves.add(1, ordering: .relaxed)
            } catch StoreError.optimisticLockingFailure {
            } catch {
              failures.withLock { $0.append("\(error)") }
              return
            }
          }
        }
      }
    }

    func stop() {
      isOver.store(true, ordering: .relaxed)
      group.wait()
    }
  }

  /// Stores that carry out batches on objects read these and save them; a save in between would make that save stale.
  @Test("no save comes between what a batch reads and what it writes", arguments: StoreKind.allCases)
  func batchesBesideSaves(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let store = try Self.library(kind, folder, model)
    let book = try model.required("Book")
    let first = try Self.years(store)
    let savers = Savers()
    savers.start {
      var request = SaveRequest()
      request.updated = try store.snapshots(FetchSpecification(book))
      try store.save(request)
    }
    defer { savers.stop() }
    var rounds = 0
    while rounds < 40 || savers.saves.load(ordering: .relaxed) == 0 && savers.failures.withLock(\.isEmpty) {
      let years = BatchUpdate(FetchSpecification(book), assignments: ["year": FetchExpression(format: "year + 1")])
      try store.perform(StoreBatch(.update(years)))
      rounds += 1
    }
    #expect(try Self.years(store) == first.map { $0 + Int64(rounds) })
    savers.stop()
    #expect(savers.failures.withLock { $0 } == [])
  }

  private static func years(_ store: any PersistentStore) throws -> [Int64] {
    let book = try store.model.required("Book")
    let year = book.attributes.firstIndex { $0.name == "year" } ?? 0
    return try store.snapshots(FetchSpecification(book)).compactMap { $0.attributes[year].integer }
  }
}
