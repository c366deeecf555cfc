import ObjectModel
import Predicates
import StoreInterface

/// Where a context without a parent gets rows from: a coordinator's stores as they are now, or a generation of them. Each has
/// its own row cache, so that no row of one is taken for one of the other.
struct RowSource: Sendable {
  let coordinator: PersistentStoreCoordinator
  /// nil: the newest.
  let generation: QueryGeneration?
  let rowCache: RowCache

  init(_ coordinator: PersistentStoreCoordinator, _ generation: QueryGeneration? = nil) {
    self.coordinator = coordinator
    self.generation = generation
    rowCache = generation?.rowCache ?? coordinator.rowCache
  }

  /// What is asked about objects, whatever store they are in.
  var reader: any StoreReading { generation?.reader ?? coordinator.store }

  /// What answers a request: only some stores where it names them.
  func reader(for request: FetchSpecification) -> any StoreReading {
    generation?.reader(for: request) ?? coordinator.store(for: request)
  }

  /// The rows that a request selects, past the cache.
  func snapshotBlocks(_ request: FetchSpecification, caching: Bool, monitor: FetchMonitor? = nil) throws
    -> [SnapshotBlock]
  {
    let epoch = rowCache.epoch
    let blocks =
      try monitor.map { [SnapshotBlock(try snapshots(request, monitor: $0))] }
      ?? reader(for: request).snapshotBlocks(request)
    if caching { rowCache.remember(blocks, readIn: epoch, coordinator) }
    return blocks
  }

  private func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    let group: any MonitoredFetching = generation?.group ?? coordinator.router
    return try group.snapshots(request, monitor: monitor)
  }

  /// The rows of these objects, in no particular order, those that are not cached with one fetch for each hierarchy.
  /// Temporary ids have none.
  /// - Parameter seconds: how old a cached row may be; negative: any age, zero: none is used and none is cached.
  func snapshots(of objectIDs: [ObjectID], notOlderThan seconds: Double) throws -> [Snapshot] {
    var snapshots: [Snapshot] = []
    var missing: [Entity: [ObjectID]] = [:]
    for id in objectIDs where !id.isTemporary {
      if let snapshot = rowCache.snapshot(id, notOlderThan: seconds) {
        snapshots.append(snapshot)
      } else {
        missing[id.entity.root, default: []].append(id)
      }
    }
    for (root, ids) in missing.sorted(by: { $0.key.index < $1.key.index }) {
      var request = FetchSpecification(root)
      request.predicate = .selfIsIn(ids)
      for block in try snapshotBlocks(request, caching: seconds != 0) { snapshots += block.snapshots }
    }
    return snapshots
  }
}
