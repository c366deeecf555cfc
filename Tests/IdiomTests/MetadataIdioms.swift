import Foundation
import Seedbed
import TestSupport
import Testing

/// What programs keep in a store's metadata, and SQLite's pragmas.
@Suite("Idioms: metadata and pragmas")
struct MetadataIdioms {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func coordinator() throws -> PersistentStoreCoordinator {
    PersistentStoreCoordinator(managedObjectModel: try Kitchen.model(), classes: ["Recipe": Recipe.self])
  }

  private func context(_ coordinator: PersistentStoreCoordinator) -> ManagedObjectContext {
    let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func count(_ coordinator: PersistentStoreCoordinator) throws -> Int {
    let context = context(coordinator)
    return try context.performAndWait { try context.count(for: Recipe.fetchRequest()) }
  }

  static let types: [any PersistentStoreType] = [SQLiteStoreType, XMLStoreType, BinaryStoreType, InMemoryStoreType]

  @Test("metadata: what a program adds is kept with the store, whatever its type", arguments: types)
  func metadata(type: any PersistentStoreType) throws {
    func run(_ type: some PersistentStoreType) throws {
      let url = folder.file("Kitchen.store")
      let coordinator = try coordinator()
      let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
      var metadata = coordinator.metadata(for: store)
      #expect(metadata[StoreTypeKey] as? String == store.type && store.type == type)
      #expect(metadata[StoreUUIDKey] as? String == store.identifier && metadata["SeedVersion"] == nil)
      let hashes = try #require(metadata[StoreModelVersionHashesKey] as? [String: Data])
      #expect(hashes.count == 4)
      let day = Date(timeIntervalSinceReferenceDate: 700_000_000)
      metadata["SeedVersion"] = 3
      metadata["Share"] = 0.5
      metadata["IsShipped"] = true
      metadata["IsDraft"] = NSNumber(value: false)
      metadata["Whole"] = NSNumber(value: 2.0)
      metadata["Small"] = Int8(5)
      metadata["Greatest"] = UInt64.max
      metadata["Built"] = day
      metadata["Languages"] = ["en", "de"]
      metadata[StoreUUIDKey] = "another"
      coordinator.setMetadata(metadata, for: store)
      func check(_ metadata: [String: Any]) {
        #expect(metadata["SeedVersion"] as? Int == 3 && metadata["Share"] as? Double == 0.5)
        #expect(metadata["IsShipped"] as? Bool == true && metadata["Built"] as? Date == day)
        #expect(metadata["IsDraft"] as? Bool == false && metadata["IsDraft"] as? Int == nil)
        #expect(metadata["Whole"] as? Double == 2 && metadata["Small"] as? Int == 5)
        #expect(metadata["Greatest"] as? UInt == .max)
        #expect(metadata["Languages"] as? [String] == ["en", "de"])
        #expect(metadata[StoreUUIDKey] as? String == store.identifier)
        #expect(metadata[StoreModelVersionHashesKey] as? [String: Data] == hashes)
      }
      check(coordinator.metadata(for: store))
      try coordinator.remove(store)
      if type == InMemoryStoreType { return }
      check(try PersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url, options: nil))
      let again = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
      check(coordinator.metadata(for: again))
      coordinator.setMetadata(nil, for: again)
      #expect(coordinator.metadata(for: again)["SeedVersion"] == nil)
      #expect(coordinator.metadata(for: again)[StoreTypeKey] as? String == type)
    }
    try run(type)
  }

