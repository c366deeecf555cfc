import Diagnostics
import StoreInterface

extension PersistentStoreCoordinator {
  /// The rows that a request selects in one store, straight from there.
  func snapshots(_ request: FetchSpecification, inStore identifier: String) throws -> [Snapshot] {
    try persistentStore(identifier: identifier)?.snapshots(request) ?? []
  }

  /// Saves, and lets the cache follow.
  /// - Parameter caches: whether the rows that were written are kept.
  func save(_ request: SaveRequest, caches: Bool) throws {
    try requireWritable(request)
    let epoch = snapshotCache.epoch
    try counters.measure(.saves) { try withoutNewGenerations { try store.save(request) } }
    let written = request.deletedIDs + request.updatedIDs
    guard let next = snapshotCache.forget(written, writtenIn: epoch), caches,
      snapshotCache.hasRoom(for: request.inserted.count + request.updated.count)
    else { return }
    var updated = request.updated
    for index in updated.indices { updated[index].version = Snapshot.version(after: updated[index].version) }
    let blocks = [request.inserted, updated].filter { !$0.isEmpty }.map { SnapshotBlock($0) }
    snapshotCache.remember(blocks, readIn: next, self)
  }
}
