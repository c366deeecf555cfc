import Foundation
import Seedbed
import TestSupport
import Testing

@Suite("Idioms: stores")
struct StoreIdioms {
  @Test("stores: what one says of its model before it is opened")
  func metadata() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Kitchen.sqlite")
    let container = PersistentContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(),
      persistentStoreDescriptions: [PersistentStoreDescription(type: .sqlite, url: url)])
    try container.loadPersistentStores()
    let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    #expect(metadata[StoreMetadataKey.modelVersionIdentifiers] as? [String] == ["Kitchen 1"])
  }

  @Test("stores: those that load asynchronously call back in their order, behind the others")
  func asynchronous() async throws {
    let descriptions = ["a", "b", "c", "d"].map { name in
      let description = PersistentStoreDescription(type: .inMemory)
      description.configuration = name
      description.shouldAddStoreAsynchronously = name != "c"
      return description
    }
    let model = try ManagedObjectModel(
      entities: ["a", "b", "c", "d"].map { EntityDefinition($0.uppercased()) },
      configurations: Dictionary(uniqueKeysWithValues: ["a", "b", "c", "d"].map { ($0, [$0.uppercased()]) }))
    let container = PersistentContainer(
      name: "Several", managedObjectModel: model, persistentStoreDescriptions: descriptions)
    let (calls, continuation) = AsyncStream.makeStream(of: String.self)
    container.loadPersistentStores { description, error in
      continuation.yield(error.map { "\($0)" } ?? description.configuration ?? "")
    }
    var names: [String] = []
    for await name in calls {
      names.append(name)
      if names.count == 4 { break }
    }
    #expect(names == ["c", "a", "b", "d"])
  }

  @Test("stores: one tells the options that it was added with")
  func options() throws {
    let folder = try TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(managedObjectModel: try Kitchen.model())
    let store = try coordinator.addPersistentStore(
      ofType: SQLiteStoreType, configurationName: nil, at: folder.file("Kitchen.sqlite"),
      options: [
        MigratePersistentStoresAutomaticallyOption: true, InferMappingModelAutomaticallyOption: false,
        PersistentHistoryTrackingKey: true, SQLitePragmasOption: ["journal_mode": "DELETE"],
      ])
    #expect(store.options?[MigratePersistentStoresAutomaticallyOption] as? Bool == true)
    #expect(store.options?[InferMappingModelAutomaticallyOption] as? Bool == false)
    #expect(store.options?[PersistentHistoryTrackingKey] as? NSNumber == true)
    #expect(store.options?[ReadOnlyPersistentStoreOption] == nil)
    #expect((store.options?[SQLitePragmasOption] as? [String: Any])?["journal_mode"] as? String == "DELETE")
    let description = PersistentStoreDescription(type: .inMemory)
    description.setOption("value" as NSString, forKey: "key")
    let other = try coordinator.addPersistentStore(with: description)
    #expect(other.options?["key"] as? String == "value")
    try coordinator.remove(store)
    #expect(store.options == nil)
  }

  @Test("stores: a coordinator has a name, and takes requests for a context")
  func coordinator() throws {
    let container = try Kitchen.container()
    let coordinator = container.persistentStoreCoordinator
    #expect(coordinator.name == nil)
    coordinator.name = "kitchen"
    #expect(coordinator.name == "kitchen")
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let count = try Kitchen.stock(context).count
      #expect(try coordinator.execute(Recipe.fetchRequest(), with: context).count == count)
      let update = BatchUpdateRequest(entityName: "Recipe")
      update.propertiesToUpdate = ["title": "Stew"]
      update.resultType = .updatedObjectsCountResultType
      let updated = try coordinator.execute(update, with: context) as? BatchUpdateResult
      #expect(updated?.result as? Int == count)
      let insertion = BatchInsertRequest(entityName: "Recipe", objects: [["title": "Toast"]])
      try coordinator.execute(insertion, with: context)
      #expect(try context.count(for: Recipe.fetchRequest()) == count + 1)
      let all = FetchRequest<any FetchRequestResult>(entityName: "Recipe")
      try coordinator.execute(BatchDeleteRequest(fetchRequest: all), with: context)
      #expect(try context.count(for: Recipe.fetchRequest()) == 0)
    }
  }
}