  @Test("metadata: of a store that nothing has open")
  func closedMetadata() throws {
    let url = folder.file("Kitchen.sqlite")
    let coordinator = try coordinator()
    try coordinator.remove(try coordinator.addPersistentStore(type: .sqlite, at: url))
    try PersistentStoreCoordinator.setMetadata(
      ["SeedVersion": 4], forPersistentStoreOfType: SQLiteStoreType, at: url, options: nil)
    let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    #expect(metadata["SeedVersion"] as? Int == 4)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    #expect(coordinator.metadata(for: store)["SeedVersion"] as? Int == 4)
    #expect(throws: StoreError.self) {
      try PersistentStoreCoordinator.setMetadata(["SeedVersion": 4], type: .sqlite, at: folder.file("None.sqlite"))
    }
  }

  @Test("metadata: what cannot be kept makes the next save fail, once, and changes nothing")
  func refusedMetadata() throws {
    let coordinator = try coordinator()
    let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("Kitchen.sqlite"))
    try (store as? SQLiteStore)?.setMetadata(["SeedbedSeedVersion": .integer(7)])
    coordinator.setMetadata(["SeedVersion": 1, "SeedbedSeedVersion": 9], for: store)
    #expect(coordinator.metadata(for: store)["SeedbedSeedVersion"] as? Int == 7)
    coordinator.setMetadata(["SeedVersion": NSObject()], for: store)
    coordinator.setMetadata(["SeedVersion": 2, "Author": NSObject()], for: store)
    #expect(coordinator.metadata(for: store)["SeedVersion"] as? Int == 1)
    let context = context(coordinator)
    try context.performAndWait {
      Recipe(context: context).title = "Soup"
      #expect(throws: StoreError.self) { try context.save() }
      try context.save()
    }
    #expect(try count(coordinator) == 1)
  }

  @Test("pragmas: a store in one file, as a read-only bundle needs it")
  func journalMode() throws {
    let url = folder.file("Kitchen.sqlite")
    let description = PersistentStoreDescription(url: url)
    description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
    #expect(description.sqlitePragmas["journal_mode"] == "DELETE")
    let coordinator = try coordinator()
    let store = try coordinator.addPersistentStore(with: description)
    let context = context(coordinator)
    try context.performAndWait {
      Recipe(context: context).title = "Soup"
      try context.save()
    }
    #expect(try folder.names() == ["Kitchen.sqlite"])
    // The two version bytes of the header: 1 for a rollback journal, 2 for a write-ahead log.
    #expect(try Data(contentsOf: url)[18..<20].elementsEqual([1, 1]))
    try coordinator.remove(store)
    let before = try Data(contentsOf: url)
    let options: [String: Any] = [
      ReadOnlyPersistentStoreOption: true, SQLitePragmasOption: ["journal_mode": "WAL", "cache_size": -2_000],
    ]
    let reopened = try coordinator.addPersistentStore(
      ofType: SQLiteStoreType, configurationName: nil, at: url, options: options)
    #expect(try count(coordinator) == 1)
    try coordinator.remove(reopened)
    #expect(try Data(contentsOf: url) == before)
    let logged = try coordinator.addPersistentStore(
      ofType: SQLiteStoreType, configurationName: nil, at: url, options: [SQLitePragmasOption: ["journal_mode": "WAL"]])
    #expect(try count(coordinator) == 1 && folder.names().contains("Kitchen.sqlite-wal"))
    // Another connection keeps the log.
    let other = try self.coordinator()
    #expect(throws: StoreError.self) {
      try other.addPersistentStore(
        ofType: SQLiteStoreType, configurationName: nil, at: url,
        options: [SQLitePragmasOption: ["journal_mode": "DELETE"], PersistentStoreTimeoutOption: 0.1])
    }
    #expect(other.persistentStores.isEmpty)
    try coordinator.remove(logged)
  }

  @Test(
    "pragmas: others, and values that could lose data, are refused before there is a file",
    arguments: [
      ("journal_mode", "MEMORY"), ("journal_mode", "PERSIST"), ("mmap_size", "1000"), ("journal_mode", "OFF"),
      ("synchronous", "OFF"), ("foreign_keys", "ON"),
      ("cache_size", "1; DROP TABLE ZRECIPE"), ("writable_schema", "1"),
    ])
  func refusedPragmas(name: String, value: String) throws {
    let description = PersistentStoreDescription(url: folder.file("Kitchen.sqlite"))
    description.setValue(value, forPragmaNamed: name)
    let error = #expect(throws: StoreError.self) { try coordinator().addPersistentStore(with: description) }
    #expect(error.map { "\($0)".contains(name) } == true)
    #expect(try folder.names().isEmpty)
  }

  @Test("pragmas: a file is made small, and its indexes are measured, when it is opened")
  func vacuumAndAnalyze() throws {
    let url = folder.file("Kitchen.sqlite")
    let coordinator = try coordinator()
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    let context = context(coordinator)
    try context.performAndWait {
      for number in 0..<2_000 { Recipe(context: context).title = "Soup number \(number) with a long title" }
      try context.save()
      for recipe in try context.fetch(Recipe.fetchRequest()).dropFirst() { context.delete(recipe) }
      try context.save()
    }
    try coordinator.remove(store)
    let before = try Data(contentsOf: url).count
    let options: [String: Any] = [SQLiteManualVacuumOption: true, SQLiteAnalyzeOption: true]
    let small = try coordinator.addPersistentStore(
      ofType: SQLiteStoreType, configurationName: nil, at: url, options: options)
    #expect(coordinator.persistentStores == [small] && small == coordinator.persistentStore(for: url))
    #expect(try coordinator.persistentStores.first?.type == SQLiteStoreType && count(coordinator) == 1)
    try coordinator.remove(small)
    #expect(try Data(contentsOf: url).count < before / 2)
    #expect(try Data(contentsOf: url).range(of: Data("sqlite_stat1".utf8)) != nil)
    let report = try StoreChecker.check(path: url.path, model: try Kitchen.model())
    #expect(report.findings.isEmpty)
  }
}
