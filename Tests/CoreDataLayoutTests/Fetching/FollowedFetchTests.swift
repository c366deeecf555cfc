import CoreDataLayout
import Dispatch
import Foundation
import ObjectModel
import Predicates
import StoreInterface
import Synchronization
import TestStores
import TestSupport
import Testing

/// What a fetch on another thread ended with.
private final class Outcome: Sendable {
  private let result = Mutex<Result<Int, any Error>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  init(_ work: @escaping @Sendable () throws -> Int) {
    Thread.detachNewThread {
      let outcome = Result { try work() }
      self.result.withLock { $0 = outcome }
      self.semaphore.signal()
    }
  }

  func wait() throws -> Int {
    semaphore.wait()
    semaphore.signal()
    return try result.withLock { try $0?.get() } ?? -1
  }
}

@Suite("Fetches that are followed")
struct FollowedFetchTests {
  private func makeStore(_ folder: TemporaryFolder, isApart: Bool) throws -> SQLiteStore {
    var item = EntityDefinition("Item")
    item.attributes = [AttributeDefinition("number", .integer64)]
    item.relationships = [RelationshipDefinition("group", toOne: "Item", inverse: "items")]
    item.relationships.append(RelationshipDefinition("items", toMany: "Item", inverse: "group"))
    var options = SQLiteStore.Options()
    // Without a write-ahead log readers would keep writers out, so that the store's own connection is used.
    options.isUnderConstruction = !isApart
    let model = try ManagedObjectModel(entities: [item])
    let store = try SQLiteStore.create(path: folder.path("items.sqlite"), model: model, options: options)
    let entity = try model.required("Item")
    _ = try store.reservePrimaryKeys(1_000, for: entity)
    func id(_ key: Int64) -> ObjectID {
      store.id(of: entity, key)
    }
    var request = SaveRequest()
    request.inserted = (Int64(1)...1_000).map { key in
      Snapshot(
        objectID: id(key), version: 1, attributes: [.integer(key)],
        toOne: entity.relationships.map { $0.isToMany ? nil : id(1) })
    }
    try store.save(request)
    return store
  }

  private func endless(_ entity: Entity) throws -> FetchSpecification {
    var request = FetchSpecification(entity)
    request.predicate = try FetchPredicate(
      parsing: """
        number <= 64 OR SUBQUERY(group.items, $a, SUBQUERY(group.items, $b, $b.number + $a.number < 0).@count > 0).@count > 0
        """)
    return request
  }

  @Test(
    "cancelling ends the fetch and no other, on the store's connection or one of its own", arguments: [true, false])
  func cancellation(isApart: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try makeStore(folder, isApart: isApart)
    let entity = try store.model.required("Item")
    let hasBegun = DispatchSemaphore(value: 0)
    let monitor = FetchMonitor { _ in hasBegun.signal() }
    let request = try endless(entity)
    let long = Outcome { try store.snapshots(request, monitor: monitor).count }
    hasBegun.wait()
    // Where the connection is the same, this one has to wait, and then runs undisturbed.
    let other = Outcome { try store.count(FetchSpecification(entity)) }
    if isApart { #expect(try other.wait() == 1_000) }
    monitor.cancel()
    #expect(throws: CancellationError.self) { try long.wait() }
    #expect(try other.wait() == 1_000)
    #expect(try store.snapshots(FetchSpecification(entity), monitor: FetchMonitor()).count == 1_000)
    #expect(throws: CancellationError.self) { try store.snapshots(request, monitor: monitor) }
    try store.close()
    if isApart { #expect(!FileManager.default.fileExists(atPath: folder.path("items.sqlite-wal"))) }
  }

  @Test("what is being written counts in a transaction that is open, and rows in memory are asked one by one")
  func transaction() throws {
    let folder = try TemporaryFolder()
    let store = try makeStore(folder, isApart: true)
    let entity = try store.model.required("Item")
    try store.begin()
    try store.delete(entity: entity, primaryKeys: [1_000])
    #expect(try store.snapshots(FetchSpecification(entity), monitor: FetchMonitor()).count == 999)
    try store.rollback()
    #expect(try store.snapshots(FetchSpecification(entity), monitor: FetchMonitor()).count == 1_000)
  }

  @Test("a store whose file was replaced is still read from its own connection")
  func replaced() throws {
    let folder = try TemporaryFolder()
    let store = try makeStore(folder, isApart: true)
    let entity = try store.model.required("Item")
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.moveItem(
        atPath: folder.path("items.sqlite\(suffix)"), toPath: folder.path("old\(suffix)"))
    }
    #expect(try store.snapshots(FetchSpecification(entity), monitor: FetchMonitor()).count == 1_000)
    try SQLiteStore.create(path: folder.path("items.sqlite"), model: store.model).close()
    #expect(try store.snapshots(FetchSpecification(entity), monitor: FetchMonitor()).count == 1_000)
  }
}
