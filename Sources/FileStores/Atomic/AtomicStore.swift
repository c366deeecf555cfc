public import Foundation
import MemoryStore
public import ObjectModel
public import PropertyLists
public import StoreInterface
import Synchronization

/// A store whose file is read wholly when it is opened and written wholly with every save.
///
/// Between saves everything is in memory, with the in-memory store's answers. A save that fails leaves the file as it
/// was, byte for byte, and the store too. A file that another process has changed since it was read is never
/// overwritten. It may be called from any thread; calls are serialised. Derived attributes are computed when the file
/// is read and with every save; of them, only those of `now()` are written.
///
/// Memory and the time of a save are linear in the store, so it is for thousands of objects; use SQLite for more.
public final class AtomicStore<Format: AtomicStoreFormat>: MonitoredFetching, BatchWriting, InMemoryFetching,
  MetadataInheriting, MetadataKeeping, QueryGenerations
{
  /// The store's UUID, upper case.
  public let identifier: String
  /// The model of every object in the store.
  public let model: ManagedObjectModel
  /// The store's file.
  public let url: URL
  /// How the file is written.
  public let format: Format
  /// The type of stores of this format.
  public var type: any PersistentStoreType { AtomicStoreType(format) }
  /// Whether every save is refused.
  public let isReadOnly: Bool

  private struct State {
    /// The file, with the digest of what was read or written last.
    var file: AtomicFile
    var metadata: [String: PropertyListValue]
  }
  private let state: Mutex<State>
  private let objects: InMemoryStore
  /// Held by every save, and by a batch from its reading to its writing.
  private let saving = NSRecursiveLock()

  /// Opens a store, or makes an empty one when there is no file.
  /// - Throws: `StoreError.missing` when there is no file and the store is read-only, `.notAStore` when the file is no
  ///   whole store of this format, `.incompatibleModel` when it was written for another model, `.cannotCreate`,
  ///   `.inputOutput`.
  public init(url: URL, model: ManagedObjectModel, format: Format, isReadOnly: Bool = false) throws {
    self.url = url
    self.model = model
    self.format = format
    self.isReadOnly = isReadOnly
    var file = AtomicFile(path: url.path)
    if let data = try file.read() {
      let (contents, store) = try StoreError.naming(url.path) {
        let contents = try format.read(data, model: model)
        try StoreContents.check(contents.metadata, against: model)
        return (contents, try InMemoryStore(model: model, contents: contents))
      }
      objects = store
      identifier = contents.identifier.uuidString
      state = Mutex(State(file: file, metadata: contents.metadata))
      return
    }
    if isReadOnly { throw StoreError.missing(path: url.path) }
    var contents = StoreContents(identifier: UUID())
    contents.setVersion(of: model, storeType: format.storeType)
    for entity in model.entities where entity.superentity == nil { contents.nextPrimaryKeys[entity.name] = 1 }
    objects = try InMemoryStore(model: model, contents: contents)
    identifier = contents.identifier.uuidString
    try file.write(try format.write(contents, model: model))
    state = Mutex(State(file: file, metadata: contents.metadata))
  }

  /// What the file says about the store. Entries that are set here are written with the next save; those under which
  /// the model's version is kept are the store's own.
  public var metadata: [String: PropertyListValue] {
    get { state.withLock { $0.metadata } }
    set { state.withLock { $0.metadata = newValue } }
  }

  /// `metadata` as Swift and Foundation have it, with the UUID.
  public var metadataValues: [String: any Sendable] {
    var values: [String: any Sendable] = metadata.mapValues(\.plainValue)
    values[StoreMetadataKey.storeUUID] = identifier
    return values
  }

  /// See `MetadataKeeping`. The file is written.
  public func replaceMetadata(with values: [String: Any]) throws {
    let entries = try StoreContents.programMetadata(values)
    try save(SaveRequest()) { metadata in
      metadata = metadata.filter { StoreContents.ownMetadataKeys.contains($0.key) }.merging(entries) { own, _ in own }
    }
  }

  /// Takes what a program has put into the metadata of another store of this format.
  package func inheritMetadata(ofStoreAt url: URL) throws {
    let own = try format.metadata(at: url).filter { !StoreContents.ownMetadataKeys.contains($0.key) }
    if own.isEmpty { return }
    try save(SaveRequest()) { $0.merge(own) { $1 } }
  }

  /// - Throws: see `InMemoryStore`.
  public func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try objects.snapshots(request) }

  /// - Throws: see `InMemoryStore`.
  public func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try objects.snapshots(request, monitor: monitor)
  }

  /// The number of snapshots that the request selects.
  public func count(_ request: FetchSpecification) throws -> Int { try objects.count(request) }

  /// The ids of the objects that the request selects.
  public func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] { try objects.objectIDs(request) }

  /// - Throws: see `InMemoryStore`.
  public func rows(_ request: FetchSpecification) throws -> FetchedRows { try objects.rows(request) }

  /// - Throws: see `InMemoryStore`.
  public func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try objects.members(of: owner, relationship: relationship)
  }

  /// The objects as they are now.
  public func openGeneration() throws -> any StoreGeneration { try objects.openGeneration() }

  /// Reserves consecutive primary keys. They are written down with the next save: keys that were reserved but never
  /// saved may be given out again after the store was opened anew, when no object can have them.
  public func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64 {
    if format.givesKeysStoreWide { return try objects.reserveStoreWideKeys(count) }
    return try objects.reservePrimaryKeys(count, for: entity)
  }

  /// Writes everything, as a new file that takes the place of the old one, or nothing.
  /// - Throws: see `PersistentStore.save`; `.failure` also for a value that does not fit its attribute's type or that
  ///   the format cannot write, and when another process changed the file; `.unsupported` for a read-only store;
  ///   `.inputOutput` and `.cannotCreate`.
  public func save(_ request: SaveRequest) throws { try save(request) {} }

  /// Always: the file is written last.
  public var writesAfterBody: Bool { true }

  /// Checks the request, runs the body, and then writes as `save(_:)` does.
  public func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    try save(request, changingMetadata: { _ in }, beforeCommit: body)
  }

  /// Carries the batch out on objects, while nothing else is saved.
  @discardableResult
  public func perform(_ batch: StoreBatch, beforeCommit body: (BatchOutcome) throws -> Void) throws -> BatchOutcome {
    try performThroughObjects(batch, holding: saving, beforeCommit: body)
  }

  /// Writes the metadata with a change of it, which holds when the file is written.
  private func save(
    _ request: SaveRequest, changingMetadata change: (inout [String: PropertyListValue]) -> Void,
    beforeCommit body: () throws -> Void = {}
  ) throws {
    if isReadOnly { throw StoreError.unsupported("\(url.path) was opened read-only") }
    var request = request
    for index in request.inserted.indices { try request.inserted[index].normalizeValues() }
    for index in request.updated.indices { try request.updated[index].normalizeValues() }
    try saving.withLock {
      try objects.save(request) { changed in
        try body()
        try state.withLock { state in
          var changed = changed
          changed.metadata = state.metadata
          change(&changed.metadata)
          changed.setVersion(of: model, storeType: format.storeType)
          try state.file.write(try format.write(changed, model: model))
          state.metadata = changed.metadata
        }
      }
    }
  }
}
