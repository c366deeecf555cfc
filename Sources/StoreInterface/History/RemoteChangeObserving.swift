public import Foundation

/// The capability of a store to report that it was written to: by this process or another, through whatever has it
/// open.
public protocol RemoteChangeObserving: PersistentStore {
  /// Calls back after what is written from now on, until the observation is cancelled or released, or the store closed.
  ///
  /// Calls come one after the other, on a serial queue of the observation's own. Several writes that come close
  /// together may be reported by one call.
  /// - Throws: `StoreError` where the store cannot be observed.
  func observeRemoteChanges(
    _ changed: @escaping @Sendable (RemoteStoreChange) -> Void
  ) throws -> any RemoteChangeObservation
}

/// Observes a store until it is cancelled or released.
public protocol RemoteChangeObservation: AnyObject, Sendable {
  /// Ends it. A call that is under way may still come to its end.
  func cancel()
}

/// A write to a store.
public struct RemoteStoreChange: Sendable, Hashable {
  /// Where the store is; nil for one without a file.
  public var storeURL: URL?
  /// The store's UUID. It changes when another store takes the place of the file.
  public var storeUUID: String
  /// The place behind the last transaction that was reported; nil where the store keeps no history.
  public var historyToken: PersistentHistoryToken?

  /// A change of a store.
  public init(storeURL: URL?, storeUUID: String, historyToken: PersistentHistoryToken? = nil) {
    self.storeURL = storeURL
    self.storeUUID = storeUUID
    self.historyToken = historyToken
  }
}
