import Diagnostics
import ObjectModel
import Predicates
import StoreInterface

/// Where a context without a parent gets snapshots from: a coordinator's stores as they are now, or a generation
/// of them. Each has its own row cache, so that no row of one is taken for one of the other.
struct SnapshotSource: Sendable {
  let coordinator: PersistentStoreCoordinator
  /// The generation that is read; nil for the newest state.
  let generation: QueryGeneration?
  let snapshotCache: SnapshotCache

  init(_ coordinator: PersistentStoreCoordinator, _ generation: QueryGeneration? = nil) {
    self.coordinator = coordinator
    self.generation = generation
    snapshotCache = generation?.snapshotCache ?? coordinator.snapshotCache
  }

  /// The reader of all stores together.
  var reader: any StoreReading { generation?.reader ?? coordinator.store }

  /// The reader for a request: only some stores where the request names them.
  func reader(for request: FetchSpecification) -> any StoreReading {
    generation?.reader(for: request) ?? coordinator.store(for: request)
  }

  private var counters: PerformanceCounters { coordinator.counters }

  /// The ids of the objects that a request selects.
  func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    try counters.measureRequest(.fetches) { try reader(for: request).objectIDs(request) }
  }

  /// The number of objects that a request selects.
  func count(_ request: FetchSpecification) throws -> Int {
    try counters.measureRequest(.fetches) { try reader(for: request).count(request) }
  }

  /// The rows of a request for dictionaries.
  func rows(_ request: FetchSpecification) throws -> FetchedRows {
    try counters.measureRequest(.fetches) { try reader(for: request).rows(request) }
  }

  /// The members of a to-many relationship that is a fault.
  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try counters.measureRequest(.relationshipFaultsFired) { try reader.members(of: owner, relationship: relationship) }
  }

  /// The members of the same to-many relationship of several objects.
  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try counters.measureRequest(.relationshipFaultsFired, owners.count) {
      try reader.members(of: owners, relationship: relationship)
    }
  }

  /// The rows that a request selects, past the cache.
  func snapshotBlocks(_ request: FetchSpecification, caches: Bool, monitor: FetchMonitor? = nil) throws
    -> [SnapshotBlock]
  {
    let epoch = snapshotCache.epoch
    let blocks = try counters.measureRequest(.fetches) {
      try monitor.map { [SnapshotBlock(try snapshots(request, monitor: $0))] }
        ?? reader(for: request).snapshotBlocks(request)
    }
    if caches { snapshotCache.remember(blocks, readIn: epoch, coordinator) }
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
    try counters.measure(.faultsFired, objectIDs.count) { try readSnapshots(of: objectIDs, notOlderThan: seconds) }
  }

  private func readSnapshots(of objectIDs: [ObjectID], notOlderThan seconds: Double) throws -> [Snapshot] {
    var snapshots: [Snapshot] = []
    var missing: [Entity: [ObjectID]] = [:]
    for id in objectIDs where !id.isTemporary {
      if let snapshot = snapshotCache.snapshot(id, notOlderThan: seconds) {
        snapshots.append(snapshot)
      } else {
        missing[id.entity.root, default: []].append(id)
      }
    }
    for (root, ids) in missing.sorted(by: { $0.key.index < $1.key.index }) {
      var request = FetchSpecification(root)
      request.predicate = .selfIsIn(ids)
      let epoch = snapshotCache.epoch
      let blocks = try counters.measureRequest(.cacheMisses, ids.count) {
        try reader(for: request).snapshotBlocks(request)
      }
      if seconds != 0 { snapshotCache.remember(blocks, readIn: epoch, coordinator) }
      for block in blocks { snapshots += block.snapshots }
    }
    return snapshots
  }
}
