public import Foundation
import MemoryStore
public import ObjectModel
import PropertyLists
public import StoreInterface

/// The base class for a program's own stores: over files in another format, a web service, another database.
///
/// A subclass overrides `loadMetadata`, `execute(_:)` for fetches and for saves, `newValues(for:)`,
/// `newValue(for:of:)` and `obtainPermanentIDs(for:)`. It identifies its objects by reference objects, texts or numbers
/// of its own, and gets ids for them from `newObjectID(for:referenceObject:)`. One that can only enumerate its objects
/// leaves filtering, sorting and limits to `evaluate(_:over:)`. `load` is called before anything else.
///
/// Before a save reaches the subclass, versions and uniqueness constraints have been checked, and to-many relationships
/// have been merged with what `newValue(for:of:)` says of them now: `SaveRequest.toMany` has all members. The subclass
/// computes derived attributes: a save has the values that the context last read. All overridable methods are called
/// one at a time, under a lock of the store's, which is what makes the unchecked `Sendable` sound as long as a subclass
/// touches its state only there. `RecordFileStore` is an example of a whole store.
///
/// The ids of objects hold as long as the store is open: an id that was given out names another object, or none, in
/// another store object over the same data.
open class IncrementalStore: MonitoredFetching, BatchWriting, @unchecked Sendable {
  /// What a store says about itself.
  public struct Metadata: Sendable {
    /// The UUID that identifies the store.
    public var identifier: UUID
    /// The version hashes of the model that the data were written for; nil where the data do not say.
    public var versionHashes: [String: Data]?

    /// Metadata of a store.
    public init(identifier: UUID, versionHashes: [String: Data]? = nil) {
      self.identifier = identifier
      self.versionHashes = versionHashes
    }
  }

  /// The model of every object in the store.
  public let model: ManagedObjectModel
  /// The type that its description states.
  public let type: any PersistentStoreType
  /// Where the store is, if it is anywhere.
  public let url: URL?
  /// Whether every save is refused.
  public let isReadOnly: Bool
  /// The options in the description of the store.
  public let options: [String: Value]

  private let lock = NSRecursiveLock()
  private var storeIdentifier = UUID().uuidString
  private var references = ReferenceTable()
  private var isClosed = false
  let layout: ModelLayout

  /// A store that is not loaded yet.
  public init(description: PersistentStoreDescription, model: ManagedObjectModel) throws {
    self.model = model
    type = description.type
    url = description.url
    isReadOnly = description.isReadOnly
    options = description.typeOptions
    layout = ModelLayout(model)
  }

  /// Loads the metadata, compares the model and prepares the store.
  /// - Throws: `StoreError.incompatibleModel`, and what the subclass throws.
  public final func load() throws {
    try locked {
      let metadata = try loadMetadata()
      storeIdentifier = metadata.identifier.uuidString
      if let hashes = metadata.versionHashes {
        try StoreContents.check(
          [StoreContents.versionHashesKey: .dictionary(hashes.mapValues { .data($0) })], against: model)
      }
      try prepare()
    }
  }

  // MARK: - For subclasses to override

  /// Finds out the store's identity. Called first; a store that is not there yet is made here.
  open func loadMetadata() throws -> Metadata { throw unsupported("loadMetadata") }

  /// Called once after the metadata were loaded and found to fit the model. Does nothing by itself.
  open func prepare() throws {}

  /// Called when the store is closed, as it is when a coordinator takes it away. Does nothing by itself.
  open func willClose() throws {}

  /// The ids of the objects that a request selects, in its order. The request's key paths have been checked.
  open func execute(_ request: FetchSpecification) throws -> [ObjectID] {
    throw unsupported("execute(_: FetchSpecification)")
  }

  /// The rows of a request for dictionaries. A store that does not override it has none.
  /// - Throws: `StoreError.unsupported`.
  open func executeForRows(_ request: FetchSpecification) throws -> FetchedRows {
    throw unsupported("executeForRows(_:)")
  }

  /// The values of an object; nil when it does not exist (any more).
  open func newValues(for objectID: ObjectID) throws -> IncrementalStoreNode? { throw unsupported("newValues(for:)") }

