import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import SQLite
import Seedbed
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Opening stores")
struct StoreOpeningTests {
  private static let modelURL = FixtureFolder.packageRoot.appending(path: "seeds/surf-journal/SurfJournal.xcdatamodeld")

  @Test("a container is made of the model at a URL, and says when there is none")
  func modelURL() throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(name: "Journal", modelURL: Self.modelURL)
    #expect(container.persistentStoreDescriptions.map { $0.url?.lastPathComponent } == ["Journal.sqlite"])
    container.persistentStoreDescriptions = [
      PersistentStoreDescription(type: .sqlite, url: folder.file("Journal.sqlite"))
    ]
    try container.loadPersistentStores()
    let entity = try container.managedObjectModel.required("JournalEntry")
    let context = container.newBackgroundContext()
    let count = try context.performAndWait {
      let entry = context.insert(entity)
      entry["location"] = .string("Noosa")
      entry["date"] = .date(Date(timeIntervalSinceReferenceDate: 0))
      try context.save()
      return try context.count(FetchSpecification(entity))
    }
    #expect(count == 1)
    #expect { try PersistentContainer(name: "Journal", modelURL: folder.file("Nowhere.momd")) } throws: {
      "\($0)".contains("Nowhere.momd")
    }
  }

  @Test("a description says how long a lock of others is waited for")
  func timeout() throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let book = try model.required("Book")
    let description = PersistentStoreDescription(type: .sqlite, url: folder.file("a.sqlite"))
    description.timeout = 0.3
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(with: description)
    let other = try Connection(path: folder.file("a.sqlite").path)
    try other.execute("BEGIN IMMEDIATE")
    let context = ManagedObjectContext(coordinator: coordinator, name: "test")
    try context.performAndWait {
      context.insert(book)
      let waited = ContinuousClock().measure {
        _ = #expect { try context.save() } throws: { error in
          if case StoreError.busy = error { true } else { false }
        }
      }
      // No upper bound of the time would hold: a busy machine wakes what waits as late as it likes.
      #expect(waited >= .seconds(0.25))
      #expect((coordinator.persistentStores[0] as? SQLiteStore)?.options.busyTimeoutMilliseconds == 300)
      try other.execute("COMMIT")
      try context.save()
    }
  }

  @Test("two coordinators over one file merge what the other saved", arguments: [false, true])
  func twoCoordinators(hasOwnModel: Bool) throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let description = PersistentStoreDescription(type: .sqlite, url: folder.file("a.sqlite"))
    let contexts = try [model, hasOwnModel ? try Library.model() : model].map { model in
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(with: description)
      return ManagedObjectContext(coordinator: coordinator, name: "test")
    }
    let (writer, reader) = (contexts[0], contexts[1])
    let book = try reader.coordinator.model.required("Book")
    let (uris, dune) = try writer.performAndWait {
      let objects = try ["Dune", "Emma"].map { title in
        let object = writer.insert(try writer.coordinator.model.required("Book"))
        object["title"] = .string(title)
        return object
      }
      try writer.save()
      return (objects.map { $0.objectID.uriRepresentation() }, objects[0].objectID)
    }
    let read = try reader.performAndWait {
      let objects = try reader.fetch(FetchSpecification(book))
      #expect(objects.map { $0.objectID.uriRepresentation() } == uris)
      objects[0]["year"] = .integer(1965)
      return objects.map(\.objectID)
    }
    try writer.performAndWait {
      let objects = try writer.fetch(FetchSpecification(dune.entity))
      objects[0]["title"] = .string("Dune Messiah")
      writer.delete(objects[1])
      try writer.save()
    }
    ManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [], updated: [uris[0]], deleted: [uris[1]], into: [reader])
    try reader.performAndWait {
      let object = try reader.existingObject(with: read[0])
      #expect(object["title"] == .string("Dune Messiah") && object["year"] == .integer(1965))
      #expect(throws: ContextError.self) { try reader.existingObject(with: read[1]) }
      // It is at the version of the other's save now, so there is no conflict.
      try reader.save()
    }
    ManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [], updated: [uris[0]], deleted: [], into: [writer])
    let year = try writer.performAndWait { try writer.existingObject(with: dune)["year"] }
    #expect(year == .integer(1965))
  }
}
