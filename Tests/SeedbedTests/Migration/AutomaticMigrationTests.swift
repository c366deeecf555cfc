import Foundation
import SQLite
import Seedbed
import TestSupport
import Testing

@Suite("Stores that follow their model by themselves")
struct AutomaticMigrationTests {
  private static let shelf = ["Dune → Emma", "Emma → -"]

  private func hashes(_ model: ManagedObjectModel) -> [String: Data] { model.entityVersionHashesByName }

  // MARK: - Types of stores

  private func follows(_ type: some PersistentStoreType, _ name: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file(name)
    try Shelf.fill(type, url)
    let models = try Shelf.models()
    let before = try PersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)
    #expect(before[StoreMetadataKey.modelVersionHashes] as? [String: Data] == hashes(models[0]))
    #expect(before[StoreMetadataKey.storeType] as? String == type.name)
    #expect(UUID(uuidString: before[StoreMetadataKey.storeUUID] as? String ?? "") != nil)
    for (index, model) in models.enumerated() {
      #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: before) == (index == 0))
    }
    let names = try folder.names()
    let migrator = ProgressiveMigration(library: try Shelf.library())
    let books = try Shelf.open(type, url, models[2], migrator: migrator) { try $0.headings() }
    #expect(books == Self.shelf)
    let after = try PersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)
    #expect(models[2].isConfiguration(withName: nil, compatibleWithStoreMetadata: after))
    #expect(try folder.names() == names)
    // What it is now it stays.
    #expect(try Shelf.open(type, url, models[2], migrator: nil) { try $0.headings() } == Self.shelf)
  }

  @Test("stores of SQLite, XML and binary files tell their version and are brought to the newest")
  func types() throws {
    try follows(.sqlite, "shelf.sqlite")
    try follows(.xml, "shelf.xml")
    try follows(.binary, "shelf.binary")
  }

  private func keepsMetadata(_ type: some PersistentStoreType) throws {
    // The mapping model of the way that is inferred is carried out over contexts.
    let models = try Shelf.models()
    let mapping = ModelLibrary.Mapping(name: "shelf", mappingModel: try models[0].inferredMappingModel(to: models[1]))
    for mappings in [[], [mapping]] {
      let folder = try TemporaryFolder()
      let url = folder.file("shelf")
      try Shelf.fill(type, url)
      try Shelf.open(type, url, models[0], migrator: nil) { context in
        let coordinator = try #require(context.persistentStoreCoordinator)
        coordinator.setMetadata(["AppKey": "kept"], for: coordinator.persistentStores[0])
      }
      let migrator = ProgressiveMigration(library: try Shelf.library(mappings))
      #expect(try Shelf.open(type, url, models[1], migrator: migrator) { try $0.headings() } == Self.shelf)
      let metadata = try type.metadata(at: url)
      #expect(metadata["AppKey"] as? String == "kept", "\(mappings.count) mapping models")
      #expect(metadata[StoreMetadataKey.modelVersionHashes] as? [String: Data] == hashes(models[1]))
    }
  }

  @Test("what a program puts into the metadata of a store comes along, whatever brings it to the new version")
  func metadata() throws {
    try keepsMetadata(.sqlite)
    try keepsMetadata(.xml)
    try keepsMetadata(.binary)
  }

  private func isLeftAlone(_ type: some PersistentStoreType, _ name: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file(name)
    #expect { try type.metadata(at: url) } throws: { if case StoreError.missing = $0 { true } else { false } }
    let text = Data("no store at all".utf8)
    try text.write(to: url)
    #expect { try type.metadata(at: url) } throws: { if case StoreError.notAStore = $0 { true } else { false } }
    #expect(throws: StoreError.self) {
      try Shelf.open(type, url, try Shelf.models()[1], migrator: AutomaticMigration(modelURL: nil)) { _ in }
    }
    #expect(try Data(contentsOf: url) == text)
  }

  @Test("what is no store has no metadata, and is not migrated")
  func damaged() throws {
    try isLeftAlone(.sqlite, "shelf.sqlite")
    try isLeftAlone(.xml, "shelf.xml")
    try isLeftAlone(.binary, "shelf.binary")
  }

  // MARK: - Containers

  private func container(
    _ url: URL, _ make: () throws -> PersistentContainer,
    _ change: (PersistentStoreDescription) -> Void = { _ in }
  ) throws -> PersistentContainer {
    let container = try make()
    let description = PersistentStoreDescription(type: .sqlite, url: url)
    change(description)
    container.persistentStoreDescriptions = [description]
    return container
  }

  /// Loads the container's store, reads the books, and closes it.
  private func headings(_ container: PersistentContainer) throws -> [String] {
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    defer {
      for store in container.persistentStoreCoordinator.persistentStores {
        try? container.persistentStoreCoordinator.remove(store)
      }
    }
    return try context.performAndWait { try context.headings() }
  }

  /// Makes a store of the first version that does not carry its model.
  private static func fillWithoutModel(_ url: URL) throws {
    try Shelf.fill(.sqlite, url)
    let connection = try Connection(path: url.path)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    try connection.close()
  }

  @Test("a container of a model's URL knows the versions beside it", arguments: [false, true])
  func modelURL(isVersion: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("shelf.sqlite")
    // Its own model would do too.
    try Self.fillWithoutModel(url)
    var model = try Shelf.write(to: folder)
    if isVersion { model.appendPathComponent("Shelf 3.xcdatamodel") }
    let books = try headings(container(url) { try PersistentContainer(name: "Shelf", modelURL: model) })
    #expect(books == Self.shelf)
  }

  @Test("a chain begins with the store's own model where the versions lack it")
  func ownModel() throws {
    let folder = try TemporaryFolder()
    let model = try Shelf.write(to: folder, withoutFirst: true)
    let makers: [() throws -> PersistentContainer] = [
      { try PersistentContainer(name: "Shelf", modelURL: model) },
      { PersistentContainer(name: "Shelf", managedObjectModel: try Shelf.models()[2]) },
    ]
    for (index, make) in makers.enumerated() {
      let url = folder.file("shelf\(index).sqlite")
      try Shelf.fill(.sqlite, url)
      #expect(try headings(container(url, make)) == Self.shelf)
    }
    let url = folder.file("steps.sqlite")
    try Shelf.fill(.sqlite, url)
    let library = try ModelLibrary(modelURL: model)
    let chain = try ProgressiveMigration(library: library).chain(
      forStoreAt: url, type: .sqlite, to: try Shelf.models()[2])
    #expect(chain.description == "the store's own model → Shelf 3: inferred")
  }

  /// The error with which a container refuses a store, which stays as it is.
  private func refusal(_ url: URL, _ container: PersistentContainer) throws -> any Error {
    let before = try Data(contentsOf: url)
    let error = #expect(throws: (any Error).self) { try container.loadPersistentStores() }
    #expect(try Data(contentsOf: url) == before)
    return try #require(error)
  }

  @Test("a store that is newer than every known version is refused with what it would lose")
  func newer() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("shelf.sqlite")
    let models = try Shelf.models()
    try Shelf.open(.sqlite, url, models[2], migrator: nil) { context in
      context.insert(try context.book)["author"] = .string("Herbert")
      try context.save()
    }
    let unknown = try #require(
      try refusal(url, container(url) { PersistentContainer(name: "Shelf", managedObjectModel: models[1]) })
        as? MigrationError)
    #expect(unknown.code == .missingMappingModel)
    #expect(unknown.message.contains("none of the known versions"), "\(unknown)")
    #expect(unknown.message.contains("Book.author") && unknown.hint?.contains("newer") == true, "\(unknown)")
    // The same where the newer version is known, and an older one is wanted.
    let coordinator = try container(url) { PersistentContainer(name: "Shelf", managedObjectModel: models[1]) }
    coordinator.persistentStoreCoordinator.storeMigrator = ProgressiveMigration(library: try Shelf.library())
    let known = try #require(try refusal(url, coordinator) as? MigrationError)
    #expect(known.message.contains("newer than that") && known.message.contains("Book.author"), "\(known)")
  }

  @Test("a store of an unknown version that carries no model is refused with the known ones")
  func unknown() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("shelf.sqlite")
    try Self.fillWithoutModel(url)
    let model = try Shelf.write(to: folder, withoutFirst: true)
    let error = try #require(
      try refusal(url, container(url) { try PersistentContainer(name: "Shelf", modelURL: model) }) as? MigrationError)
    #expect(error.code == .missingSourceModel)
    #expect(error.message.contains("(Shelf 2, Shelf 3)"), "\(error)")
  }

  @Test("with migration off, or read-only, a store of another version is refused as incompatible")
  func off() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("shelf.sqlite")
    try Shelf.fill(.sqlite, url)
    let model = try Shelf.write(to: folder)
    let changes: [(PersistentStoreDescription) -> Void] = [
      { $0.shouldMigrateStoreAutomatically = false }, { $0.isReadOnly = true },
    ]
    for change in changes {
      let error = try refusal(
        url, container(url, { try PersistentContainer(name: "Shelf", modelURL: model) }, change))
      guard case StoreError.incompatibleModel = error else {
        Issue.record("\(error)")
        continue
      }
    }
    let inferring = try refusal(
      url,
      container(url, { try PersistentContainer(name: "Shelf", modelURL: model) }) {
        $0.shouldInferMappingModelAutomatically = false
      })
    #expect((inferring as? MigrationError)?.code == .missingMappingModel, "\(inferring)")
  }

  @Test("metadata fit the configurations whose entities the store has, and no other")
  func configurations() throws {
    let folder = try TemporaryFolder()
    let entities = ["Book", "Note"].map { name in
      var entity = EntityDefinition(name)
      entity.attributes = [AttributeDefinition("text", .string)]
      return entity
    }
    let model = try ManagedObjectModel(
      entities: entities, configurations: ["Books": ["Book"], "All": ["Book", "Note"]])
    let books = try ManagedObjectModel(entities: [entities[0]])
    let url = folder.file("books.sqlite")
    try Shelf.open(.sqlite, url, books, migrator: nil) { _ in }
    let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    for (name, fits) in [("Books", true), ("All", false), ("None", false)] {
      #expect(model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata) == fits, "\(name)")
    }
    #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(books.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(!books.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
  }
}
