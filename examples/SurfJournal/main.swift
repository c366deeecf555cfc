// A surf journal in under 60 lines: adds entries, fetches them in sections, edits one on a scratch pad, exports a CSV
// file. Its classes, in Generated, were made by `seedbed generate seeds/surf-journal/SurfJournal.xcdatamodeld FOLDER`.
//
//   swift run surf-journal-example seeds/surf-journal/SurfJournal.xcdatamodeld /tmp/journal

import Foundation
import ImportEngine
import Seedbed

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: surf-journal-example MODEL FOLDER\n".utf8))
  exit(64)
}
let folder = URL(filePath: arguments[2], directoryHint: .isDirectory)

// The stack: the app's own model, and one SQLite store in the folder.
let container = try PersistentContainer(
  name: "SurfJournal", modelURL: URL(filePath: arguments[1]), classes: SurfJournalClasses.byEntityName)
container.persistentStoreDescriptions = [.init(type: .sqlite, url: folder.appending(path: "SurfJournal.sqlite"))]
try container.loadPersistentStores()
let model = container.managedObjectModel
let journal = container.newBackgroundContext()
try await journal.perform {
  // Add, and save in one transaction. Every entry is checked against the model's rules.
  for (location, rating, day) in [("Noosa", 5, 1), ("Bells Beach", 3, 2), ("Noosa", 2, 3), ("Winki Pop", 4, 4)] {
    let entry = JournalEntry(context: journal)
    entry.location = location
    entry.rating = Int16(rating)
    entry.date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
  }
  try journal.save()

  // Fetch with sections: one for each place, the newest entry first.
  let request = JournalEntry.fetchRequest()
  request.predicate = try FetchPredicate(#Predicate<JournalEntry> { $0.rating >= 2 })
  request.sortDescriptors = [FetchSortDescriptor(key: "location"), FetchSortDescriptor(key: "date", ascending: false)]
  let results = FetchedResultsController<JournalEntry>(
    fetchRequest: request, managedObjectContext: journal, sectionNameKeyPath: "location")
  try results.performFetch()
  for section in results.sections ?? [] { print("\(section.name): \(section.numberOfObjects)") }

  // Edit on a scratch pad: the journal learns of it when the child saves, the store when the journal does.
  let edited = results.object(at: [1, 0]).objectID
  let scratchPad = ManagedObjectContext(parent: journal, name: "edit")
  try scratchPad.performAndWait {
    (try scratchPad.existingObject(with: edited) as? JournalEntry)?.rating = 1
    try scratchPad.save()
  }
  try journal.save()
  print("worst: \(try journal.count(for: request)) entries are rated 2 or better")
}

let rows = try StoreExport(
  storePath: folder.appending(path: "SurfJournal.sqlite").path, model: model, modelPath: arguments[1],
  entity: "JournalEntry", columns: ["date", "location", "rating"], order: ["date"],
  output: folder.appending(path: "journal.csv").path, format: .csv, safeForSpreadsheets: false
).run()
print("exported \(rows) entries")
