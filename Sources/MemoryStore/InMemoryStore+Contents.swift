import Foundation
package import ObjectModel
package import StoreInterface
import Synchronization

extension InMemoryStore {
  /// A store with these contents.
  /// - Throws: `StoreError.failure` that names the first thing that no store could hold.
  package convenience init(model: ManagedObjectModel, contents: StoreContents) throws(StoreError) {
    self.init(model: model, identifier: contents.identifier)
    try self.contents.withLock { inner throws(StoreError) in try inner.load(contents, model: model) }
  }

  /// Applies a save to a copy, hands that to `write`, and keeps it when `write` succeeds; nothing has changed
  /// otherwise. The store waits meanwhile.
  package func save(_ request: SaveRequest, writing write: (StoreContents) throws -> Void) throws {
    for id in request.insertedIDs + request.updatedIDs + request.deletedIDs
    where id.entity.model !== model {
      throw StoreError.failure("\(id.entity.name) belongs to another model than the store's")
    }
    try contents.withLock { current in
      var changed = current
      try changed.save(request)
      try write(changed.export())
      current = changed
    }
  }

  /// Reserves consecutive primary keys that no object of any entity has, now or later.
  /// - Throws: `StoreError.failure` for a negative count.
  package func reserveStoreWideKeys(_ count: Int) throws(StoreError) -> Int64 {
    guard count >= 0 else { throw .failure("\(count) primary keys cannot be reserved") }
    return contents.withLock { inner in
      let greatest = inner.greatestPrimaryKeys.max() ?? 0
      for root in inner.greatestPrimaryKeys.indices { inner.greatestPrimaryKeys[root] = greatest + Int64(count) }
      return greatest + 1
    }
  }
}
