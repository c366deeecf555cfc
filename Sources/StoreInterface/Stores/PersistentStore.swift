public import Foundation
public import ObjectModel

/// A place that keeps objects: what contexts and the pipeline ask of a store.
///
/// Calls are synchronous and serialised by the store itself, which may be called from any thread.
///
/// What only some stores can do is a protocol of its own: `MonitoredFetching`, `TwoPhaseSaving`, `InMemoryFetching`,
/// `BatchWriting`, `PersistentHistoryTracking`, `QueryGenerations`,
/// `RemoteChangeObserving`.
public protocol PersistentStore: AnyObject, StoreReading {
  /// Where the store is kept; nil for one without a file.
  var url: URL? { get }
  /// Whether every save is refused. New objects then go to another store that holds their entity.
  var isReadOnly: Bool { get }

  /// Reserves `count` consecutive primary keys for the entity's root and returns the first. Keys start at 1 and are
  /// never given out twice, also when the objects they were meant for are never saved.
  func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64
  /// Writes everything in one transaction, or nothing.
  /// - Throws: `StoreError.optimisticLockingFailure`, `.constraintConflict` (the final state of the save counts: two
  ///   rows may exchange their values), or `.failure` for a request that does not fit the model.
  func save(_ request: SaveRequest) throws
  /// Lets go of the file, and of whatever else the store has open; a coordinator does it when the store is taken away.
  /// The store must not be used any more. Closing twice does nothing.
  func close() throws
}

extension PersistentStore {
  /// None.
  public var url: URL? { nil }

  /// False.
  public var isReadOnly: Bool { false }

  /// Does nothing, for stores that have nothing open.
  public func close() throws {}
}
