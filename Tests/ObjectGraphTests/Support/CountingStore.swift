import ObjectModel
import StoreInterface
import Synchronization
import TestStores

/// A store that counts what it is asked.
final class CountingStore: ForwardingStore {
  let base: any PersistentStore
  private let counts = Mutex((fetches: 0, members: 0, saves: 0))

  init(_ base: any PersistentStore) { self.base = base }

  var fetchCount: Int { counts.withLock { $0.fetches } }
  var memberCount: Int { counts.withLock { $0.members } }
  var saveCount: Int { counts.withLock { $0.saves } }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
    counts.withLock { $0.fetches += 1 }
    return try base.snapshots(request)
  }
  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    counts.withLock { $0.members += 1 }
    return try base.members(of: owner, relationship: relationship)
  }
  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    counts.withLock { $0.members += 1 }
    return try base.members(of: owners, relationship: relationship)
  }
  func save(_ request: SaveRequest) throws {
    counts.withLock { $0.saves += 1 }
    try base.save(request)
  }
}
