import Foundation
import Seedbed
import TestSupport
import Testing

/// A container as Core Data code makes and changes it.
@Suite("Idioms: stacks")
struct StackIdioms {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Kitchen.sqlite")
  }

  @Test("stacks: a container whose description is changed where it is")
  func changedDescription() throws {
    let container = PersistentContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(),
      persistentStoreDescriptions: [PersistentStoreDescription(url: url)])
    guard let description = container.persistentStoreDescriptions.first else { return #expect(Bool(false)) }
    #expect(description.type == SQLiteStoreType && description.shouldMigrateStoreAutomatically)
    container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
    #expect(description.url?.path == "/dev/null")
    container.loadPersistentStores { description, error in
      #expect(error == nil && description.url?.path == "/dev/null")
    }
    #expect(try folder.names().isEmpty)
  }

  @Test("stacks: options by Core Data's keys")
  func options() throws {
    let description = PersistentStoreDescription()
    description.url = url
    description.setOption(true as NSNumber, forKey: PersistentHistoryTrackingKey)
    description.setOption(true as NSNumber, forKey: PersistentStoreRemoteChangeNotificationPostOptionKey)
    description.setOption(true as NSNumber, forKey: ReadOnlyPersistentStoreOption)
    description.setOption(0.5 as NSNumber, forKey: PersistentStoreTimeoutOption)
    description.setOption(false as NSNumber, forKey: MigratePersistentStoresAutomaticallyOption)
    description.setOption(false as NSNumber, forKey: InferMappingModelAutomaticallyOption)
    description.setOption("semicolon" as NSString, forKey: "separator")
    #expect(description.tracksHistory && description.postsRemoteChanges && description.isReadOnly)
    #expect(description.timeout == 0.5 && description.typeOptions == ["separator": "semicolon"])
    #expect(!description.shouldMigrateStoreAutomatically && !description.shouldInferMappingModelAutomatically)
    #expect((description.options[PersistentHistoryTrackingKey] as? NSNumber)?.boolValue == true)
    #expect(description.options["separator"] == "semicolon" as NSString && description.options.count == 7)
    description.setOption(nil, forKey: ReadOnlyPersistentStoreOption)
    description.setOption(nil, forKey: "separator")
    #expect(!description.isReadOnly && description.typeOptions.isEmpty)
  }

  @Test("stacks: an option of the wrong type stops the program")
  func wrongOption() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      PersistentStoreDescription().setOption("yes" as NSString, forKey: PersistentHistoryTrackingKey)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("NSPersistentHistoryTrackingKey"))
  }

  @Test("stacks: a coordinator by hand, with options in a dictionary")
  func coordinator() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: try Kitchen.model())
    let store = try coordinator.addPersistentStore(
      ofType: SQLiteStoreType, configurationName: nil, at: url,
      options: [
        MigratePersistentStoresAutomaticallyOption: true, InferMappingModelAutomaticallyOption: true,
        PersistentHistoryTrackingKey: true,
      ])
    let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let recipe = EntityDescription.insertNewObject(forEntityName: "Recipe", into: context)
      recipe.setValue("Soup", forKey: "title")
      try context.save()
      #expect(coordinator.persistentStore(for: url) === store && coordinator.url(for: store) == url)
    }
    #expect(coordinator.currentTokenExists)
    let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(
      ofType: SQLiteStoreType, at: url, options: nil)
    #expect(metadata[StoreTypeKey] as? String == "SQLite" && metadata[StoreUUIDKey] as? String == store.identifier)
    #expect(metadata[StoreModelVersionHashesKey] != nil)
    #expect(metadata[StoreModelVersionIdentifiersKey] as? [String] == ["Kitchen 1"])
    try coordinator.remove(store)
    #expect(throws: StoreError.self) {
      try coordinator.destroyPersistentStore(
        at: url, ofType: SQLiteStoreType, options: [ReadOnlyPersistentStoreOption: true])
    }
    let copy = folder.file("Copy.sqlite")
    try coordinator.replacePersistentStore(
      at: copy, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: nil, ofType: SQLiteStoreType)
    try coordinator.destroyPersistentStore(at: url, ofType: SQLiteStoreType, options: nil)
    #expect(try folder.names().contains("Copy.sqlite") && !folder.names().contains("Kitchen.sqlite"))
    let again = try coordinator.addPersistentStore(type: .sqlite, configuration: nil, at: copy, options: nil)
    #expect(again.identifier == store.identifier)
  }

  @Test("stacks: work on a coordinator's queue")
  func coordinatorQueue() async throws {
    let url = url
    let coordinator = PersistentStoreCoordinator(managedObjectModel: try Kitchen.model())
    let identifier = try coordinator.performAndWait {
      try coordinator.addPersistentStore(type: .sqlite, configuration: nil, at: url, options: nil).identifier
    }
    let order = Collected<Int>()
    coordinator.performAndWait {
      coordinator.perform { order.append(2) }
      coordinator.performAndWait { order.append(1) }
    }
    let count = await coordinator.perform { coordinator.persistentStores.count }
    #expect(order.removeAll() == [1, 2] && count == 1)
    #expect(throws: StoreError.self) {
      try coordinator.performAndWait { try coordinator.destroyPersistentStore(at: url, type: .sqlite, options: nil) }
    }
    await #expect(throws: StoreError.self) {
      try await coordinator.perform { try coordinator.destroyPersistentStore(at: url, type: .sqlite, options: nil) }
    }
    #expect(coordinator.persistentStores.map(\.identifier) == [identifier])
  }

  @Test("stacks: a coordinator that calls back")
  func callback() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: try Kitchen.model())
    let description = PersistentStoreDescription()
    description.type = InMemoryStoreType
    let errors = Collected<String>()
    coordinator.addPersistentStore(with: description) { _, error in errors.append("\(error as Any)") }
    let broken = PersistentStoreDescription(url: folder.url)
    coordinator.addPersistentStore(with: broken) { description, error in
      errors.append(error == nil ? "none" : "refused \(description.url?.lastPathComponent ?? "")")
    }
    #expect(errors.removeAll() == ["nil", "refused \(folder.url.lastPathComponent)"])
    #expect(description.type == InMemoryStoreType && description.type != SQLiteStoreType)
    #expect(BinaryStoreType.name == "Binary" && XMLStoreType.name == "XML")
  }

  @Test("stacks: the entity of a class, and a request executed inside perform")
  func classEntity() throws {
    let context = try Kitchen.container().newBackgroundContext()
    try context.performAndWait {
      try Kitchen.stock(context)
      #expect(Recipe.entity().name == "Recipe")
      let request = Recipe.fetchRequest()
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
      #expect(try request.execute().map(\.title) == ["Bread", "Cake", "Soup"])
      let inner = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      inner.parent = context
      let count = try inner.performAndWait {
        Recipe(context: inner).title = "Stew"
        return try Recipe.fetchRequest().execute().count
      }
      #expect(count == 4)
      #expect(try Recipe.fetchRequest().execute().count == 3)
    }
  }

  @Test("stacks: models by their files, and as one")
  func models() throws {
    let model = try Kitchen.model()
    let bundle = try #require(Bundle(path: folder.url.path))
    #expect(ManagedObjectModel.mergedModel(from: [bundle]) == nil)
    try ModelWriter.write(model, path: folder.file("Kitchen.xcdatamodeld").path)
    let read = try #require(ManagedObjectModel(contentsOf: folder.file("Kitchen.xcdatamodeld")))
    #expect(read.entities.map(\.versionHash) == model.entities.map(\.versionHash))
    #expect(ManagedObjectModel(contentsOf: folder.file("Nowhere.momd")) == nil)
    var note = EntityDefinition("Note")
    note.attributes = [AttributeDefinition("text", .string)]
    let merged = try #require(ManagedObjectModel(byMerging: [model, read, ManagedObjectModel(entities: [note])]))
    #expect(merged.entities.map(\.name) == ["Note", "Person", "Recipe", "Step", "Tag"])
    #expect(ManagedObjectModel(byMerging: []) == nil)
    #expect(ManagedObjectModel.mergedModel(from: [bundle])?.entities.count == 4)
  }
}

extension PersistentStoreCoordinator {
  fileprivate var currentTokenExists: Bool { currentPersistentHistoryToken(fromStores: nil) != nil }
}
