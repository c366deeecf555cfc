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

@Suite("Read-only stores beside others")
struct ReadOnlyStoreTests {
  enum Kind: CaseIterable, Sendable {
    case sqlite, xml, binary

    func description(_ url: URL) -> PersistentStoreDescription {
      switch self {
      case .sqlite: PersistentStoreDescription(type: .sqlite, url: url)
      case .xml: PersistentStoreDescription(type: .xml, url: url)
      case .binary: PersistentStoreDescription(type: .binary, url: url)
      }
    }
  }

  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let book: Entity

  init() throws {
    folder = try TemporaryFolder()
    model = try Library.model()
    book = try model.required("Book")
  }

  /// Makes a store with one book, closes it, and opens it read-only as the only store of a coordinator.
  private func bundled(_ kind: Kind) throws -> PersistentStoreCoordinator {
    let description = kind.description(folder.file("seed"))
    let maker = PersistentStoreCoordinator(managedObjectModel: model)
    let store = try maker.addPersistentStore(with: description)
    let context = ManagedObjectContext(coordinator: maker, name: "maker")
    try context.performAndWait {
      context.insert(book)["title"] = .string("shipped")
      try context.save()
    }
    try maker.remove(store)
    description.isReadOnly = true
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(with: description)
    return coordinator
  }

  private func titles(_ store: any PersistentStore) throws -> [Value] {
    try store.snapshots(FetchSpecification(book)).map { $0.attributes[0] }
  }

  @Test(
    "new objects go to the first store that can be written, one assigned to a read-only store nowhere",
    arguments: Kind.allCases)
  func placement(kind: Kind) throws {
    let coordinator = try bundled(kind)
    let seed = try #require(coordinator.persistentStores.first)
    let user = try coordinator.addPersistentStore(
      with: PersistentStoreDescription(type: .sqlite, url: folder.file("user.sqlite")))
    let context = ManagedObjectContext(coordinator: coordinator, name: "test")
    try context.performAndWait {
      context.insert(book)["title"] = .string("mine")
      try context.save()
      #expect(try context.fetch(FetchSpecification(book)).map { $0["title"] } == [.string("shipped"), .string("mine")])
      let second = context.insert(book)
      context.assign(second, to: seed)
      #expect { try context.save() } throws: { "\($0)".contains("Book") && "\($0)".contains("read-only") }
      context.delete(second)
      try context.save()
    }
    #expect(try titles(user) == [.string("mine")])
    #expect(try titles(seed) == [.string("shipped")])
  }

  @Test("where every store is read-only, the error of a new object says so", arguments: Kind.allCases)
  func noneWritable(kind: Kind) throws {
    let coordinator = try bundled(kind)
    let context = ManagedObjectContext(coordinator: coordinator, name: "test")
    context.performAndWait {
      let new = context.insert(book)
      for _ in 1...2 {
        _ = #expect { try context.save() } throws: { "\($0)".contains("Book") && "\($0)".contains("read-only") }
        _ = #expect(throws: StoreError.self) { try context.obtainPermanentIDs(for: [new]) }
      }
    }
  }

  @Test("an object of a read-only store is neither changed nor deleted", arguments: Kind.allCases, [false, true])
  func changes(kind: Kind, isAlone: Bool) throws {
    let coordinator = try bundled(kind)
    if !isAlone { try coordinator.addPersistentStore(with: PersistentStoreDescription(type: .inMemory)) }
    let context = ManagedObjectContext(coordinator: coordinator, name: "test")
    try context.performAndWait {
      let shipped = try #require(try context.fetch(FetchSpecification(book)).first)
      shipped["title"] = .string("changed")
      #expect { try context.save() } throws: { "\($0)".contains("Book") && "\($0)".contains("read-only") }
      context.rollback()
      context.delete(shipped)
      #expect { try context.save() } throws: { "\($0)".contains("Book") && "\($0)".contains("read-only") }
      context.rollback()
      #expect(shipped["title"] == .string("shipped"))
    }
  }

  @Test("a store in memory that is described as read-only takes nothing")
  func inMemory() throws {
    let description = PersistentStoreDescription(type: .inMemory)
    description.isReadOnly = true
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(with: description)
    let context = ManagedObjectContext(coordinator: coordinator, name: "test")
    context.performAndWait {
      context.insert(book)
      _ = #expect { try context.save() } throws: { "\($0)".contains("read-only") }
    }
  }
}
