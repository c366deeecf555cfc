import Foundation
import Seedbed

// The lines from here on stand in the article ForCoreDataUsers.md too; a test compares them.

/// Adds an entry to a surf journal, and gives the places where the waves were good.
func goodPlaces(journal store: URL, model: URL) async throws -> [String] {
  let container = try PersistentContainer(name: "SurfJournal", modelURL: model)
  container.persistentStoreDescriptions = [.init(type: .sqlite, url: store)]
  try container.loadPersistentStores()
  guard let entry = container.managedObjectModel["JournalEntry"] else { return [] }
  let context = container.newBackgroundContext()
  return try await context.perform {
    let new = context.insert(entry)
    new["location"] = .string("Noosa")
    new["rating"] = .integer(4)
    new["date"] = .date(.now)
    try context.save()

    var request = FetchRequest(entry)
    request.predicate = try .init(format: "rating >= %@ AND wind == nil", 4)
    request.sortDescriptors = [.init(["rating"], ascending: false), .init(["date"])]
    return try context.fetch(request).compactMap { object in
      if case .string(let place) = object["location"] { place } else { nil }
    }
  }
}