  /// The members of a to-many relationship: in their order when it is ordered.
  open func newValue(for relationship: Relationship, of owner: ObjectID) throws -> [ObjectID] {
    throw unsupported("newValue(for:of:)")
  }

  /// The reference objects of objects that are about to be saved for the first time, one for each, in their order. The
  /// returned reference objects are bound to the ids, which exist already, and unbound again if the save fails.
  open func obtainPermanentIDs(for objects: [Snapshot]) throws -> [ReferenceObject] {
    throw unsupported("obtainPermanentIDs(for:)")
  }

  /// Writes all changes or none. Values have the form in which a store keeps them.
  open func execute(_ request: SaveRequest) throws { throw unsupported("execute(_: SaveRequest)") }

  private func unsupported(_ method: String) -> StoreError {
    .unsupported("\(Swift.type(of: self)) does not override \(method)")
  }

  // MARK: - Ids

  /// The id of the object that a reference object identifies: always the same one for the same reference.
  /// - Parameter entity: the object's own entity.
  public final func newObjectID(for entity: Entity, referenceObject: ReferenceObject) -> ObjectID {
    locked { objectID(entity, references.key(of: referenceObject, entity: entity)) }
  }

  /// The reference object that identifies an object; nil for one that has not been saved or has been deleted.
  public final func referenceObject(for objectID: ObjectID) -> ReferenceObject? {
    locked {
      guard case .permanent(storeIdentifier, let key) = objectID.reference else { return nil }
      return references.reference(of: key, entity: objectID.entity)
    }
  }

  /// Replaces the reference objects that identify objects, after a save that changed their keys. All of them lose their
  /// old reference objects first, so that they may exchange them.
  public final func setReferenceObjects(_ changes: [(objectID: ObjectID, referenceObject: ReferenceObject)]) {
    locked {
      for change in changes {
        if let key = change.objectID.primaryKey { references.remove(key, entity: change.objectID.entity) }
      }
      for change in changes {
        guard let key = change.objectID.primaryKey else { continue }
        references.set(change.referenceObject, for: key, entity: change.objectID.entity)
      }
    }
  }

  private func objectID(_ entity: Entity, _ key: Int64) -> ObjectID {
    ObjectID(entity: entity, reference: .permanent(store: storeIdentifier, primaryKey: key))
  }

  final func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  // MARK: - PersistentStore

  /// The store's UUID, upper case.
  public final var identifier: String { locked { storeIdentifier } }

