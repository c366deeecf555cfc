import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import SQLite
import Seedbed
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Destroying and replacing stores")
struct StoreFilesTests {
  /// A store with these books, closed, in WAL mode or not.
  private func makeStore(_ url: URL, _ titles: [String], model: ManagedObjectModel) throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(with: PersistentStoreDescription(type: .sqlite, url: url))
    let book = try model.required("Book")
    let context = ManagedObjectContext(coordinator: coordinator, name: "test")
    try context.performAndWait {
      for title in titles { context.insert(book)["title"] = .string(title) }
      try context.save()
    }
    try (store as? SQLiteStore)?.close()
  }

  private func titles(_ url: URL, model: ManagedObjectModel) throws -> [Value] {
    let store = try SQLiteStore.open(path: url.path, model: model)
    defer { try? store.close() }
    return try store.snapshots(FetchSpecification(try model.required("Book"))).map { $0.attributes[0] }
  }

  @Test("destroying removes the store with its sidecars and nothing else, and may be done twice")
  func destroy() throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    try makeStore(folder.file("a.sqlite"), ["Dune"], model: model)
    try makeStore(folder.file("b.sqlite"), ["Emma"], model: model)
    let before = try folder.names().filter { $0.hasPrefix("b") }
    try PersistentStoreCoordinator.destroyPersistentStore(at: folder.file("a.sqlite"), type: .sqlite)
    #expect(try folder.names() == before)
    try PersistentStoreCoordinator.destroyPersistentStore(at: folder.file("a.sqlite"), type: .sqlite)
    #expect(try titles(folder.file("b.sqlite"), model: model) == [.string("Emma")])
  }

  @Test("destroying leaves the files of external data that another store of the folder names")
  func destroyBesideAnother() throws {
    let folder = try TemporaryFolder()
    var photo = EntityDefinition("Photo")
    var image = AttributeDefinition("image", .binary)
    image.allowsExternalBinaryDataStorage = true
    photo.attributes = [image]
    let model = try ManagedObjectModel(entities: [photo])
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let description = PersistentStoreDescription(type: .sqlite, url: folder.file("a.sqlite"))
    let store = try coordinator.addPersistentStore(with: description)
    let context = ManagedObjectContext(coordinator: coordinator, name: "test")
    try context.performAndWait {
      for byte in 0..<2 {
        EntityDescription.insertNewObject(forEntityName: "Photo", into: context)["image"] =
          .data(Data(repeating: UInt8(byte), count: 200_000))
      }
      try context.save()
    }
    try (store as? SQLiteStore)?.close()
    try FileManager.default.copyItem(at: folder.file("a.sqlite"), to: folder.file("a.bak"))
    func files() -> [String] {
      (FileManager.default.enumerator(atPath: folder.path(".a_SUPPORT"))?.compactMap { $0 as? String } ?? [])
        .filter { $0.contains("/") }.sorted()
    }
    let before = files()
    try #require(before.count == 2)
    try PersistentStoreCoordinator.destroyPersistentStore(at: folder.file("a.sqlite"), type: .sqlite)
    #expect(files() == before)
    try PersistentStoreCoordinator.destroyPersistentStore(at: folder.file("a.bak"), type: .sqlite)
    #expect(files().isEmpty)
  }

  @Test("a store in use is not destroyed")
  func destroyInUse() throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let url = folder.file("a.sqlite")
    try makeStore(url, ["Dune"], model: model)
    let other = try Connection(path: url.path)
    try other.execute("BEGIN; SELECT count(*) FROM ZBOOK")
    #expect { try PersistentStoreCoordinator.destroyPersistentStore(at: url, type: .sqlite) } throws: { error in
      if case StoreError.busy = error { true } else { false }
    }
    try other.execute("COMMIT")
    try other.close()
    #expect(try titles(url, model: model) == [.string("Dune")])
  }

  @Test("a store that another process has locked is neither replaced nor destroyed, and its bytes stay")
  func lockedByAnotherProcess() async throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let (source, target) = (folder.file("seed.sqlite"), folder.file("live.sqlite"))
    try makeStore(source, ["Emma"], model: model)
    for lock in ["BEGIN; SELECT count(*) FROM ZBOOK", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
      try makeStore(target, ["Dune"], model: model)
      // Reading the file while it is locked would drop this process's locks.
      let bytes = try Data(contentsOf: target)
      let holder = try Connection(path: target.path)
      try holder.execute(lock)
      let (sourcePath, targetPath) = (source.path, target.path)
      await #expect(processExitsWith: .exitCode(75)) {
        [sourcePath = sourcePath as String, targetPath = targetPath as String] in
        let (source, target) = (URL(filePath: sourcePath), URL(filePath: targetPath))
        do {
          try PersistentStoreCoordinator.replacePersistentStore(
            at: target, withPersistentStoreFrom: source, type: .sqlite)
          exit(1)
        } catch StoreError.busy {}
        do {
          try PersistentStoreCoordinator.destroyPersistentStore(at: target, type: .sqlite)
          exit(2)
        } catch StoreError.busy { exit(75) }
      }
      try holder.execute("COMMIT")
      try holder.close()
      #expect(try Data(contentsOf: target) == bytes, "\(lock)")
      #expect(try titles(target, model: model) == [.string("Dune")])
      try PersistentStoreCoordinator.replacePersistentStore(at: target, withPersistentStoreFrom: source, type: .sqlite)
      #expect(try titles(target, model: model) == [.string("Emma")])
      try PersistentStoreCoordinator.destroyPersistentStore(at: target, type: .sqlite)
    }
  }

  @Test("a file that is no store is left alone")
  func destroyOther() throws {
    let folder = try TemporaryFolder()
    try Data("dear diary".utf8).write(to: folder.file("a.txt"))
    #expect(throws: StoreError.self) {
      try PersistentStoreCoordinator.destroyPersistentStore(at: folder.file("a.txt"), type: .sqlite)
    }
    #expect(try Data(contentsOf: folder.file("a.txt")) == Data("dear diary".utf8))
  }

  @Test("replacing copies where there is nothing, replaces what is there, and leaves the source as it is")
  func replace() throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let (source, target) = (folder.file("seed.sqlite"), folder.file("live.sqlite"))
    try makeStore(source, ["Dune", "Emma"], model: model)
    let bytes = try Data(contentsOf: source)
    for round in 1...2 {
      try PersistentStoreCoordinator.replacePersistentStore(
        at: target, withPersistentStoreFrom: source, type: .sqlite)
      #expect(try titles(target, model: model) == [.string("Dune"), .string("Emma")], "round \(round)")
      try PersistentStoreCoordinator.destroyPersistentStore(at: target, type: .sqlite)
      try makeStore(target, ["Old"], model: model)
    }
    #expect(try Data(contentsOf: source) == bytes)
    #expect {
      try PersistentStoreCoordinator.replacePersistentStore(
        at: target, withPersistentStoreFrom: folder.file("none.sqlite"), type: .sqlite)
    } throws: { error in
      if case StoreError.missing = error { true } else { false }
    }
    #expect(try titles(target, model: model) == [.string("Old")])
  }
}
