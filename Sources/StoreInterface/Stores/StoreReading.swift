public import ObjectModel
public import Predicates

/// The read-only calls of a store, or of a generation of one (`QueryGenerations`).
///
/// Calls are synchronous and may come from any thread.
public protocol StoreReading: Sendable {
  /// The store's UUID, upper case.
  var identifier: String { get }
  /// Entities in requests and ids belong to this very instance.
  var model: ManagedObjectModel { get }

  /// The snapshots that a request selects, in its order (by primary key where it states none).
  func snapshots(_ request: FetchSpecification) throws -> [Snapshot]
  /// The snapshots that `snapshots` would return, in the same order, in blocks.
  func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock]
  /// The number of objects that a request selects, its limit and offset included.
  func count(_ request: FetchSpecification) throws -> Int
  /// The ids of the objects that `snapshots` would return, in the same order.
  func objectIDs(_ request: FetchSpecification) throws -> [ObjectID]
  /// The rows of a request for dictionaries: of each selected object, or of each group, what `propertiesToFetch` says.
  /// Limit and offset count rows.
  /// - Throws: `StoreError.failure` for a request that `FetchSpecification.checkRows()` refuses, `.unsupported` for
  ///   what the store cannot compute.
  func rows(_ request: FetchSpecification) throws -> FetchedRows
  /// The ids of the members of a to-many relationship: by order key when ordered, by primary key otherwise.
  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID]
  /// The same of many owners of one entity at once, in their order.
  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]]
}

extension StoreReading {
  /// Refuses an entity of another model.
  package func requireOwn(_ entity: Entity) throws(StoreError) {
    guard entity.model === model else {
      throw .failure("\(entity.name) belongs to another model than the store's")
    }
  }

  /// Asks for one owner after the other; stores may implement a faster way.
  public func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try owners.map { try members(of: $0, relationship: relationship) }
  }

  /// One block of finished snapshots; stores that read many rows implement a faster way.
  public func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    [SnapshotBlock(try snapshots(request))]
  }

  /// Takes the ids of the snapshots; stores may implement a faster way.
  public func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    try snapshots(request).map(\.objectID)
  }

  /// Throws, for stores without requests for dictionaries.
  /// - Throws: `StoreError.unsupported`.
  public func rows(_ request: FetchSpecification) throws -> FetchedRows {
    throw StoreError.unsupported("this kind of store returns no dictionaries; fetch objects instead")
  }

  /// The rows of `rows(_:)` as dictionaries, missing values left out.
  public func dictionaries(_ request: FetchSpecification) throws -> [[String: ExpressionValue]] {
    try rows(request).dictionaries
  }
}