  /// The values of the objects that a request selects.
  /// - Throws: `StoreError.failure` for a key path that does not exist, and what the subclass throws.
  public final func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
    try snapshots(request, following: nil)
  }

  private func snapshots(_ request: FetchSpecification, following monitor: FetchMonitor?) throws -> [Snapshot] {
    try locked {
      try objectIDs(request).enumerated().map { position, id in
        try monitor?.check()
        try monitor?.found(position)
        guard let node = try newValues(for: id) else {
          throw StoreError.failure("the fetch found an object of \(id.entity.name) that has no values")
        }
        return node.snapshot
      }
    }
  }

  /// As `snapshots(_:)`; the monitor is asked before the subclass fetches and for every object.
  public final func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try monitor.check()
    return try snapshots(request, following: monitor)
  }

  /// The number of objects that a request selects.
  public final func count(_ request: FetchSpecification) throws -> Int { try objectIDs(request).count }

  /// The objects that a request selects.
  public final func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    try requireOwn(request.entity)
    try request.checkKeyPaths()
    return try locked { try execute(request) }
  }

  /// The rows of a request for dictionaries.
  public final func rows(_ request: FetchSpecification) throws -> FetchedRows {
    try requireOwn(request.entity)
    try request.checkRows()
    return try locked { try executeForRows(request) }
  }

  /// - Throws: `StoreError.failure` when the relationship is not a to-many relationship of the owner's entity.
  public final func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try requireOwn(owner.entity)
    guard let own = owner.entity.relationship(relationship.name), own.isToMany else {
      throw StoreError.failure("\(owner.entity.name) has no to-many relationship \"\(relationship.name)\"")
    }
    return try locked {
      let found = try newValue(for: own, of: owner)
      return own.isOrdered ? found : found.sorted { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) }
    }
  }

  /// Reserves consecutive primary keys. They get their reference objects when the objects are saved.
  /// - Throws: `StoreError.failure` for a negative count.
  public final func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64 {
    try requireOwn(entity)
    guard count >= 0 else { throw StoreError.failure("\(count) primary keys cannot be reserved") }
    return locked { references.reserve(count, for: entity) }
  }

  /// Has the subclass close its resources, once.
  public final func close() throws {
    try locked {
      if isClosed { return }
      try willClose()
      isClosed = true
    }
  }

  /// Checks the request, has the subclass write it, and binds the reference objects of new objects.
  /// - Throws: see `PersistentStore.save`; `StoreError.unsupported` for a read-only store.
  public final func save(_ request: SaveRequest) throws { try save(request) {} }

  /// Always: the subclass writes last.
  public final var writesAfterBody: Bool { true }

  /// Checks the request, runs the body, and then saves as `save(_:)` does.
  public final func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    if isReadOnly { throw StoreError.unsupported("the store \(url?.path ?? storeIdentifier) was opened read-only") }
    for entity in Set((request.inserted + request.updated).map(\.objectID.entity)) { try requireOwn(entity) }
    for entity in Set(request.deleted.map(\.objectID.entity)) { try requireOwn(entity) }
    var request = request
    for index in request.inserted.indices { try request.inserted[index].normalizeValues() }
    for index in request.updated.indices { try request.updated[index].normalizeValues() }
    try locked {
      try checkVersions(request)
      try checkConstraints(request)
      request.toMany = try wholeMembers(request)
      try body()
      let before = references
      do {
        try bind(request)
        try execute(request)
        for (id, _) in request.deleted { id.primaryKey.map { references.remove($0, entity: id.entity) } }
      } catch {
        references = before
        throw error
      }
    }
  }

  /// Carries the batch out on objects, under the store's lock.
  @discardableResult
  public final func perform(
    _ batch: StoreBatch, beforeCommit body: (BatchOutcome) throws -> Void
  ) throws -> BatchOutcome {
    try performThroughObjects(batch, holding: lock, beforeCommit: body)
  }

  /// The changes of to-many relationships with all members: those that others added meanwhile are in them.
  private func wholeMembers(_ request: SaveRequest) throws -> [SaveRequest.ToManyChange] {
    let new = Set(request.inserted.map(\.objectID))
    return try request.toMany.map { change in
      guard let before = change.membersBefore, !new.contains(change.owner),
        let relationship = change.owner.entity.relationship(change.relationshipName)
      else { return change }
      let current = try newValue(for: relationship, of: change.owner)
      let known = Set(current)
      let merged = MembershipMerge.merged(
        change.members, from: before, onto: current, isOrdered: relationship.isOrdered)
      let members = try merged.filter { try known.contains($0) || new.contains($0) || newValues(for: $0) != nil }
      return SaveRequest.ToManyChange(
        owner: change.owner, relationshipName: change.relationshipName, members: members)
    }
  }

  /// Gives new objects the reference objects that the subclass has for them; objects that the save changes or deletes
  /// may lose theirs to them.
  private func bind(_ request: SaveRequest) throws {
    let objects = try obtainPermanentIDs(for: request.inserted)
    guard objects.count == request.inserted.count else {
      throw StoreError.failure(
        "\(Swift.type(of: self)) gave \(objects.count) ids for \(request.inserted.count) new objects")
    }
    let touched = Set(request.updated.map(\.objectID) + request.deleted.map(\.objectID))
    for (snapshot, object) in zip(request.inserted, objects) {
      let id = snapshot.objectID
      guard let key = id.primaryKey else { continue }
      if let other = references.knownKey(of: object, entity: id.entity), other != key {
        guard touched.contains(objectID(id.entity, other)) else {
          throw StoreError.failure("\(id.entity.name): another object is known by \(object) already")
        }
        references.remove(other, entity: id.entity)
      }
      references.set(object, for: key, entity: id.entity)
    }
  }
}
