import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Platform
import SQLite
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Remote changes")
struct RemoteChangeTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    var note = EntityDefinition("Note")
    note.attributes = [AttributeDefinition("text", .string)]
    model = try ManagedObjectModel(entities: [note])
  }

  private func description(_ name: String = "notes", tracksHistory: Bool = true) -> PersistentStoreDescription {
    let description = PersistentStoreDescription(type: .sqlite, url: folder.file("\(name).sqlite"))
    description.tracksHistory = tracksHistory
    description.postsRemoteChanges = true
    return description
  }

  private func coordinator(_ description: PersistentStoreDescription) throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(with: description)
    return coordinator
  }

  private func save(_ text: String, _ coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(coordinator: coordinator, name: "writer")
    try context.performAndWait {
      context.insert(try model.required("Note"))["text"] = .string(text)
      try context.save()
    }
  }

  @Test("every coordinator over a file is told of a save, the one that saved included, with a token behind it")
  func coordinators() async throws {
    let (one, other) = (try coordinator(description()), try coordinator(description()))
    let logs = [RemoteChangeLog(one), RemoteChangeLog(other)]
    for (number, saver) in [(Int64(1), one), (2, other), (3, other)] {
      try save("\(number)", saver)
      for log in logs {
        let change = try #require(await log.next())
        #expect(change.storeURL == folder.file("notes.sqlite"))
        #expect(change.storeUUID == one.persistentStores[0].identifier)
        #expect(change.historyToken == PersistentHistoryToken(store: change.storeUUID, transactionNumber: number))
      }
    }
  }

  @Test("many writers leave a last notification behind their last transaction")
  func burst() async throws {
    let coordinators = try (0..<4).map { _ in try coordinator(description()) }
    let logs = coordinators.map { RemoteChangeLog($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for coordinator in coordinators {
        group.addTask { for number in 0..<25 { try save("\(number)", coordinator) } }
      }
      try await group.waitForAll()
    }
    for log in logs {
      let numbers = await log.numbers(to: 100)
      #expect(numbers.last == 100)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
    }
  }

  @Test("coordinators that share a store in memory are told of each other's saves")
  func memory() async throws {
    let store = InMemoryStore(model: model, tracksHistory: true)
    let coordinators = (0..<2).map { _ in PersistentStoreCoordinator(managedObjectModel: model) }
    for coordinator in coordinators { try coordinator.add(store, postsRemoteChanges: true) }
    let logs = coordinators.map { RemoteChangeLog($0) }
    try save("a", coordinators[0])
    for log in logs {
      let change = await log.next()
      #expect(change?.historyToken?[store: store.identifier] == 1)
      #expect(change?.storeURL == nil)
    }
  }

  @Test("what another connection commits is told, and what it rolls back is not", arguments: ["WAL", "DELETE"])
  func connections(journal: String) async throws {
    let path = folder.path("notes.sqlite")
    try SQLiteStore.create(path: path, model: model).close()
    let connection = try Connection(path: path)
    #expect(try connection.string("PRAGMA journal_mode = \(journal)") == journal.lowercased())
    let coordinator = try coordinator(description(tracksHistory: false))
    let log = RemoteChangeLog(coordinator)
    // The log is written to long before the end.
    try connection.execute("PRAGMA cache_size = 1; CREATE TABLE scratch (a)")
    let first = try #require(await log.next())
    #expect(first.historyToken == nil)
    try connection.execute("BEGIN; INSERT INTO scratch VALUES (zeroblob(1000000)); ROLLBACK")
    try connection.execute("BEGIN; INSERT INTO scratch VALUES (zeroblob(1000000)); COMMIT")
    #expect(await log.next() != nil)
    try connection.close()
    try coordinator.remove(coordinator.persistentStores[0])
  }

  @Test("in a store with history, only transactions count")
  func unrecorded() async throws {
    let coordinator = try coordinator(description())
    let log = RemoteChangeLog(coordinator)
    _ = try coordinator.persistentStores[0].reservePrimaryKeys(1, for: model.required("Note"))
    try save("a", coordinator)
    #expect(await log.numbers(to: 1) == [1])
  }

  @Test("another store in the place of the file is told with its own identifier")
  func replaced() async throws {
    let coordinator = try coordinator(description())
    let log = RemoteChangeLog(coordinator)
    let other = try self.coordinator(description("other"))
    try save("b", other)
    let store = try #require(other.persistentStores.first)
    let identifier = store.identifier
    try other.remove(store)
    try FileSystem.rename(folder.path("other.sqlite"), to: folder.path("notes.sqlite"))
    let change = try #require(await log.next())
    #expect(change.storeUUID == identifier)
    #expect(change.historyToken?[store: identifier] == 1)
  }

  @Test("without the option nothing is posted, and after a store was taken away neither")
  func silence() async throws {
    let quiet = description()
    quiet.postsRemoteChanges = false
    let (one, other) = (try coordinator(quiet), try coordinator(description()))
    let silent = Counter(one)
    let log = RemoteChangeLog(other)
    try save("a", one)
    #expect(await log.next() != nil)
    let removed = try coordinator(description())
    let counter = Counter(removed)
    try removed.remove(removed.persistentStores[0])
    try save("b", one)
    #expect(await log.next() != nil)
    #expect(silent.count == 0)
    #expect(counter.count == 0)
    // No watch keeps the file.
    for coordinator in [one, other] { try coordinator.remove(coordinator.persistentStores[0]) }
    try PersistentStoreCoordinator.destroyPersistentStore(at: folder.file("notes.sqlite"), type: .sqlite)
  }

  @Test("a store of a type that tells of no changes is refused")
  func unsupported() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let store = MuteStore(InMemoryStore(model: model))
    let error = #expect(throws: StoreError.self) { try coordinator.add(store, postsRemoteChanges: true) }
    #expect(error?.description.contains("cannot be watched for changes") == true)
    #expect(coordinator.persistentStores.isEmpty)
    try coordinator.add(store)
  }

  /// Counts what a coordinator posts.
  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var posted = 0
    private var token: (any NSObjectProtocol)?

    init(_ coordinator: PersistentStoreCoordinator) {
      token = NotificationCenter.default.addObserver(
        forName: PersistentStoreCoordinator.remoteChangeNotification, object: coordinator, queue: nil
      ) { [weak self] _ in
        self?.lock.withLock { self?.posted += 1 }
      }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    var count: Int { lock.withLock { posted } }
  }

  /// A store that can do no more than every store can.
  private final class MuteStore: ForwardingStore {
    let base: any PersistentStore
    init(_ base: any PersistentStore) { self.base = base }
  }
}
