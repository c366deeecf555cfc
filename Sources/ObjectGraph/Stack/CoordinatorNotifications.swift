public import Foundation
public import StoreInterface

extension PersistentStoreCoordinator {
  /// Posted before a store is added or taken away, on the thread that does it: `persistentStoreChanges` tells which.
  /// One that is to be taken away can still be asked.
  public static let storesWillChangeNotification = Notification.Name("seedbed.coordinator.storesWillChange")
  /// Posted after a store was added or taken away, on the thread that did it: `persistentStoreChanges` tells which. One
  /// that was taken away is closed.
  public static let storesDidChangeNotification = Notification.Name("seedbed.coordinator.storesDidChange")
  /// Posted after every write to a store that was added with `postsRemoteChanges`, those of this coordinator included,
  /// on a serial queue of the store's: `remoteStoreChange` tells which. Writes that come close together may be told by
  /// one notification, whose token stands behind the last of them.
  public static let remoteChangeNotification = Notification.Name("seedbed.coordinator.remoteChange")

  /// The keys of what the coordinator's notifications have in `userInfo`, with Core Data's texts.
  public enum NotificationKey: String, Sendable, CaseIterable {
    /// An array of the stores that are added.
    case addedStores = "added"
    /// An array of the stores that are taken away.
    case removedStores = "removed"
    /// The URL of the store that was written to.
    case storeURL = "storeURL"
    /// Its UUID, a `String`.
    case storeUUID = "NSStoreUUID"
    /// A `PersistentHistoryToken` behind what was written, where the store keeps a history.
    case historyToken = "historyToken"
  }

  func post(_ name: Notification.Name, _ changes: PersistentStoreChanges) {
    let stores = [
      NotificationKey.addedStores.rawValue: changes.addedStores,
      NotificationKey.removedStores.rawValue: changes.removedStores,
    ]
    NotificationCenter.default.post(name: name, object: self, userInfo: stores.filter { !$0.value.isEmpty })
  }

  /// Posts a notification after every write to the store.
  /// - Throws: `StoreError.unsupported` for a store that cannot be observed.
  func observeRemoteChanges(of store: any PersistentStore, url: URL?) throws -> any RemoteChangeObservation {
    guard let observed = store as? any RemoteChangeObserving else {
      throw StoreError.unsupported(
        "\((url ?? store.url)?.path ?? "the store \(store.identifier)") cannot be watched for changes: stores of its type tell "
          + "of none (postsRemoteChanges)")
    }
    return try observed.observeRemoteChanges { [weak self] change in
      guard let self else { return }
      var information: [AnyHashable: Any] = [NotificationKey.storeUUID.rawValue: change.storeUUID]
      if let url = url ?? change.storeURL { information[NotificationKey.storeURL.rawValue] = url }
      if let token = change.historyToken { information[NotificationKey.historyToken.rawValue] = token }
      NotificationCenter.default.post(name: Self.remoteChangeNotification, object: self, userInfo: information)
    }
  }
}

/// The stores that a coordinator gets or loses.
public struct PersistentStoreChanges: Sendable {
  /// Those that it gets.
  public var addedStores: [any PersistentStore] = []
  /// Those that it loses.
  public var removedStores: [any PersistentStore] = []

  init(addedStores: [any PersistentStore] = [], removedStores: [any PersistentStore] = []) {
    self.addedStores = addedStores
    self.removedStores = removedStores
  }
}

extension Notification {
  private typealias Key = PersistentStoreCoordinator.NotificationKey

  /// The stores that a notification of a coordinator tells of; nil for other notifications.
  public var persistentStoreChanges: PersistentStoreChanges? {
    func stores(_ key: Key) -> [any PersistentStore]? { userInfo?[key.rawValue] as? [any PersistentStore] }
    let added = stores(.addedStores)
    let removed = stores(.removedStores)
    if added == nil && removed == nil { return nil }
    return PersistentStoreChanges(addedStores: added ?? [], removedStores: removed ?? [])
  }

  /// The write that a `PersistentStoreCoordinator.remoteChangeNotification` tells of; nil for other notifications.
  public var remoteStoreChange: RemoteStoreChange? {
    guard let identifier = userInfo?[Key.storeUUID.rawValue] as? String else { return nil }
    return RemoteStoreChange(
      storeURL: userInfo?[Key.storeURL.rawValue] as? URL, storeUUID: identifier,
      historyToken: userInfo?[Key.historyToken.rawValue] as? PersistentHistoryToken)
  }
}
