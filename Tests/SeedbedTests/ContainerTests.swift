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

/// A container as an app has it: its stores go where the subclass says.
private final class JournalContainer: PersistentContainer, @unchecked Sendable {
  @TaskLocal static var folder = FileManager.default.temporaryDirectory
  override class func defaultDirectoryURL() -> URL { folder }
}

private let modelFolder = FixtureFolder.packageRoot.appending(path: "seeds/surf-journal")

/// What `loadPersistentStores` called back with.
private final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var entries: [String] = []
  func note(_ text: String) { lock.withLock { entries.append(text) } }
  var all: [String] { lock.withLock { entries } }
}

/// A container whose model is in a bundle of its own.
private final class BundledContainer: PersistentContainer, @unchecked Sendable {
  @TaskLocal static var bundle = Bundle.main
  override class var modelBundle: Bundle { bundle }
  override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }
}

@Suite("Persistent containers")
struct ContainerTests {
  @Test("a container finds its model by name in a bundle and keeps its store in the subclass's folder")
  func byName() throws {
    let folder = try TemporaryFolder()
    let bundle = try #require(Bundle(path: modelFolder.path))
    for round in 1...2 {
      let container = JournalContainer.$folder.withValue(folder.url) {
        JournalContainer(name: "SurfJournal", bundle: bundle)
      }
      #expect(container.persistentStoreDescriptions.map(\.url) == [folder.file("SurfJournal.sqlite")])
      try container.loadPersistentStores()
      let entity = try container.managedObjectModel.required("JournalEntry")
      let context = container.newBackgroundContext()
      try context.performAndWait {
        let entry = context.insert(entity)
        entry["location"] = .string("Noosa")
        entry["date"] = .date(Date(timeIntervalSinceReferenceDate: 0))
        try context.save()
        #expect(try context.fetch(FetchSpecification(entity)).count == round)
      }
      #expect(try folder.names().contains("SurfJournal.sqlite"))
    }
  }

