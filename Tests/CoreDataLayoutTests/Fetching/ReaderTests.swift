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

/// A place where so many threads must be at once before any goes on.
private final class Rendezvous: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int

  init(_ count: Int) { missing = count }

  /// - Returns: false when the others do not come.
  func arrive() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    missing -= 1
    condition.broadcast()
    let end = Date(timeIntervalSinceNow: 60)
    while missing > 0 { if !condition.wait(until: end) { return false } }
    return true
  }
}

@Suite("Readers beside a store")
struct ReaderTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let item: Entity
  private let group: Entity
  private let itemsRelationship: Relationship

  init() throws {
    folder = try TemporaryFolder()
    var item = EntityDefinition("Item")
    item.attributes = [.init("number", .integer64), .init("text", .string)]
    item.relationships = [.init("group", toOne: "Group", inverse: "items")]
    var group = EntityDefinition("Group")
    group.attributes = [.init("name", .string)]
    group.relationships = [.init("items", toMany: "Item", inverse: "group")]
    model = try ManagedObjectModel(entities: [item, group])
    self.item = try model.required("Item")
    self.group = try model.required("Group")
    itemsRelationship = try #require(self.group.relationship("items"))
  }

  private func id(_ entity: Entity, _ key: Int64, _ store: SQLiteStore) -> ObjectID {
    store.id(of: entity, key)
  }

  private func snapshot(_ store: SQLiteStore, _ key: Int64, number: Int64, group: Int64? = nil, version: Int64 = 1)
    -> Snapshot
  {
    Snapshot(
      objectID: id(item, key, store), version: version, attributes: [.integer(number), .string("item \(number)")],
      toOne: [group.map { id(self.group, $0, store) }])
  }

  /// A store with two groups and so many items, in the first.
  private func makeStore(
    _ name: String = "items", items: Int = 200, _ change: (inout SQLiteStore.Options) -> Void = { _ in }
  ) throws -> SQLiteStore {
    var options = SQLiteStore.Options()
    change(&options)
    let store = try SQLiteStore.create(path: folder.path("\(name).sqlite"), model: model, options: options)
    var request = SaveRequest()
    for key in Int64(1)...2 {
      request.inserted.append(
        Snapshot(objectID: id(group, key, store), version: 1, attributes: [.string("group \(key)")], toOne: [nil]))
    }
    _ = try store.reservePrimaryKeys(2, for: group)
    if items > 0 {
      let first = try store.reservePrimaryKeys(items, for: item)
      for key in first..<first + Int64(items) { request.inserted.append(snapshot(store, key, number: key, group: 1)) }
    }
    try store.save(request)
    return store
  }

  /// Everything that can be asked of a reader, in words.
  private func answers(_ reader: StoreReader, _ store: SQLiteStore, longList: Bool = false) throws -> [String] {
    let all = FetchSpecification(item)
    var some = FetchSpecification(item)
    some.predicate = try FetchPredicate(parsing: "number >= 0 AND group.name BEGINSWITH 'group'")
    some.sortDescriptors = [.init(["number"], ascending: false)]
    some.fetchLimit = 50
    // A list of this length goes through a temporary table.
    var listed = FetchSpecification(item)
    listed.predicate = .isIn(["number"], (Int64(0)...15_000).filter { $0 % 3 == 0 }.map { .integer($0) })
    if longList {
      #expect(
        try reader.count(listed)
          == reader.snapshots(all).count { row in
            if case .integer(let number) = row.attributes[0] { number % 3 == 0 } else { false }
          })
    }
    let snapshots = try reader.snapshots(all)
    let blocks = try reader.snapshotBlocks(all).flatMap(\.snapshots)
    #expect(blocks.map(\.objectID) == snapshots.map(\.objectID))
    #expect(blocks.map(\.attributes) == snapshots.map(\.attributes))
    #expect(try reader.objectIDs(all) == snapshots.map(\.objectID))
    #expect(try reader.count(all) == snapshots.count)
    let members = try reader.members(of: id(group, 1, store), relationship: itemsRelationship)
    let lists = try reader.members(of: [1, 2].map { id(group, $0, store) }, relationship: itemsRelationship)
    #expect(lists.first == members)
    var scanned: [String] = []
    try reader.scan(all, keyPaths: [["number"], ["group", "name"]]) { batch in
      for row in 0..<batch.count { scanned.append("\(unsafe batch.integers(0)[row]) \(unsafe batch.states[1][row])") }
      return batch
    }
    var dictionaries = FetchSpecification(item)
    dictionaries.propertiesToFetch = [FetchedExpression(keyPath: ["number"])]
    let rows = try reader.rows(dictionaries).dictionaries
    #expect(scanned.count == snapshots.count && rows.count == snapshots.count)
    return snapshots.map { "\($0.objectID.primaryKey ?? 0) v\($0.version) \($0.attributes) \($0.toOne)" }
      + (try reader.snapshots(some)).map { "some \($0.attributes)" } + lists.map { "members \($0.count)" } + scanned
      + rows.map { "\($0)" }
  }

  @Test("two readers see the store as it was when each was opened, and both fetch while the store saves")
  func snapshots() throws {
    let store = try makeStore()
    let early = try store.openReader()
    let before = try answers(early, store, longList: true)
    var change = SaveRequest()
    change.updated = [snapshot(store, 7, number: 700, group: 2)]
    change.deleted = [(id(item, 8, store), 1)]
    change.inserted = [snapshot(store, try store.reservePrimaryKeys(1, for: item), number: 1_000)]
    try store.save(change)
    let late = try store.openReader()
    let after = try answers(late, store, longList: true)
    #expect(before != after)

    // All three are in the middle of their work at once: nothing of it waits for the other.
    let meeting = Rendezvous(3)
    let met = Mutex<[String: Bool]>([:])
    let found = Mutex<[String: Int]>([:])
    let failures = Mutex<[String]>([])
    let done = DispatchGroup()
    for (name, reader) in [("early", early), ("late", late)] {
      let request = FetchSpecification(item)
      DispatchQueue(label: name).async(group: done) {
        do {
          let monitor = FetchMonitor { count in
            if count == FetchMonitor.interval {
              let isMet = meeting.arrive()
              met.withLock { $0[name] = isMet }
            }
          }
          let numbers = try reader.snapshots(request, monitor: monitor).map { $0.attributes[0] }
          found.withLock { $0[name] = Set(numbers).count + (numbers.contains(.integer(700)) ? 1_000 : 0) }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    var next = SaveRequest()
    next.deleted = [(id(item, 9, store), 1), (id(item, 10, store), 1)]
    try store.save(next) {
      let isMet = meeting.arrive()
      met.withLock { $0["writer"] = isMet }
    }
    done.wait()
    #expect(failures.withLock { $0 } == [])
    #expect(met.withLock { $0 } == ["early": true, "late": true, "writer": true])
    #expect(found.withLock { $0 } == ["early": 200, "late": 1_200])
    #expect(try answers(early, store) == before)
    #expect(try answers(late, store) == after)
    #expect(try store.count(FetchSpecification(item)) == 198)
    try early.close()
    try early.close()
    #expect(throws: (any Error).self) { try early.count(FetchSpecification(item)) }
    #expect(try answers(late, store) == after)
    try late.close()
    try store.close()
    #expect(try folder.names() == ["items.sqlite"])
  }

  @Test("whatever is saved, every reader keeps its own snapshot", arguments: 1...6)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try makeStore(items: 20)
    var versions: [Int64: Int64] = Dictionary(uniqueKeysWithValues: (Int64(1)...20).map { ($0, 1) })
    var readers: [(reader: StoreReader, answers: [String])] = []
    for _ in 0..<30 {
      if Int.random(in: 0..<3, using: &random) == 0 {
        let reader = try store.openReader()
        readers.append((reader, try answers(reader, store)))
      }
      if readers.count > 4 { try readers.remove(at: Int.random(in: 0..<readers.count, using: &random)).reader.close() }
      var request = SaveRequest()
      for key in versions.keys.sorted() where Int.random(in: 0..<8, using: &random) == 0 {
        let version = versions[key] ?? 1
        if Bool.random(using: &random) {
          request.deleted.append((id(item, key, store), version))
          versions[key] = nil
        } else {
          let number = Int64.random(in: -5...5, using: &random)
          let changed = snapshot(
            store, key, number: number, group: [nil, 1, 2].randomElement(using: &random) ?? nil, version: version)
          request.updated.append(changed)
          versions[key] = version + 1
        }
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let key = try store.reservePrimaryKeys(1, for: item)
        request.inserted.append(snapshot(store, key, number: key, group: 2))
        versions[key] = 1
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        // What is undone was never there for any reader.
        try store.begin()
        try store.save(request)
        try store.rollback()
        versions = Dictionary(
          uniqueKeysWithValues: try store.snapshots(FetchSpecification(item)).map {
            ($0.objectID.primaryKey ?? 0, $0.version)
          })
      } else {
        try store.save(request)
      }
      for (reader, before) in readers { #expect(try answers(reader, store) == before) }
    }
    for (reader, _) in readers { try reader.close() }
    try store.close()
  }

  @Test("a sealed store is exported by several readers at once, each all of it")
  func parallelExports() throws {
    let made = try makeStore("sealed", items: 3_000) { $0.isUnderConstruction = true }
    try made.seal()
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    let store = try SQLiteStore.open(path: folder.path("sealed.sqlite"), model: model, options: options)
    let readers = try (0..<4).map { _ in try store.openReader() }
    let meeting = Rendezvous(readers.count)
    let isWhole = Mutex<[Bool]>([])
    let done = DispatchGroup()
    for (index, reader) in readers.enumerated() {
      let request = FetchSpecification(item)
      DispatchQueue(label: "export \(index)").async(group: done) {
        var numbers: [Int64] = []
        try? reader.scan(request, keyPaths: [["number"]], rowsPerBatch: 100) { batch in
          if numbers.isEmpty, !meeting.arrive() { throw CancellationError() }
          for row in 0..<batch.count { numbers.append(unsafe batch.integers(0)[row]) }
          return batch
        }
        let isRight = numbers == Array(1...3_000)
        isWhole.withLock { $0.append(isRight) }
      }
    }
    done.wait()
    #expect(isWhole.withLock { $0 } == [true, true, true, true])
    for reader in readers { try reader.close() }
    try store.close()
  }

  @Test("a store that a reader would hold up gives none")
  func refused() throws {
    let built = try makeStore("built") { $0.isUnderConstruction = true }
    #expect(throws: StoreError.self) { try built.openReader() }
    try built.seal()
    let rollback = try SQLiteStore.open(path: folder.path("built.sqlite"), model: model)
    #expect(throws: StoreError.self) { try rollback.openReader() }
    try rollback.close()
    let store = try makeStore()
    try store.begin()
    let error = #expect(throws: StoreError.self) { try store.openReader() }
    #expect(error.map { "\($0)".contains("write-ahead log and no open transaction") } == true)
    try store.rollback()
    try store.openReader().close()
    let patient = try makeStore("patient") { $0.busyTimeoutMilliseconds = 20 }
    let reader = try patient.openReader()
    #expect { try patient.seal() } throws: { if case StoreError.busy = $0 { true } else { false } }
    #expect(try reader.count(FetchSpecification(item)) == 200)
    try reader.close()
    try patient.seal()
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.moveItem(atPath: store.path + suffix, toPath: folder.path("old" + suffix))
    }
    #expect(throws: StoreError.self) { try store.openReader() }
    try SQLiteStore.create(path: store.path, model: model).close()
    let replaced = #expect(throws: StoreError.self) { try store.openReader() }
    #expect(replaced.map { "\($0)".contains("another store has taken its place") } == true)
    try store.close()
  }

  @Test("readers of a store that must not be touched share one copy of it, which goes with the last")
  func sharedCopy() throws {
    let store = try makeStore()
    try store.close(keepsLog: true)
    let before = try folder.names()
    #expect(before.contains("items.sqlite-wal"))
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    options.leavesSidecarsAlone = true
    let untouched = try SQLiteStore.open(path: store.path, model: model, options: options)
    let reader = try untouched.openReader()
    #expect(try answers(reader, untouched).count > 200)
    try untouched.close()
    #expect(try reader.count(FetchSpecification(item)) == 200)
    try reader.close()
    #expect(try folder.names() == before)
  }
}
