// A note-taking app whose model has come to its fourth version: opens a store of any of them, which is migrated, and
// shows the notes.
//
//   swift run NotesMigrationExample examples/NotesMigration/Stores/Notes1.sqlite
//
// The store is changed, so take a copy. `NotesMigrationExample make VERSION STORE` makes a store of a version.

import Foundation
import Seedbed

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 3, arguments[0] == "make", let version = Int(arguments[1]), (1...4).contains(version) {
  try SampleStore.make(version: version, at: URL(filePath: arguments[2]))
  exit(0)
}
guard arguments.count == 1 else {
  FileHandle.standardError.write(Data("usage: NotesMigrationExample STORE | make VERSION STORE\n".utf8))
  exit(64)
}

// The stack of the newest version. What brings older stores to it knows all versions, the mapping models and their
// policy.
var migration = ProgressiveMigration(
  library: try NotesModel.library(), policies: MigrationPolicies([ImageAttachmentPolicy.self]))
migration.willBeginStep = { print("migrating \($0.source.name) → \($0.destination.name)") }
let container = try PersistentContainer(name: "Notes", managedObjectModel: NotesModel.fourth())
container.persistentStoreCoordinator.storeMigrator = migration
container.persistentStoreDescriptions = [.init(type: .sqlite, url: URL(filePath: arguments[0]))]
try container.loadPersistentStores()

let context = container.newBackgroundContext()
try await context.perform {
  for note in try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")) {
    print((note["title"] as String?) ?? "")
    for image in try note.objects(for: "attachments") {
      let size = [image["width"], image["height"]].map { ($0 as Int?).map { String($0) } ?? "?" }
      print("  image \(size.joined(separator: " × ")), \((image["caption"] as String?) ?? "")")
    }
  }
}
