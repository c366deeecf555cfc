public import Foundation
import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Merges what another context saved, of the same coordinator or of another one with the same store.
  ///
  /// Changed objects are refreshed and keep what was changed here. Deleted objects count as deleted; their changes
  /// here, and relationships that were set here to lead to them, are lost. New objects exist as faults while the
  /// notifications are posted. Call it on this context's queue with a `didSaveObjectsNotification`, a
  /// `didSaveObjectIDsNotification`, or one that a program made with Core Data's keys (`NotificationKey`) of what a
  /// batch changed; others are ignored.
  public func mergeChanges(fromContextDidSave notification: Notification) {
    let told = notification.userInfo.flatMap { ContextChangeIDs(told: $0, coordinator) }
    guard let ids = notification.contextChangeIDs ?? told else { return }
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

  /// Merges what was saved elsewhere, told as URIs (`ObjectID.uriRepresentation()`), into contexts. URIs of entities
  /// that a model does not have are left out.
  public static func mergeChanges(
    fromRemoteContextSave inserted: [URL], updated: [URL], deleted: [URL], into contexts: [ManagedObjectContext]
  ) {
    for context in contexts {
      func ids(_ uris: [URL]) -> [ObjectID] {
        uris.compactMap { context.coordinator.managedObjectID(forURIRepresentation: $0) }
      }
      mergeChanges(
        fromRemoteContextSave: ContextChangeIDs(inserted: ids(inserted), updated: ids(updated), deleted: ids(deleted)),
        into: [context])
    }
  }

  /// Merges what was saved elsewhere, told by Core Data's keys (`NotificationKey`), such as
  /// `[ManagedObjectContext.NotificationKey.deletedObjectIDs: result.objectIDs]`: ids, objects or URIs in arrays or
  /// sets. Other keys are ignored.
  public static func mergeChanges(
    fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [ManagedObjectContext]
  ) {
    for context in contexts {
      guard let ids = ContextChangeIDs(told: changes, context.coordinator) else { continue }
      mergeChanges(fromRemoteContextSave: ids, into: [context])
    }
  }

  func mergeChanges(_ changes: ContextChangeIDs, isRemote: Bool = false) {
    checkConfinement()
    let isSilent = !isParentAtHand
    let wasMerging = merge.begin()
    defer { merge.end(wasUnderWay: wasMerging) }
    finishEvent(propagating: !isSilent && settings.propagatesDeletesAtEndOfEvent)
    adoptIDsOfParent()
    var changes = changes.localised(to: coordinator)
    if isSilent {
      let state = changes.states.first { $0.source === parent?.permanentIDs }
      merge.beginSilence(knowing: state?.renamed { permanentID(for: $0) })
    }
    let possible = changes.relationshipOwnerIDs == nil ? possibleOwners(changes) : []
    let changed = changes.updatedObjectIDs + (changes.relationshipOwnerIDs ?? possible.map(\.objectID))
    leaveGeneration()
    if isRemote { coordinator.snapshotCache.forget(changed + changes.insertedObjectIDs + changes.deletedObjectIDs) }
    var same: Set<ObjectID> = []
    if !isSilent && !possible.isEmpty {
      // Where the rows cannot be read, reloading says why.
      same = (try? ownersOfSameMembers(possible, changes)) ?? []
      same.subtract(changes.updatedObjectIDs.map { permanentID(for: $0) })
    }

    letGo(of: changes.deletedObjectIDs.map { permanentID(for: $0) })
    lose(changes.deletedObjectIDs.compactMap { registeredObject(for: permanentID(for: $0)) })
    noteDeletion(of: changes.deletedObjectIDs)
    do {
      try reload(changed.map { permanentID(for: $0) }, quietly: same)
    } catch {
      deferError(error)
    }
    let unknown = merge.endSilence()
    let arrived = faults(with: changes.insertedObjectIDs.map { permanentID(for: $0) })
    noteArrival(of: arrived.filter { $0.isUnloaded || $0.status == .loaded })
    changes.states = [parentState(of: changes)].compactMap(\.self)
    post(Self.didMergeChangesObjectIDsNotification, ids: changes)
    finishEvent(propagating: false)
    post(Self.mergeEndedNotification, nil)
    followers.merge(changes, except: nil)
    if let unknown, !unknown.isEmpty { askLater(unknown) }
  }

  /// Objects were deleted elsewhere: relationships that were set here to lead to them, and are not saved, lead nowhere
  /// now, as after a deletion here. Undo does not bring them back.
  private func letGo(of ids: [ObjectID]) {
    if ids.isEmpty { return }
    let gone = Set(ids)
    for object in pending.inserted + pending.maybeUpdated
    where object.status == .inserted || object.status == .loaded && !gone.contains(object.objectID) {
      for (index, destination) in object.destinations.enumerated() {
        guard let destination, gone.contains(destination), destination != object.stored?.toOne[index] else { continue }
        object.putDestination(nil, at: index)
        object.noteUpdate()
      }
    }
    for owner in pending.editedLists where !owner.isInert {
      for index in owner.memberLists.indices where owner.memberLists[index]?.isSetHere == true {
        for id in owner.loadedMembers(index) ?? [] where gone.contains(id) { owner.removeMember(id, at: index) }
      }
    }
    if parent != nil { letGoOfSaved(gone) }
  }

  /// Does the same for links that a child had saved to its parent before the parent lost the objects: the parent has
  /// dropped these links, so that the child reads the other sides anew.
  private func letGoOfSaved(_ gone: Set<ObjectID>) {
    for object in registry.all where object.status == .loaded && !gone.contains(object.objectID) {
      for index in object.memberLists.indices
      where object.hasChangedMembers(index) == false
        && object.loadedMembers(index)?.contains(where: gone.contains) == true
      {
        object.unloadMembers(index)
      }
      if !object.hasOwnChanges, object.destinations.contains(where: { $0.map(gone.contains) ?? false }) {
        noteRefresh(of: object)
        object.makeFault()
      }
    }
  }

  /// Asks the parent later for the state that a merge lacked of objects with changes here. Objects without changes have
  /// become faults.
  private func askLater(_ unknown: ParentStateRequest) {
    guard let parent else { return }
    parent.enqueueMerge { [weak self] in
      parent.tell(unknown) { [weak self] state in
        guard let self else { return }
        enqueueMerge { self.complete(unknown, state) }
      }
    }
  }

  private func complete(_ unknown: ParentStateRequest, _ state: ParentState) {
    finishEvent(propagating: false)
    adoptIDsOfParent()
    merge.beginSilence(knowing: state.renamed { permanentID(for: $0) })
    defer { merge.endSilence() }
    do {
      try reload(unknown.objectIDs.map { permanentID(for: $0) })
      for key in unknown.members {
        guard let owner = registeredObject(for: permanentID(for: key.owner)), !owner.isInert else { continue }
        try rebaseMembers(of: owner, key.relationship)
        noteRefresh(of: owner)
      }
    } catch {
      deferError(error)
    }
    finishEvent(propagating: false)
    var changes = ContextChangeIDs(
      updated: Array(unknown.objectIDs.union(unknown.members.map(\.owner))), relationshipOwners: [])
    changes.states = [parentState(of: changes)].compactMap(\.self)
    followers.merge(changes, except: nil)
  }

  /// The rows of loaded objects after a merge, and those objects that have none any more.
  private func newSnapshots(of loaded: [ManagedObject]) throws -> (
    snapshots: [ObjectID: Snapshot], lost: [ManagedObject]
  ) {
    guard let state = merge.silent?.state else {
      if merge.silent != nil { return ([:], []) }
      let snapshots = Dictionary(
        try snapshots(of: loaded.map(\.objectID)).map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
      return (snapshots, loaded.filter { snapshots[$0.objectID] == nil })
    }
    return (state.snapshots, loaded.filter { state.gone.contains($0.objectID) })
  }

  /// Refreshes an object whose row a merge that does not ask the parent has not got: it is loaded anew when it is next
  /// used, or, where it has changes, as soon as the parent has answered.
  private func refreshUnheard(_ object: ManagedObject) {
    if object.status == .deleted || object.isUpdated || object.hasEditedLists {
      merge.noteUnknown(object.objectID)
    } else {
      noteRefresh(of: object)
      object.makeFault()
    }
  }

  /// - Parameter same: the objects that count as refreshed only if their rows are newer than what is here.
  private func reload(_ ids: [ObjectID], quietly same: Set<ObjectID> = []) throws {
    var seen: Set<ObjectID> = []
    var loaded: [ManagedObject] = []
    for id in ids where seen.insert(id).inserted {
      guard let object = registeredObject(for: id) else { continue }
      switch object.status {
      case .fault:
        guard let snapshot = merge.silent?.state?.snapshots[id] else {
          object.setWaiting(nil)
          continue
        }
        if (object.storedVersion ?? -1) < snapshot.version { object.setWaiting(snapshot) }
      case .loaded: loaded.append(object)
      // It gets the saved row, so that undoing the deletion shows it and saving the deletion is no conflict.
      case .deleted where object.stored != nil: loaded.append(object)
      default: break
      }
    }
    if loaded.isEmpty { return }
    let (snapshots, lost) = try newSnapshots(of: loaded)
    merge.beginRefresh(to: snapshots)
    defer { merge.endRefresh() }
    lose(lost)
    var unpropagated = Set(pending.unpropagatedDeletes + pending.deletesToRepeat)
    for object in loaded where !object.isInert {
      guard let snapshot = snapshots[object.objectID] else {
        refreshUnheard(object)
        continue
      }
      let isSame = same.contains(object.objectID) && object.storedVersion == snapshot.version
      // A snapshot read after the notification is at least as new.
      if merge.silent == nil || (object.storedVersion ?? 0) < snapshot.version {
        try rebase(object, onto: snapshot)
      } else {
        for index in object.memberLists.indices { try rebaseMembers(of: object, index) }
      }
      if object.status == .deleted {
        // Objects elsewhere may have been linked to it: delete rules apply to them too.
        if unpropagated.insert(object).inserted {
          if merge.silent == nil { pending.propagateLater(object) } else { pending.propagateAtSave(object) }
        }
        continue
      }
      if isSame { continue }
      noteRefresh(of: object)
      if object.runtime.hasSubclass { object.awake(fromSnapshotEvents: .refresh) }
    }
  }
}

extension ContextChangeIDs {
  /// Changes told by Core Data's keys; nil where none of the keys is there.
  fileprivate init?(told changes: [AnyHashable: Any], _ coordinator: PersistentStoreCoordinator) {
    typealias Key = ManagedObjectContext.NotificationKey
    func value(_ key: Key) -> Any? { changes[AnyHashable(key)] ?? changes[AnyHashable(key.rawValue)] }
    if let ids = changes[AnyHashable(Notification.changeIDsKey)] as? ContextChangeIDs {
      self = ids
      return
    }
    let keys: [Key] = [
      .insertedObjects, .updatedObjects, .deletedObjects, .insertedObjectIDs, .updatedObjectIDs, .deletedObjectIDs,
    ]
    if keys.allSatisfy({ value($0) == nil }) { return nil }
    func ids(_ keys: Key...) -> [ObjectID] {
      keys.flatMap { key in value(key).map { Self.ids($0, as: key, coordinator) } ?? [] }
    }
    self.init(
      inserted: ids(.insertedObjectIDs, .insertedObjects), updated: ids(.updatedObjectIDs, .updatedObjects),
      deleted: ids(.deletedObjectIDs, .deletedObjects))
  }

  private static func ids(
    _ value: Any, as key: ManagedObjectContext.NotificationKey, _ coordinator: PersistentStoreCoordinator
  ) -> [ObjectID] {
    let elements = value as? [Any] ?? (value as? Set<AnyHashable>).map { $0.map(\.base) }
    guard let elements else {
      preconditionFailure("\(key.rawValue) has a \(type(of: value)), not a list of object ids")
    }
    return elements.compactMap { element in
      switch element {
      case let id as ObjectID: return id
      case let object as ManagedObject: return object.objectID
      case let uri as URL: return coordinator.managedObjectID(forURIRepresentation: uri)
      // Anything but ids is a mistake of the program; Core Data raises an exception.
      default: preconditionFailure("\(key.rawValue) has a \(type(of: element)), which is no object id")
      }
    }
  }
}
