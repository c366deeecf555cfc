import Foundation
import Seedbed
import SeedbedTesting
import TestSupport
import Testing

@Suite("Stacks in memory")
struct StackTests {
  @Test("one line makes a stack that is loaded and empty, and each has a store of its own")
  func apart() throws {
    let first = try PersistentContainer.inMemory(Journal.model())
    let second = try PersistentContainer.inMemory(Journal.model())
    try Journal.fill(first)
    for (container, count) in [(first, 3), (second, 0)] {
      let context = container.newBackgroundContext()
      let found = try context.performAndWait {
        try context.count(for: FetchRequest<ManagedObject>(entityName: "Author"))
      }
      #expect(found == count)
    }
  }

  @Test("objects have the classes that are given")
  func classes() throws {
    let container = try PersistentContainer.inMemory(Journal.model(), classes: ["Author": AuthorObject.self])
    let context = container.newBackgroundContext()
    context.performAndWait {
      #expect(EntityDescription.insertNewObject(forEntityName: "Author", into: context) is AuthorObject)
    }
  }

  @Test("a model is read from its URL, and one that is missing is an error")
  func modelURL() throws {
    let root = FixtureFolder.packageRoot
    let url = root.appending(path: "seeds/surf-journal/SurfJournal.xcdatamodeld")
    let container = try PersistentContainer.inMemory(modelURL: url)
    #expect(container.name == "SurfJournal")
    #expect(container.managedObjectModel.entities.contains { $0.name == "JournalEntry" })
    #expect(throws: ModelError.self) {
      try PersistentContainer.inMemory(modelURL: root.appending(path: "Nowhere.xcdatamodeld"))
    }
  }
}

final class AuthorObject: ManagedObject {}