  @Test("a subclass's bundle is where its model is looked for first")
  func subclassBundle() throws {
    let folder = try TemporaryFolder()
    let resources = try #require(Bundle(path: folder.url.path))
    try FileManager.default.copyItem(
      at: modelFolder.appending(path: "SurfJournal.xcdatamodeld"), to: folder.file("Diary.xcdatamodeld"))
    let container = BundledContainer.$bundle.withValue(resources) { BundledContainer(name: "Diary") }
    #expect(container.managedObjectModel["JournalEntry"] != nil)
    #expect(throws: ModelError.self) { try BundledContainer(name: "Diary").loadPersistentStores() }
    // Others look beside their own code.
    let own = Bundle(for: JournalContainer.self)
    #expect(JournalContainer.modelBundle == own)
    let other = JournalContainer(name: "Diary")
    #expect(other.managedObjectModel.entities.isEmpty)
    let error = #expect(throws: ModelError.self) { try other.loadPersistentStores() }
    #expect(error?.problems.first?.message.contains(own.bundlePath) == true)
    // Nor does the coordinator open a store for the empty model, which it would be emptied for.
    let url = folder.file("store.sqlite")
    #expect(throws: ModelError.self) {
      try other.persistentStoreCoordinator.addPersistentStore(with: PersistentStoreDescription(url: url))
    }
    #expect(throws: ModelError.self) {
      try other.persistentStoreCoordinator.add(InMemoryStore(model: other.managedObjectModel))
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test("a model that is nowhere is named with the places searched")
  func missingModel() throws {
    let folder = try TemporaryFolder()
    let bundle = try #require(Bundle(path: folder.url.path))
    let error = #expect(throws: ModelError.self) {
      try PersistentContainer(name: "Nowhere", bundle: bundle).loadPersistentStores()
    }
    let message = try #require(error?.problems.first?.message)
    #expect(message.contains("Nowhere") && message.contains(folder.url.lastPathComponent))
  }

  @Test(
    "loading calls back once for each store, with the error of one that cannot be opened", arguments: [false, true])
  func callbacks(asynchronously: Bool) async throws {
    let folder = try TemporaryFolder()
    try Data("no database".utf8).write(to: folder.file("broken.sqlite"))
    let container = try PersistentContainer(name: "Library", managedObjectModel: Library.model())
    container.persistentStoreDescriptions = ["broken.sqlite", "sound.sqlite"].map { name in
      let description = PersistentStoreDescription(type: .sqlite, url: folder.file(name))
      description.shouldAddStoreAsynchronously = asynchronously
      return description
    }
    let (calls, log) = AsyncStream<String>.makeStream()
    container.loadPersistentStores { description, error in
      log.yield("\(description.url?.lastPathComponent ?? "") \(error == nil ? "opened" : "refused")")
    }
    let told = await calls.prefix(2).reduce(into: []) { $0.append($1) }
    #expect(told.sorted() == ["broken.sqlite refused", "sound.sqlite opened"])
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    #expect(try Data(contentsOf: folder.file("broken.sqlite")) == Data("no database".utf8))
  }

  @Test("a container for a model in code describes a store as one for a named model does")
  func modelInCode() throws {
    let folder = try TemporaryFolder()
    let container = try JournalContainer.$folder.withValue(folder.url) {
      try JournalContainer(name: "Library", managedObjectModel: Library.model())
    }
    #expect(container.persistentStoreDescriptions.map(\.url) == [folder.file("Library.sqlite")])
    try container.loadPersistentStores()
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    #expect(try folder.names().contains("Library.sqlite"))
  }

  @Test("loading nothing is an error that says what to do, in both forms")
  func nothingToLoad() throws {
    let container = try PersistentContainer(name: "Library", managedObjectModel: Library.model())
    container.persistentStoreDescriptions = []
    @Sendable func says(_ error: (any Error)?) -> Bool {
      error.map { "\($0)" }?.contains("set persistentStoreDescriptions") == true
    }
    #expect { try container.loadPersistentStores() } throws: { says($0) }
    let log = Log()
    container.loadPersistentStores { _, error in log.note("\(says(error))") }
    #expect(log.all == ["true"])
    // One that was added already is enough.
    try container.persistentStoreCoordinator.add(InMemoryStore(model: container.managedObjectModel))
    try container.loadPersistentStores()
    container.loadPersistentStores { _, _ in log.note("called back") }
    #expect(log.all == ["true"])
  }

  @Test("a fetch without a store says so")
  func noStore() throws {
    let container = try PersistentContainer(name: "Library", managedObjectModel: Library.model())
    let book = try container.managedObjectModel.required("Book")
    let context = container.newBackgroundContext()
    context.performAndWait {
      _ = #expect { try context.fetch(FetchSpecification(book)) } throws: {
        "\($0)".contains("no store") && "\($0)".contains("Book")
      }
    }
  }

  @Test("a store at /dev/null leaves no file")
  func devNull() throws {
    let container = try PersistentContainer(name: "Library", managedObjectModel: Library.model())
    container.persistentStoreDescriptions = [
      PersistentStoreDescription(type: .sqlite, url: URL(filePath: "/dev/null"))
    ]
    try container.loadPersistentStores()
    let book = try container.managedObjectModel.required("Book")
    let context = container.newBackgroundContext()
    try context.performAndWait {
      context.insert(book)["title"] = .string("Dune")
      try context.save()
      #expect(try context.count(FetchSpecification(book)) == 1)
    }
    try PersistentStoreCoordinator.destroyPersistentStore(at: URL(filePath: "/dev/null"), type: .sqlite)
    #expect(FileManager.default.fileExists(atPath: "/dev/null"))
  }

  @Test("a read-only description opens what is there and refuses saves")
  func readOnly() throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    try SQLiteStore.create(path: folder.file("a.sqlite").path, model: model).close()
    let description = PersistentStoreDescription(type: .sqlite, url: folder.file("a.sqlite"))
    description.isReadOnly = true
    let container = PersistentContainer(name: "Library", managedObjectModel: model)
    container.persistentStoreDescriptions = [description]
    try container.loadPersistentStores()
    let book = try model.required("Book")
    let context = container.newBackgroundContext()
    context.performAndWait {
      context.insert(book)
      #expect(throws: (any Error).self) { try context.save() }
    }
    description.url = folder.file("missing.sqlite")
    #expect(throws: StoreError.self) { try container.persistentStoreCoordinator.addPersistentStore(with: description) }
  }
}
