public import Foundation
import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Merges what another context saved, of the same coordinator or of another one with the same store: changed objects
  /// are refreshed and keep what was changed here, deleted ones count as deleted (with what was changed of them here
  /// lost), new ones are there as faults while the notifications are posted. Call it on this context's queue with a
  /// `didSaveObjectsNotification` or a `didSaveObjectIDsNotification`; others are ignored.
  public func mergeChanges(fromContextDidSave notification: Notification) {
    guard let ids = notification.contextChangeIDs else { return }
    let saver = notification.object as? ManagedObjectContext
    mergeChanges(ids, isRemote: saver?.coordinator !== coordinator)
  }

  /// Merges what was saved elsewhere, possibly in another process, into contexts, each on its own queue; returns when
  /// all have it. Rows that their coordinators keep in memory are forgotten.
  public static func mergeChanges(
    fromRemoteContextSave changes: ContextChangeIDs, into contexts: [ManagedObjectContext]
  ) {
    for context in contexts { context.performAndWait { context.mergeChanges(changes, isRemote: true) } }
  }

  /// Merges what was saved elsewhere, told as URIs (`ObjectID.uriRepresentation`), into contexts. URIs of entities that
  /// a model does not have are left out.
  public static func mergeChanges(
    fromRemoteContextSave inserted: [URL], updated: [URL], deleted: [URL], into contexts: [ManagedObjectContext]
  ) {
    for context in contexts {
      func ids(_ uris: [URL]) -> [ObjectID] {
        uris.compactMap { context.coordinator.objectID(forURIRepresentation: $0) }
      }
      mergeChanges(
        fromRemoteContextSave: ContextChangeIDs(inserted: ids(inserted), updated: ids(updated), deleted: ids(deleted)),
        into: [context])
    }
  }

  func mergeChanges(_ changes: ContextChangeIDs, isRemote: Bool = false) {
    checkConfinement()
    finishEvent(propagating: settings.propagatesDeletesAtEndOfEvent)
    takeIDChangesOfParent()
    let changes = changes.localised(to: coordinator)
    let changed = changes.updatedObjectIDs + (changes.relationshipOwnerIDs ?? possibleOwners(changes))
    if isRemote { coordinator.rowCache.forget(changed + changes.insertedObjectIDs + changes.deletedObjectIDs) }

    lose(changes.deletedObjectIDs.compactMap { registeredObject(with: permanentID(for: $0)) })
    noteDeletion(of: changes.deletedObjectIDs)
    do {
      try refresh(changed.map { permanentID(for: $0) })
    } catch {
      deferredError = error
    }
    let arrived = faults(with: changes.insertedObjectIDs.map { permanentID(for: $0) })
    event.merged += arrived.filter { $0.isFault || $0.status == .loaded }
    post(Self.didMergeChangesObjectIDsNotification, ids: changes)
    finishEvent(propagating: false)
    followers.merge(changes, except: nil)
  }

  private func refresh(_ ids: [ObjectID]) throws {
    var seen: Set<ObjectID> = []
    var loaded: [ManagedObject] = []
    for id in ids where seen.insert(id).inserted {
      guard let object = registeredObject(with: id) else { continue }
      switch object.status {
      case .fault: object.stored = nil
      case .loaded: loaded.append(object)
      // Should it come back, it is what others saved; and its deletion is no conflict with that.
      case .deleted where object.stored != nil: loaded.append(object)
      default: break
      }
    }
    if loaded.isEmpty { return }
    let rows = Dictionary(
      try self.rows(of: loaded.map(\.objectID)).map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    mergedRows = rows
    mergedLists = []
    defer {
      mergedRows = nil
      mergedLists = nil
    }
    lose(loaded.filter { rows[$0.objectID] == nil })
    var pending = Set(pendingDeletes)
    for object in loaded {
      guard let row = rows[object.objectID] else { continue }
      try rebase(object, onto: row)
      if object.status == .deleted {
        // Others may have linked to it: the rules are for them too.
        if pending.insert(object).inserted { pendingDeletes.append(object) }
        continue
      }
      event.refreshed.append(object)
      if object.runtime.hasSubclass { object.awake(fromSnapshotEvents: .refresh) }
    }
  }

  /// The objects with a loaded to-many relationship that may lead to something that changed, where whoever saved does not
  /// say which have other members now.
  private func possibleOwners(_ changes: ContextChangeIDs) -> [ObjectID] {
    let changed = changes.insertedObjectIDs + changes.updatedObjectIDs + changes.deletedObjectIDs
    let roots = Set(changed.map { $0.entity.root.index })
    return registeredObjects.filter { object in
      (object.status == .loaded || object.status == .deleted)
        && object.memberLists.indices.contains { index in
          object.memberLists[index] != nil
            && roots.contains(object.runtime.layout.relationships[index].destination.root.index)
        }
    }.map(\.objectID)
  }
}
