import Foundation
import Seedbed
import SeedbedTesting
import TestSupport
import Testing

@Suite("A store that fails on demand")
struct FailingStoreTests {
  /// Where the objects are.
  enum Kind: CaseIterable {
    case memory, sqlite
  }

  private struct Stack {
    let folder: TemporaryFolder
    let failures = StoreFailures()
    let container: PersistentContainer

    init(_ kind: Kind) throws {
      folder = try TemporaryFolder()
      switch kind {
      case .memory: container = try PersistentContainer.inMemory(Journal.model(), failures: failures)
      case .sqlite: container = try Journal.container(at: folder.file("Journal.sqlite"), failures: failures)
      }
      try Journal.fill(container)
    }

    /// Every file of the store, by name.
    func files() throws -> [String: Data] {
      var files: [String: Data] = [:]
      // The log's index is memory that connections share.
      for name in try folder.names() where !name.hasSuffix("-shm") {
        files[name] = try Data(contentsOf: folder.file(name))
      }
      return files
    }
  }

  private static func authors(_ context: ManagedObjectContext) throws -> [String] {
    let request = FetchRequest<ManagedObject>(entityName: "Author")
    request.sortDescriptors = [FetchSortDescriptor(key: "name")]
    return try context.fetch(request).compactMap { $0["name"] }
  }

  @Test(
    "a save that fails leaves the store as it is, before it begins byte for byte, and its changes pending; later it succeeds",
    arguments: Kind.allCases, [StoreFailures.Request.save, .commit])
  func save(kind: Kind, request: StoreFailures.Request) throws {
    let stack = try Stack(kind)
    let context = stack.container.newBackgroundContext()
    let other = stack.container.newBackgroundContext()
    try context.performAndWait {
      try Journal.fixtures(["Dora"], stack.container.managedObjectModel).insert(into: context)
      // The tag is there already: another name.
      for tag in context.insertedObjects where tag.entity.name == "Tag" { tag["name"] = "beach" }
      for entry in context.insertedObjects where entry.entity.name == "Entry" {
        entry["serial"] = 7
        entry["code"] = UUID()
      }
      let before = try stack.files()
      stack.failures.fail(request)
      let inserted = context.insertedObjects.count
      for _ in 0..<2 { #expect(throws: StoreError.self) { try context.save() } }
      #expect(context.insertedObjects.count == inserted && inserted == 4)
      // At the end of a save its keys have been given out.
      if request == .save { #expect(try stack.files() == before) }
      #expect(try other.performAndWait { try Self.authors(other) } == ["Ann", "Bob", "Cleo"])
      stack.failures.stop()
      try context.save()
      #expect(!context.hasChanges)
    }
    #expect(try other.performAndWait { try Self.authors(other) } == ["Ann", "Bob", "Cleo", "Dora"])
  }

  @Test("the fetch of a number fails, alone or with all that follow", arguments: Kind.allCases)
  func fetch(kind: Kind) throws {
    let stack = try Stack(kind)
    let context = stack.container.newBackgroundContext()
    func outcomes(_ count: Int) -> [Bool] {
      (0..<count).map { _ in context.performAndWait { (try? Self.authors(context)) != nil } }
    }
    let before = stack.failures.count(of: .fetch)
    stack.failures.fail(.fetch, .number(3))
    #expect(outcomes(5) == [true, true, false, true, true])
    stack.failures.fail(.fetch, .next)
    #expect(outcomes(2) == [false, true])
    stack.failures.fail(.fetch, .from(2))
    #expect(outcomes(4) == [true, false, false, false])
    #expect(stack.failures.count(of: .fetch) - before == 11)
  }

  @Test("faults and members are requests too, and an error of the test's own comes through", arguments: Kind.allCases)
  func faults(kind: Kind) throws {
    struct Broken: Error {}
    let stack = try Stack(kind)
    let context = stack.container.newBackgroundContext()
    try context.performAndWait {
      context.stalenessInterval = 0
      let request = FetchRequest<ManagedObject>(entityName: "Author")
      request.includesPropertyValues = false
      let ann = try #require(try context.fetch(request).first)
      stack.failures.fail(.fetch, with: Broken())
      #expect(throws: Broken.self) { try ann.objects(for: "entries") }
      #expect(throws: Broken.self) { try context.count(for: request) }
      #expect(throws: Broken.self) { try context.existingObject(with: ann.objectID) }
      stack.failures.stop()
      #expect(try ann.objects(for: "entries").count == 1)
    }
  }

  @Test("a batch request that fails at its end has changed nothing", arguments: Kind.allCases)
  func batch(kind: Kind) throws {
    let stack = try Stack(kind)
    let context = stack.container.newBackgroundContext()
    try context.performAndWait {
      let request = BatchUpdateRequest(entityName: "Entry")
      request.propertiesToUpdate = ["rating": 5]
      let rated = FetchRequest<ManagedObject>(entityName: "Entry")
      rated.predicate = FetchPredicate(format: "rating == 5")
      stack.failures.fail(.commit, .next)
      #expect(throws: StoreError.self) { try context.execute(request) }
      #expect(try context.count(for: rated) == 0)
      try context.execute(request)
      #expect(try context.count(for: rated) == 3)
    }
  }

  @Test("a pinned context's reads fail as well", arguments: Kind.allCases)
  func generations(kind: Kind) throws {
    let stack = try Stack(kind)
    let context = stack.container.newBackgroundContext()
    try context.performAndWait {
      try context.setQueryGenerationFrom(.current)
      #expect(try Self.authors(context).count == 3)
      stack.failures.fail(.fetch)
      #expect(throws: StoreError.self) { try Self.authors(context) }
    }
  }

  @Test("history is kept, and remote changes are told, as without failures")
  func capabilities() async throws {
    let failures = StoreFailures()
    let container = try PersistentContainer.inMemory(Journal.model(), tracksHistory: true, failures: failures)
    let change = try await container.persistentStoreCoordinator.expectRemoteChange { try Journal.fill(container) }
    #expect(change.historyToken != nil)
    let context = container.newBackgroundContext()
    let count = try await context.perform {
      let request = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
      return try context.execute(request).transactions.count
    }
    #expect(count == 1)
    #expect(failures.count(of: .save) == 1)
  }

  @Test("the standard error has Core Data's code")
  func code() {
    let error = StoreFailures.standardError as NSError
    #expect(error.domain == NSCocoaErrorDomain && error.code == CoreDataErrorCode.persistentStoreOperation)
  }
}
