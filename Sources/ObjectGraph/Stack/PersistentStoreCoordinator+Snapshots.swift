import ObjectModel
import Predicates
import StoreInterface

extension PersistentStoreCoordinator {
  /// The rows that a request selects, straight from the store.
  func snapshotBlocks(_ request: FetchSpecification, caching: Bool, monitor: FetchMonitor? = nil) throws
    -> [SnapshotBlock]
  {
    let epoch = rowCache.epoch
    let blocks =
      try monitor.map { [SnapshotBlock(try router.snapshots(request, monitor: $0))] }
      ?? store(for: request).snapshotBlocks(request)
    if caching { rowCache.remember(blocks, readIn: epoch, self) }
    return blocks
  }

  /// The rows that a request selects in one store, straight from there.
  func snapshots(_ request: FetchSpecification, inStore identifier: String) throws -> [Snapshot] {
    try persistentStore(identifier: identifier)?.snapshots(request) ?? []
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

  /// Saves, and lets the cache follow.
  /// - Parameter caching: whether the rows that were written are kept.
  func save(_ request: SaveRequest, caching: Bool) throws {
    try requireWritable(request)
    let epoch = rowCache.epoch
    try store.save(request)
    let written = request.deleted.map(\.objectID) + request.updated.map(\.objectID)
    guard let next = rowCache.forget(written, writtenIn: epoch), caching,
      rowCache.takes(request.inserted.count + request.updated.count)
    else { return }
    let updated = request.updated.map { snapshot in
      var snapshot = snapshot
      snapshot.version += 1
      return snapshot
    }
    rowCache.remember([SnapshotBlock(request.inserted + updated)], readIn: next, self)
  }
}
