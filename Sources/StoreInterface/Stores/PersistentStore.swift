public import Foundation
public import ObjectModel
public import Predicates

/// A place that keeps objects: what contexts and the pipeline ask of a store.
///
/// Calls are synchronous and serialised by the store itself, which may be called from any thread.
public protocol PersistentStore: AnyObject, Sendable {
  /// The store's UUID, upper case.
  var identifier: String { get }
  /// Entities in requests and ids belong to this very instance.
  var model: ManagedObjectModel { get }
  /// Where the store is kept; nil for one without a file.
  var url: URL? { get }
  /// Whether every save is refused. New objects then go to another store that holds their entity.
  var isReadOnly: Bool { get }

  /// The snapshots that a request selects, in its order (by primary key where it states none).
  func snapshots(_ request: FetchRequest) throws -> [Snapshot]
  /// As `snapshots(_:)`, for one who waits elsewhere: the store tells the monitor how far it is, ends the fetch when the
  /// monitor is cancelled, and lets others use it meanwhile where it can.
  /// - Throws: `CancellationError` when the monitor was cancelled.
  func snapshots(_ request: FetchRequest, monitor: FetchMonitor) throws -> [Snapshot]
  /// The snapshots that `snapshots` would return, in the same order, in blocks.
  func snapshotBlocks(_ request: FetchRequest) throws -> [SnapshotBlock]
  /// The number of objects that a request selects, its limit and offset included.
  func count(_ request: FetchRequest) throws -> Int
  /// The ids of the objects that `snapshots` would return, in the same order.
  func objectIDs(_ request: FetchRequest) throws -> [ObjectID]
  /// The rows of a request for dictionaries: of each selected object, or of each group, what `propertiesToFetch` says.
  /// Limit and offset count rows.
  /// - Throws: `StoreError.failure` for a request that `FetchRequest.checkRows()` refuses, `.unsupported` for what the
  ///   store cannot compute.
  func rows(_ request: FetchRequest) throws -> FetchedRows
  /// The ids of the members of a to-many relationship: by order key when ordered, by primary key otherwise.
  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID]
  /// The same of many owners of one entity at once, in their order.
  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]]
  /// Reserves `count` consecutive primary keys for the entity's root and returns the first. Keys start at 1 and are
  /// never given out twice, also when the objects they were meant for are never saved.
  func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64
  /// Writes everything in one transaction, or nothing.
  /// - Throws: `StoreError.optimisticLockingFailure`, `.constraintConflict` (the final state of the save counts: two
  ///   rows may exchange their values), or `.failure` for a request that does not fit the model.
  func save(_ request: SaveRequest) throws
  /// Writes everything in one transaction, checks it, runs the body and only then commits: nothing is written when the
  /// body throws.
  ///
  /// A save over several stores is one such call inside another, so that all of them have written and checked their
  /// parts before the first one commits.
  /// - Throws: what `save(_:)` throws, and what the body throws.
  func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws
  /// Whether `save(_:beforeCommit:)` can undo what it has written. A store that cannot do so saves after the body has
  /// returned. At most one such store keeps a save over several stores atomic.
  var canWaitWithCommit: Bool { get }
  /// Lets go of the file, and of whatever else the store has open; a coordinator does it when the store is taken away.
  /// The store must not be used any more. Closing twice does nothing.
  func close() throws
}

extension PersistentStore {
  /// None.
  public var url: URL? { nil }

  /// False.
  public var isReadOnly: Bool { false }

  /// False.
  public var canWaitWithCommit: Bool { false }

  /// Does nothing, for stores that have nothing open.
  public func close() throws {}

  /// One owner after the other; a store that can do it faster does.
  public func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try owners.map { try members(of: $0, relationship: relationship) }
  }

  /// Fetches in one piece, which only ends early before it begins; a store that can do it better does.
  public func snapshots(_ request: FetchRequest, monitor: FetchMonitor) throws -> [Snapshot] {
    try monitor.check()
    let found = try snapshots(request)
    try monitor.check()
    return found
  }

  /// For stores that cannot wait with a commit.
  public func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    try body()
    try save(request)
  }

  /// One block of finished snapshots; a store that reads many rows does better.
  public func snapshotBlocks(_ request: FetchRequest) throws -> [SnapshotBlock] {
    [SnapshotBlock(try snapshots(request))]
  }

  /// By way of the snapshots; a store that can do it faster does.
  public func objectIDs(_ request: FetchRequest) throws -> [ObjectID] {
    try snapshots(request).map(\.objectID)
  }

  /// For stores that know no dictionaries.
  /// - Throws: `StoreError.unsupported`.
  public func rows(_ request: FetchRequest) throws -> FetchedRows {
    throw StoreError.unsupported("this kind of store returns no dictionaries; fetch objects instead")
  }

  /// The rows of `rows(_:)` as dictionaries, missing values left out.
  public func dictionaries(_ request: FetchRequest) throws -> [[String: ExpressionValue]] {
    try rows(request).dictionaries
  }
}
