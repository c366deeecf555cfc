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

@Suite("Taking stores away")
struct StoreRemovalTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let book: Entity

  init() throws {
    folder = try TemporaryFolder()
    model = try Library.model()
    book = try model.required("Book")
  }

  private func describe(_ name: String) -> PersistentStoreDescription {
    PersistentStoreDescription(type: .sqlite, url: folder.file(name))
  }

  /// Saves a book in a new context.
  private func addBook(_ title: String, _ coordinator: PersistentStoreCoordinator) throws -> ObjectID {
    let context = ManagedObjectContext(coordinator: coordinator, name: title)
    return try context.performAndWait {
      let object = context.insert(book)
      object["title"] = .string(title)
      try context.save()
      return object.objectID
    }
  }

  @Test("all stores can be wiped and made anew by the program that has them open", arguments: [false, true])
  func wiping(isOpenedByProgram: Bool) throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    for round in 1...2 {
      for name in ["a.sqlite", "b.sqlite"] {
        if isOpenedByProgram {
          try coordinator.add(try SQLiteStore.create(path: folder.file(name).path, model: model))
        } else {
          try coordinator.addPersistentStore(with: describe(name))
        }
      }
      let old = try addBook("Dune", coordinator)
      let context = ManagedObjectContext(coordinator: coordinator, name: "reader")
      let count = try context.performAndWait { try context.count(FetchSpecification(book)) }
      #expect(count == 1, "round \(round)")
      for store in coordinator.persistentStores {
        let url = coordinator.url(for: store)
        try coordinator.remove(store)
        try PersistentStoreCoordinator.destroyPersistentStore(at: url, type: .sqlite)
      }
      #expect(coordinator.persistentStores.isEmpty)
      #expect(try folder.names().isEmpty)
      let later = ManagedObjectContext(coordinator: coordinator, name: "later")
      later.performAndWait { _ = #expect(throws: (any Error).self) { try later.existingObject(with: old) } }
    }
  }

  @Test("objects of a store that was taken away are gone, those of the others are not")
  func cachedRows() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let first = try coordinator.addPersistentStore(with: describe("a.sqlite"))
    let gone = try addBook("gone", coordinator)
    let second = try coordinator.addPersistentStore(with: describe("b.sqlite"))
    let context = ManagedObjectContext(coordinator: coordinator, name: "reader")
    let kept = try context.performAndWait {
      let object = context.insert(book)
      object["title"] = .string("kept")
      context.assign(object, to: second)
      try context.save()
      return object.objectID
    }
    try coordinator.remove(first)
    let later = ManagedObjectContext(coordinator: coordinator, name: "later")
    try later.performAndWait {
      #expect(throws: ContextError.self) { try later.existingObject(with: gone) }
      let object = try later.existingObject(with: kept)
      #expect(object["title"] == .string("kept"))
    }
    // Back again, with what another program wrote into it meanwhile.
    let other = PersistentStoreCoordinator(managedObjectModel: model)
    let opened = try other.addPersistentStore(with: describe("a.sqlite"))
    let editor = ManagedObjectContext(coordinator: other, name: "editor")
    try editor.performAndWait {
      try editor.existingObject(with: gone)["title"] = .string("changed")
      try editor.save()
    }
    try other.remove(opened)
    try coordinator.addPersistentStore(with: describe("a.sqlite"))
    let last = ManagedObjectContext(coordinator: coordinator, name: "last")
    let title = try last.performAndWait { try last.existingObject(with: gone)["title"] }
    #expect(title == .string("changed"))
  }

  @Test("a store that was removed is closed, and says so when it is used again")
  func closed() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(with: describe("a.sqlite"))
    _ = try addBook("Dune", coordinator)
    try coordinator.remove(store)
    #expect(try folder.names() == ["a.sqlite"])
    #expect { try store.snapshots(FetchSpecification(book)) } throws: { "\($0)".contains("closed") }
    #expect { try store.reservePrimaryKeys(1, for: book) } throws: { "\($0)".contains("closed") }
    #expect { try store.save(SaveRequest()) } throws: { "\($0)".contains("closed") }
    try store.close()
  }

  /// A store that counts how often it is closed.
  private final class Ledger: IncrementalStore, @unchecked Sendable {
    private(set) var closings = 0
    override func loadMetadata() throws -> Metadata { Metadata(identifier: UUID()) }
    override func execute(_ request: FetchSpecification) throws -> [ObjectID] { [] }
    override func willClose() throws { closings += 1 }
  }

  @Test("a store of one's own hears that it is closed")
  func ownStore() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let ledger = try Ledger(description: PersistentStoreDescription(type: .inMemory), model: model)
    try ledger.load()
    try coordinator.add(ledger)
    try coordinator.remove(ledger)
    try ledger.close()
    #expect(ledger.closings == 1)
  }
}
