import Foundation
import Seedbed

// The lines from here on stand in the article ForCoreDataUsers.md too; a test compares them.

/// Adds an entry to a surf journal, and gives the places where the waves were good.
func goodPlaces(journal store: URL, model: URL) async throws -> [String] {
  let container = try PersistentContainer(name: "SurfJournal", modelURL: model)
  container.persistentStoreDescriptions = [.init(type: .sqlite, url: store)]
  try container.loadPersistentStores()
  let context = container.newBackgroundContext()
  return try await context.perform {
    let entry = EntityDescription.insertNewObject(forEntityName: "JournalEntry", into: context)
    entry["location"] = "Noosa"
    entry["rating"] = 4
    entry["date"] = Date.now
    try context.save()

    let request = FetchRequest<ManagedObject>(entityName: "JournalEntry")
    request.predicate = FetchPredicate(format: "rating >= %@ AND wind == nil", 4)
    request.sortDescriptors = [FetchSortDescriptor(key: "rating", ascending: false), FetchSortDescriptor(key: "date")]
    return try context.fetch(request).compactMap { $0["location"] }
  }
}
