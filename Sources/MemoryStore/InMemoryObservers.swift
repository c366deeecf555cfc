import Foundation
public import StoreInterface
import Synchronization

extension InMemoryStore: RemoteChangeObserving {
  /// Calls back after every save and batch from now on.
  public func observeRemoteChanges(
    _ changed: @escaping @Sendable (RemoteStoreChange) -> Void
  ) throws -> any RemoteChangeObservation {
    observers.add(changed)
  }

  /// Tells the observers of a write.
  func tellObservers() {
    observers.tell {
      let number = contents.withLock { $0.history?.lastTransactionNumber }
      return RemoteStoreChange(
        storeURL: nil, storeUUID: identifier,
        historyToken: number.map { PersistentHistoryToken(store: identifier, transactionNumber: $0) })
    }
  }
}

/// The observers of writes to an in-memory store.
final class InMemoryObservers: Sendable {
  private struct Entry: Sendable {
    weak let observer: InMemoryObserver?
  }

  private let entries = Mutex<[Entry]>([])

  func add(_ changed: @escaping @Sendable (RemoteStoreChange) -> Void) -> InMemoryObserver {
    let observer = InMemoryObserver(changed)
    entries.withLock { entries in
      entries.removeAll { $0.observer == nil }
      entries.append(Entry(observer: observer))
    }
    return observer
  }

  func tell(_ change: () -> RemoteStoreChange) {
    let observers = entries.withLock { $0.compactMap(\.observer) }
    if observers.isEmpty { return }
    let change = change()
    for observer in observers { observer.tell(change) }
  }
}

/// An observer, called on its own queue.
final class InMemoryObserver: RemoteChangeObservation {
  private let changed: @Sendable (RemoteStoreChange) -> Void
  private let isCancelled = Atomic(false)
  private let queue = DispatchQueue(label: "seedbed.store.changes")

  init(_ changed: @escaping @Sendable (RemoteStoreChange) -> Void) { self.changed = changed }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  func tell(_ change: RemoteStoreChange) {
    queue.async { [weak self] in
      guard let self, !isCancelled.load(ordering: .relaxed) else { return }
      changed(change)
    }
  }
}
