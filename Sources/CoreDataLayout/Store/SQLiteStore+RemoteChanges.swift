public import StoreInterface
import Synchronization

extension SQLiteStore: RemoteChangeObserving {
  /// Watches the file: what this store writes is told as well as what other stores, coordinators and processes write to
  /// the same file, and that another store has taken its place.
  /// - Throws: `StoreError.unsupported` for a store that is under construction or read from a copy.
  public func observeRemoteChanges(
    _ changed: @escaping @Sendable (RemoteStoreChange) -> Void
  ) throws -> any RemoteChangeObservation {
    if options.isUnderConstruction || (options.isReadOnly && options.leavesSidecarsAlone) {
      throw StoreError.unsupported(
        "\(path) cannot be watched for changes: "
          + (options.isUnderConstruction ? "it is under construction" : "it was opened without its sidecars"))
    }
    let watch = try StoreChangeWatch(path: path, changed: changed)
    watches.add(watch)
    return watch
  }
}

/// The watches of a store, which end with it.
final class StoreChangeWatches: Sendable {
  private struct Entry: Sendable {
    weak let watch: StoreChangeWatch?
  }

  private let entries = Mutex<[Entry]>([])

  func add(_ watch: StoreChangeWatch) {
    entries.withLock { entries in
      entries.removeAll { $0.watch == nil }
      entries.append(Entry(watch: watch))
    }
  }

  func cancel() {
    for watch in entries.withLock({ $0.compactMap(\.watch) }) { watch.cancel() }
  }
}
