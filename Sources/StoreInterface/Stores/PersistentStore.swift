public import Foundation
public import ObjectModel

/// A place that keeps objects, with the calls that contexts and the pipeline need.
///
/// Calls are synchronous and serialised by the store itself, which may be called from any thread.
///
/// Capabilities that only some stores have are separate protocols: `MonitoredFetching`, `TwoPhaseSaving`,
/// `InMemoryFetching`, `BatchWriting`, `PersistentHistoryTracking`, `QueryGenerations`, `RemoteChangeObserving`,
/// `MetadataKeeping`, `FetchExplaining`.
public protocol PersistentStore: AnyObject, StoreReading {
  /// The type that opens stores of this kind.
  var type: any PersistentStoreType { get }
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
  /// Closes the file, and everything else that the store has open; a coordinator calls it when the store is removed.
  /// The store must not be used any more. Closing twice does nothing.
  func close() throws
}

extension PersistentStore {
  /// Nil, for stores without a file.
  public var url: URL? { nil }

  /// False, for stores that take every save.
  public var isReadOnly: Bool { false }

  /// Does nothing, for stores that have nothing open.
  public func close() throws {}
}
