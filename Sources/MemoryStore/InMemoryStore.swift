public import Foundation
public import ObjectModel
import Predicates
import PropertyLists
public import StoreInterface
import Synchronization

/// A store that keeps everything in memory: for tests, for contexts that need no file, and as the oracle that the
/// SQLite store is compared with.
///
/// It keeps values as they are given, but for derived attributes, which it computes with every save. It may be called
/// from any thread; calls are serialised by a lock. Saves hold a second one, and a batch holds it while it reads, too.
public final class InMemoryStore: MonitoredFetching, BatchWriting, InMemoryFetching, QueryGenerations,
  MetadataKeeping
{
  /// The store's UUID, upper case.
  public let identifier: String
  /// The model of every object in the store.
  public let model: ManagedObjectModel
  /// The type that opens stores in memory.
  public var type: any PersistentStoreType { InMemoryPersistentStoreType() }
  let layout: ModelLayout
  let contents: Mutex<InMemoryContents>
  let observers = InMemoryObservers()
  private let saving = NSRecursiveLock()
  private let programMetadata = Mutex<[String: PropertyListValue]>([:])

  /// An empty store. Its identifier is a fresh UUID unless one is given.
  /// - Parameter tracksHistory: whether it keeps persistent history.
  public init(model: ManagedObjectModel, identifier: UUID = UUID(), tracksHistory: Bool = false) {
    self.identifier = identifier.uuidString
    self.model = model
    layout = ModelLayout(model)
    var contents = InMemoryContents(storeIdentifier: identifier.uuidString, layout: layout)
    if tracksHistory { contents.history = InMemoryHistory() }
    self.contents = Mutex(contents)
  }

  /// Derived attributes that are not computed and stay without a value, each with the reason, in plain sentences.
  public var notes: [String] { contents.withLock { $0.derivations.compactMap(\.note) } }

  // MARK: - Metadata

  /// The entries that a store in a file has, and those that were set here.
  public var metadataValues: [String: any Sendable] {
    let own: [String: any Sendable] = [
      StoreMetadataKey.storeType: type.name, StoreMetadataKey.storeUUID: identifier,
      StoreMetadataKey.modelVersionHashes: model.entityVersionHashesByName,
      StoreMetadataKey.modelVersionIdentifiers: [model.versionIdentifier],
    ]
    return programMetadata.withLock { $0.mapValues(\.plainValue).merging(own) { $1 } }
  }

  /// Replaces the entries of programs, which live as long as the store; see `MetadataKeeping`.
  public func replaceMetadata(with values: [String: Any]) throws {
    let entries = try StoreContents.programMetadata(values)
    programMetadata.withLock { $0 = entries }
  }

  // MARK: - Reading

  /// The present contents. The next save copies the parts that it changes.
  public func openGeneration() throws -> any StoreGeneration { InMemoryGeneration(current) }

  private var current: InMemoryReader {
    InMemoryReader(model: model, contents: contents.withLock { $0 })
  }

  /// Reads inside the lock, so that a save need not copy contents that are being read.
  private func reading<Result: Sendable>(_ body: (InMemoryReader) throws -> Result) throws -> Result {
    try contents.withLock { try body(InMemoryReader(model: model, contents: $0)) }
  }

  /// - Throws: `StoreError.failure` for a key path that does not exist.
  /// - Complexity: linear in the number of rows of the entity's hierarchy, or in the number of ids when the predicate
  ///   is `selfIsIn`.
  public func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
    try reading { try $0.snapshots(request) }
  }

  /// As `snapshots(_:)`, over the present rows; other calls may fetch and save meanwhile.
  public func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try current.snapshots(request, monitor: monitor)
  }

  /// The number of snapshots that the request selects.
  public func count(_ request: FetchSpecification) throws -> Int { try reading { try $0.count(request) } }

  /// - Throws: `StoreError.failure` for a request that `FetchSpecification.checkRows()` refuses.
  public func rows(_ request: FetchSpecification) throws -> FetchedRows { try reading { try $0.rows(request) } }

  /// - Throws: `StoreError.failure` when the relationship is not a to-many relationship of the owner's entity.
  public func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try reading { try $0.members(of: owner, relationship: relationship) }
  }

  // MARK: - Writing

  /// Reserves consecutive primary keys of the entity's hierarchy.
  /// - Throws: `StoreError.failure` for a negative count.
  public func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64 {
    try requireOwn(entity)
    guard count >= 0 else { throw StoreError.failure("\(count) primary keys cannot be reserved") }
    return contents.withLock { $0.reservePrimaryKeys(count, root: entity.root.index) }
  }

  /// Writes everything or nothing.
  /// - Throws: see `PersistentStore.save`.
  public func save(_ request: SaveRequest) throws {
    for snapshot in request.inserted + request.updated { try requireOwn(snapshot.objectID.entity) }
    for deletion in request.deleted { try requireOwn(deletion.objectID.entity) }
    try saving.withLock { try contents.withLock { try $0.saveRecording(request) } }
    tellObservers()
  }

  /// Writes everything, runs the body, and undoes the writes when it throws.
  /// - Throws: see `PersistentStore.save`, and what the body throws, which must not use this store.
  public func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    for snapshot in request.inserted + request.updated { try requireOwn(snapshot.objectID.entity) }
    for deletion in request.deleted { try requireOwn(deletion.objectID.entity) }
    try saving.withLock {
      try contents.withLock { contents in
        let before = contents
        try contents.saveRecording(request)
        do {
          try body()
        } catch {
          contents = before
          throw error
        }
      }
    }
    tellObservers()
  }

  /// Carries the batch out on objects, while nothing else is saved.
  @discardableResult
  public func perform(_ batch: StoreBatch, beforeCommit body: (BatchOutcome) throws -> Void) throws -> BatchOutcome {
    try performThroughObjects(batch, holding: saving, beforeCommit: body)
  }
}
