import Foundation
import Seedbed
import SeedbedTesting
import TestSupport
import Testing

@Suite("Expectations")
struct ExpectationTests {
  private static func addTag(_ name: String, to context: ManagedObjectContext) async throws {
    try await context.perform {
      EntityDescription.insertNewObject(forEntityName: "Tag", into: context)["name"] = name
      try context.save()
    }
  }

  @Test("a save is told with what it wrote, also one that comes after the work is done")
  func save() async throws {
    let context = try PersistentContainer.inMemory(Journal.model()).newBackgroundContext(name: "tags")
    let saved = try await context.expectSave(of: "Tag") { try await Self.addTag("surf", to: context) }
    #expect(saved.insertedObjectIDs.map(\.entity.name) == ["Tag"])
    let later = try await context.expectSave {
      // It is saved some time from now.
      context.perform {
        EntityDescription.insertNewObject(forEntityName: "Tag", into: context)["name"] = "wet"
        try? context.save()
      }
    }
    #expect(later.insertedObjectIDs.count == 1)
  }

  @Test("a save of other objects is not the one that is expected, and is told of when time is up")
  func otherSave() async throws {
    let container = try PersistentContainer.inMemory(Journal.model())
    let context = container.newBackgroundContext(name: "tags")
    let other = container.newBackgroundContext(name: "other")
    let stranger = try PersistentContainer.inMemory(Journal.model()).newBackgroundContext(name: "stranger")
    let error = await #expect(throws: ExpectationTimeout.self) {
      try await context.expectSave(of: "Author", within: .milliseconds(1)) {
        try await Self.addTag("surf", to: context)
        try await Self.addTag("wet", to: other)
        try await Self.addTag("far", to: stranger)
      }
    }
    #expect(
      error?.seen == [
        "a save in the context \"tags\" of 1 Tag inserted", "a save in the context \"other\" of 1 Tag inserted",
      ])
    #expect(error?.description.hasPrefix("a save of Author in the context \"tags\" did not come within") == true)
    let nothing = await #expect(throws: ExpectationTimeout.self) {
      try await context.expectMerge(within: .milliseconds(1)) {}
    }
    #expect(nothing?.seen == [] && nothing?.description.hasSuffix("nothing came") == true)
  }

  @Test("saves during work are all there, and none is none")
  func saves() throws {
    let context = try PersistentContainer.inMemory(Journal.model()).newBackgroundContext()
    let saves = try context.saves {
      try context.performAndWait {
        for name in ["a", "b"] {
          EntityDescription.insertNewObject(forEntityName: "Tag", into: context)["name"] = name
          try context.save()
        }
        try context.save()
      }
    }
    #expect(saves.map(\.insertedObjectIDs.count) == [1, 1])
    #expect(context.saves { context.performAndWait { _ = context.hasChanges } }.isEmpty)
  }

  @Test("an error of the work comes through, and nothing is waited for")
  func failure() async throws {
    struct Broken: Error {}
    let container = try PersistentContainer.inMemory(Journal.model())
    await #expect(throws: Broken.self) { try await container.viewContext.expectSave { throw Broken() } }
  }

  @Test("a merge is told to the context that merges")
  func merge() async throws {
    let container = try PersistentContainer.inMemory(Journal.model())
    let reader = container.newBackgroundContext(name: "reader")
    let writer = container.newBackgroundContext(name: "writer")
    reader.performAndWait { reader.automaticallyMergesChangesFromParent = true }
    let merged = try await reader.expectMerge(of: "Tag") { try await Self.addTag("surf", to: writer) }
    #expect(merged.insertedObjectIDs.count == 1)
  }

  @Test("a remote change of another coordinator's is told, with the token behind it")
  func remote() async throws {
    let folder = try TemporaryFolder()
    func container() throws -> PersistentContainer {
      let description = PersistentStoreDescription(type: .sqlite, url: folder.file("Journal.sqlite"))
      description.tracksHistory = true
      description.postsRemoteChanges = true
      let container = try PersistentContainer(
        name: "Journal", managedObjectModel: Journal.model(), persistentStoreDescriptions: [description])
      try container.loadPersistentStores()
      return container
    }
    let (reader, writer) = (try container(), try container())
    let change = try await reader.persistentStoreCoordinator.expectRemoteChange { try Journal.fill(writer) }
    #expect(change.storeURL?.lastPathComponent == "Journal.sqlite" && change.historyToken != nil)
    let error = await #expect(throws: ExpectationTimeout.self) {
      try await PersistentContainer.inMemory(Journal.model()).persistentStoreCoordinator
        .expectRemoteChange(within: .milliseconds(1)) {}
    }
    #expect(error?.expected == "a remote change")
  }

  @Test("a cancelled task does not wait on")
  func cancelled() async throws {
    let context = try PersistentContainer.inMemory(Journal.model()).newBackgroundContext()
    let task = Task { try await context.expectSave(within: .seconds(3_600)) {} }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
