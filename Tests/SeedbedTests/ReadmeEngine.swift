import Seedbed

func stopNames(of station: String, in storeURL: URL, modelURL: URL) throws -> [String] {
  let container = try PersistentContainer(name: "Transit", modelURL: modelURL)
  container.persistentStoreDescriptions = [.init(type: .sqlite, url: storeURL)]
  try container.loadPersistentStores()
  let context = container.newBackgroundContext()
  return try context.performAndWait {
    let request = FetchRequest<ManagedObject>(entityName: "Stop")
    request.predicate = FetchPredicate(format: "parent.identifier == %@", station)
    request.sortDescriptors = [FetchSortDescriptor(key: "name")]
    return try context.fetch(request).compactMap { $0["name"] }
  }
}
