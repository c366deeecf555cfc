import ObjectModel
import StoreInterface

extension PersistentStoreCoordinator {
  /// The rows that a request selects, straight from the store.
  func rows(_ request: FetchRequest, caching: Bool) throws -> [Snapshot] {
    let rows = try store.snapshots(request)
    if caching { rowCache.remember(rows, self) }
    return rows
  }

  /// The rows of these objects, in no particular order, those that are not cached with one fetch for each hierarchy.
  /// Temporary ids have none.
  /// - Parameter seconds: how old a cached row may be; negative: any age, zero: none is used and none is cached.
  func rows(of objectIDs: [ObjectID], notOlderThan seconds: Double) throws -> [Snapshot] {
    var rows: [Snapshot] = []
    var missing: [Entity: [ObjectID]] = [:]
    for id in objectIDs where !id.isTemporary {
      if let row = rowCache.row(id, notOlderThan: seconds) {
        rows.append(row)
      } else {
        missing[id.entity.root, default: []].append(id)
      }
    }
    for (root, ids) in missing.sorted(by: { $0.key.index < $1.key.index }) {
      var request = FetchRequest(root)
      request.predicate = .selfIsIn(ids)
      rows += try self.rows(request, caching: seconds != 0)
    }
    return rows
  }

  /// Saves, and lets the cache follow.
  func save(_ request: SaveRequest) throws {
    try store.save(request)
    rowCache.forget(request.deleted.lazy.map(\.objectID))
    rowCache.forget(request.updated.lazy.map(\.objectID))
  }

  /// Remembers rows that a context has just saved.
  func remember(_ saved: some Collection<Snapshot>) { rowCache.remember(saved, self) }
}
