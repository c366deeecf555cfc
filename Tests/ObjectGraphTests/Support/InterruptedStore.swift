import StoreInterface
import Synchronization
import TestStores

/// A store during whose next fetch, after the rows were read, or save, after they were written or refused, something
/// happens.
final class InterruptedStore: ForwardingStore {
  let base: any PersistentStore
  private let interruption = Mutex<(@Sendable () throws -> Void)?>(nil)

  init(_ base: any PersistentStore) { self.base = base }

  func interruptNext(_ work: @escaping @Sendable () throws -> Void) { interruption.withLock { $0 = work } }

  private func interrupt() throws {
    let work = interruption.withLock { work in
      defer { work = nil }
      return work
    }
    try work?()
  }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
    let rows = try base.snapshots(request)
    try interrupt()
    return rows
  }
  func save(_ request: SaveRequest) throws {
    do {
      try base.save(request)
    } catch {
      try interrupt()
      throw error
    }
    try interrupt()
  }
}
