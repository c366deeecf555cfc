import Seedbed

func stopNames(of station: String, in storeURL: URL, modelURL: URL) throws -> [String] {
  let container = try PersistentContainer(name: "Transit", modelURL: modelURL)
  container.persistentStoreDescriptions = [.init(type: .sqlite, url: storeURL)]
  try container.loadPersistentStores()
  guard let stop = container.managedObjectModel["Stop"] else { return [] }
  let context = container.newBackgroundContext()
  return try context.performAndWait {
    var request = FetchRequest(stop)
    request.predicate = try FetchPredicate(format: "parent.identifier == %@", station)
    request.sortDescriptors = [.init(["name"])]
    return try context.fetch(request).compactMap { if case .string(let name) = $0["name"] { name } else { nil } }
  }
}
