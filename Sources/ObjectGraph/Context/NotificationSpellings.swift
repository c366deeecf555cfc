// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// Core Data's names of the notifications of contexts.
extension Notification.Name {
  /// `ManagedObjectContext.willSaveObjectsNotification`
  public static let ManagedObjectContextWillSave = ManagedObjectContext.willSaveObjectsNotification
  /// `ManagedObjectContext.didSaveObjectsNotification`
  public static let ManagedObjectContextDidSave = ManagedObjectContext.didSaveObjectsNotification
  /// `ManagedObjectContext.didChangeObjectsNotification`
  public static let ManagedObjectContextObjectsDidChange = ManagedObjectContext.didChangeObjectsNotification
  /// `ManagedObjectContext.didSaveObjectIDsNotification`
  public static let ManagedObjectContextDidSaveObjectIDs = ManagedObjectContext.didSaveObjectIDsNotification
  /// `ManagedObjectContext.didMergeChangesObjectIDsNotification`
  public static let ManagedObjectContextDidMergeChangesObjectIDs =
    ManagedObjectContext.didMergeChangesObjectIDsNotification
  /// `PersistentStoreCoordinator.remoteChangeNotification`
  public static let PersistentStoreRemoteChange = PersistentStoreCoordinator.remoteChangeNotification
  /// `PersistentStoreCoordinator.storesWillChangeNotification`
  public static let PersistentStoreCoordinatorStoresWillChange = PersistentStoreCoordinator.storesWillChangeNotification
  /// `PersistentStoreCoordinator.storesDidChangeNotification`
  public static let PersistentStoreCoordinatorStoresDidChange = PersistentStoreCoordinator.storesDidChangeNotification
}

/// New objects of a notification: `userInfo?[InsertedObjectsKey] as? Set<ManagedObject>`.
public let InsertedObjectsKey = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
/// Changed objects of a notification.
public let UpdatedObjectsKey = ManagedObjectContext.NotificationKey.updatedObjects.rawValue
/// Deleted objects of a notification.
public let DeletedObjectsKey = ManagedObjectContext.NotificationKey.deletedObjects.rawValue
/// Objects of a notification that were refreshed.
public let RefreshedObjectsKey = ManagedObjectContext.NotificationKey.refreshedObjects.rawValue
/// Whether a reset took all objects away: an empty set, and nil otherwise.
public let InvalidatedAllObjectsKey = ManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue
/// Ids of new objects of a notification: `userInfo?[InsertedObjectIDsKey] as? Set<ManagedObjectID>`.
public let InsertedObjectIDsKey = ManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
/// Ids of changed objects of a notification.
public let UpdatedObjectIDsKey = ManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue
/// Ids of deleted objects of a notification.
public let DeletedObjectIDsKey = ManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue

/// The token of a remote change: `userInfo?[PersistentHistoryTokenKey] as? PersistentHistoryToken`.
public let PersistentHistoryTokenKey = PersistentStoreCoordinator.NotificationKey.historyToken.rawValue
/// The URL of the store of a remote change.
public let PersistentStoreURLKey = PersistentStoreCoordinator.NotificationKey.storeURL.rawValue
/// The stores that were added.
public let AddedPersistentStoresKey = PersistentStoreCoordinator.NotificationKey.addedStores.rawValue
/// The stores that were taken away.
public let RemovedPersistentStoresKey = PersistentStoreCoordinator.NotificationKey.removedStores.rawValue

extension Dictionary where Key == AnyHashable, Value == Any {
  /// What a context's notification tells under a key of its `userInfo`: a set of objects, to be used on the context's
  /// queue, or of ids; nil for an empty one, but for `invalidatedAllObjects`, whose set is always empty. The set is
  /// made when it is asked for, so that a dictionary that was cast to another type does not have it.
  public subscript(key: ManagedObjectContext.NotificationKey) -> Any? {
    if let told = self[AnyHashable(key)] ?? self[AnyHashable(key.rawValue)] { return told }
    let changes = self[Notification.changesKey] as? ContextChanges
    let ids = self[Notification.changeIDsKey] as? ContextChangeIDs
    func filled<Element>(_ set: Set<Element>?) -> Any? { set.flatMap { $0.isEmpty ? nil : $0 } }
    switch key {
    case .insertedObjects: return filled(changes?.insertedObjects)
    case .updatedObjects: return filled(changes?.updatedObjects)
    case .deletedObjects: return filled(changes?.deletedObjects)
    case .refreshedObjects: return filled(changes?.refreshedObjects)
    case .invalidatedAllObjects: return changes.flatMap { $0.invalidatedCount > 0 ? Set<ManagedObject>() : nil }
    case .insertedObjectIDs: return filled(ids.map { Set($0.insertedObjectIDs) })
    case .updatedObjectIDs: return filled(ids.map { Set($0.updatedObjectIDs) })
    case .deletedObjectIDs: return filled(ids.map { Set($0.deletedObjectIDs) })
    }
  }

  /// What is there under a text; of a context's notification also what the `NotificationKey` of that text finds.
  public subscript(key: String) -> Any? {
    get {
      if let told = self[AnyHashable(key)] { return told }
      return ManagedObjectContext.NotificationKey(rawValue: key).flatMap { self[$0] }
    }
    set { self[AnyHashable(key)] = newValue }
  }
}
