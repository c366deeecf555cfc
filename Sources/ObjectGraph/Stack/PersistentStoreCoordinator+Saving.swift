import Diagnostics
import ObjectModel
import Predicates
import StoreInterface

extension PersistentStoreCoordinator {
  /// The rows that a request selects in one store, straight from there.
  func snapshots(_ request: FetchSpecification, inStore identifier: String) throws -> [Snapshot] {
    try persistentStore(identifier: identifier)?.snapshots(request) ?? []
  }

  /// Saves, and lets the cache follow.
  /// - Parameter caching: whether the rows that were written are kept.
  func save(_ request: SaveRequest, caching: Bool) throws {
    try requireWritable(request)
    let epoch = rowCache.epoch
    try counters.measure(.saves) { try withoutNewGenerations { try store.save(request) } }
    let written = request.deleted.map(\.objectID) + request.updated.map(\.objectID)
    guard let next = rowCache.forget(written, writtenIn: epoch), caching,
      rowCache.hasRoom(for: request.inserted.count + request.updated.count)
    else { return }
    let updated = request.updated.map { snapshot in
      var snapshot = snapshot
      snapshot.version += 1
      return snapshot
    }
    rowCache.remember([SnapshotBlock(request.inserted + updated)], readIn: next, self)
  }
}
