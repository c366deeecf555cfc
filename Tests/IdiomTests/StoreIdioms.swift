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
}
