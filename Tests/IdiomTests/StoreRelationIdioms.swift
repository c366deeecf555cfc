import Foundation
import Seedbed
import TestSupport
import Testing

/// What stores say of themselves and of where they belong.
@Suite("Idioms: stores of objects")
struct StoreRelationIdioms {
  @Test("stores: an object's store, its coordinator, metadata, configuration and URL")
  func stores() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Kitchen.sqlite")
    let container = PersistentContainer(name: "Kitchen", managedObjectModel: try Kitchen.model())
    container.persistentStoreDescriptions = [PersistentStoreDescription(url: url)]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let tag = EntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      #expect(tag.objectID.persistentStore == nil)
      try context.save()
      let store = try #require(tag.objectID.persistentStore)
      #expect(store === container.persistentStoreCoordinator.persistentStores.first)
      #expect(store.persistentStoreCoordinator === container.persistentStoreCoordinator)
      #expect(store.configurationName == "PF_DEFAULT_CONFIGURATION_NAME")
      #expect(store.metadata[StoreUUIDKey] as? String == store.identifier)
      store.metadata["season"] = "winter"
      #expect(container.persistentStoreCoordinator.metadata(for: store)["season"] as? String == "winter")
      let place: URL = container.persistentStoreCoordinator.url(for: store)
      #expect(place.standardizedFileURL == url.standardizedFileURL)
      try container.persistentStoreCoordinator.remove(store)
      #expect(store.persistentStoreCoordinator == nil && tag.objectID.persistentStore == nil)
    }
    context.name = nil
    #expect("\(context)" == "<ManagedObjectContext: without a name>")
    context.name = "Importer"
    #expect("\(context)" == "<ManagedObjectContext: \"Importer\">")
  }

  @Test("stores: one without a file has a URL, too, and the name of its configuration")
  func memory() throws {
    let model = try ManagedObjectModel(
      entities: ["Note", "Tag"].map { EntityDefinition($0) }, configurations: ["Notes": ["Note"]])
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let description = PersistentStoreDescription(type: .inMemory)
    description.configuration = "Notes"
    let store = try coordinator.addPersistentStore(with: description)
    let place: URL = coordinator.url(for: store)
    #expect(place.scheme == "memory" && !place.isFileURL)
    #expect(store.url == nil && store.configurationName == "Notes")
  }
}
