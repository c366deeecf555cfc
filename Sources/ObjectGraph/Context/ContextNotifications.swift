public import Foundation

extension ManagedObjectContext {
  /// Posted on the context's queue before a save with changes validates and writes. What observers change is saved too.
  public static let willSaveObjectsNotification = Notification.Name("seedbed.context.willSaveObjects")
  /// Posted on the context's queue after a save: `contextChanges` has the objects, `contextChangeIDs` their ids.
  public static let didSaveObjectsNotification = Notification.Name("seedbed.context.didSaveObjects")
  /// Posted on the context's queue when changes were processed: `contextChanges` has the objects.
  public static let didChangeObjectsNotification = Notification.Name("seedbed.context.didChangeObjects")
  /// Posted after a save with nothing but ids, which may be handed to any queue: `contextChangeIDs`.
  public static let didSaveObjectIDsNotification = Notification.Name("seedbed.context.didSaveObjectIDs")
  /// Posted on the context's queue when it has merged what another context saved: `contextChangeIDs`.
  public static let didMergeChangesObjectIDsNotification = Notification.Name("seedbed.context.didMergeChangesObjectIDs")

  /// The keys of the sets of objects or ids in a notification's `userInfo`, with Core Data's texts.
  /// `mergeChanges(fromRemoteContextSave:into:)` takes a dictionary with the same keys.
  public enum NotificationKey: String, Sendable, CaseIterable {
    case insertedObjects = "inserted"
    case updatedObjects = "updated"
    case deletedObjects = "deleted"
    case refreshedObjects = "refreshed"
    case invalidatedAllObjects = "invalidatedAll"
    case insertedObjectIDs = "inserted_objectIDs"
    case updatedObjectIDs = "updated_objectIDs"
    case deletedObjectIDs = "deleted_objectIDs"
  }

  /// Posted on the context's queue when a merge has been processed.
  static let mergeEndedNotification = Notification.Name("seedbed.context.mergeEnded")
  /// Posted on the context's queue when temporary ids became permanent.
  static let objectIDsChangedNotification = Notification.Name("seedbed.context.objectIDsChanged")

  func post(_ name: Notification.Name, _ changes: ContextChanges?) {
    var information: [AnyHashable: Any] = [:]
    if let changes {
      information[Notification.changesKey] = changes
      information[Notification.changeIDsKey] = changes.ids
    }
    NotificationCenter.default.post(name: name, object: self, userInfo: information)
  }

  func post(_ name: Notification.Name, ids: ContextChangeIDs) {
    NotificationCenter.default.post(name: name, object: self, userInfo: [Notification.changeIDsKey: ids])
  }
}

extension Notification {
  static let changesKey = "seedbed.changes"
  static let changeIDsKey = "seedbed.changeIDs"

  /// A notification of a save that was made elsewhere.
  init(contextChangeIDs ids: ContextChangeIDs) {
    self.init(
      name: ManagedObjectContext.didSaveObjectIDsNotification, object: nil, userInfo: [Self.changeIDsKey: ids])
  }

  /// The objects that a notification of a context tells of, to be used on the context's queue.
  public var contextChanges: ContextChanges? { userInfo?[Self.changesKey] as? ContextChanges }
  /// The ids of what a notification of a context tells of.
  public var contextChangeIDs: ContextChangeIDs? { userInfo?[Self.changeIDsKey] as? ContextChangeIDs }
}
