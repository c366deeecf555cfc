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
