import ObjectModel
import Predicates
import StoreInterface

extension ManagedObjectContext {
  /// Forgets what is loaded of an object; the next access loads it anew, from the row cache where `stalenessInterval`
  /// allows it. Does nothing for deleted objects.
  ///
  /// With `mergeChanges` it is loaded at once and keeps what was changed here: attributes, to-one relationships, and
  /// what came to or left to-many relationships. Without it the changes are lost; the other sides of changed
  /// relationships are not refreshed, which is the caller's to do.
  ///
  /// A new object has nothing to be loaded from. With `mergeChanges` it stays as it is. Without it the object becomes a
  /// fault, still to be inserted: when it is next used it has the values that it was inserted with, before
  /// `awakeFromInsert`, and is linked to nothing, at both sides; a save validates and writes it so. Undo brings back
  /// what it was.
  ///
  /// When the store fails, the object stays as it is, and the next fetch or save throws the store's error.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    deferringErrors { try reload(object, mergeChanges: mergeChanges) }
  }

  private func deferringErrors(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      if deferredError == nil { deferError(error) }
    }
  }

  /// As `refresh(_:mergeChanges:)`.
  /// - Throws: what the store throws.
  func reload(_ object: ManagedObject, mergeChanges: Bool) throws {
    checkConfinement()
    // A fault may have its row at hand.
    if object.isUnloaded { object.setWaiting(nil) }
    if object.isInserted && !mergeChanges {
      if object.isInEvent { finishEvent(propagating: settings.propagatesDeletesAtEndOfEvent) }
      guard object.isInserted else { return }
      event.noteRefresh(of: object)
      return try object.empty()
    }
    guard object.status == .loaded else { return }
    // Pending changes and values from the store are two events, so that undo takes back only the changes.
    if object.isInEvent { finishEvent(propagating: settings.propagatesDeletesAtEndOfEvent) }
    guard object.status == .loaded else { return }
    event.noteRefresh(of: object)
    if !mergeChanges {
      forgetChanges(of: object)
      object.makeFault()
      return
    }
    adoptIDsOfParent()
    guard let snapshot = try snapshot(of: object.objectID) else {
      lose(object)
      return
    }
    try rebase(object, onto: snapshot)
    object.awake(fromSnapshotEvents: .refresh)
  }

  /// Refreshes every object: those without changes become faults, those with changes are loaded anew and keep them. New
  /// and deleted objects and references between objects stay. When the store fails, the next fetch or save throws its
  /// error.
  public func refreshAllObjects() {
    checkConfinement()
    deferringErrors { try reloadAllObjects() }
  }

  private func reloadAllObjects() throws {
    for object in registry.all where !object.isInserted {
      let hasChanges = object.hasOwnChanges || object.hasEditedLists
      try reload(object, mergeChanges: hasChanges)
    }
  }

  /// Takes back every change since the last save, and forgets what could be undone: new objects are forgotten, changed
  /// and deleted ones are what they were when they were last fetched or saved.
  public func rollback() {
    checkConfinement()
    let discarded = pending.inserted
    pending.forgetPropagation()
    for object in discarded {
      unregister(object.objectID)
      object.makeInert(.detached)
    }
    var restored: [ManagedObject] = []
    var seen: Set<ManagedObject> = []
    for object in pending.maybeUpdated + pending.deleted + pending.editedLists
    where object.status == .loaded || object.status == .deleted {
      guard seen.insert(object).inserted, let stored = object.stored else { continue }
      object.load(stored)
      restored.append(object)
    }
    pending.removeAll()
    abandonEvent()
    undoManager?.removeAllActions(withTarget: self)
    event.noteLoss(of: discarded)
    event.noteRefresh(of: restored)
    for object in restored { object.awake(fromSnapshotEvents: .rollback) }
    finishEvent(propagating: false)
  }

  /// Forgets every object, every change and what could be undone; the objects must not be used any more.
  public func reset() {
    checkConfinement()
    pending.inserted.forEach { $0.makeInert(.detached) }
    let count = registry.all.count
    forgetRegistry()
    leaveGeneration()
    pending.removeAll()
    pending.forgetPropagation()
    keep(prefetched: [])
    retainedParents = [:]
    forgetDeferredError()
    abandonEvent()
    undoManager?.removeAllActions(withTarget: self)
    event.noteReset(of: count)
    finishEvent(propagating: false)
  }

  /// Looks for rows that were changed in the store since this object was read, without saving: a conflict there is
  /// resolved by the merge policy, as a save would. The next fetch or save throws what goes wrong: `SaveConflictError`
  /// under the error policy, what a custom policy throws, what the store throws.
  ///
  /// Of an object without changes the next save that writes something finds out whether others changed or deleted its
  /// row, before the call or after it: a conflict, in which all policies but `error` let the object have the row. A
  /// fault is loaded for it. Does nothing in a child context, and for new objects.
  public func detectConflicts(for object: ManagedObject) {
    do {
      try findConflicts(for: object)
    } catch {
      if deferredError == nil { deferError(error) }
    }
  }

  private func findConflicts(for object: ManagedObject) throws {
    checkConfinement()
    if parent != nil { return }
    object.fire()
    if object.status == .loaded && !object.isUpdated { return pending.watch(object) }
    guard object.status == .loaded || object.status == .deleted, let stored = object.stored else { return }
    try readingNewest {
      let version = try freshSnapshots(of: [object.objectID])[object.objectID]?.version
      if version == stored.version { return }
      try resolveLockingConflicts([(object.objectID, stored.version, version)])
    }
  }

  // MARK: -

  /// Gives an object a newer row: properties without changes here take the row's values, changed ones stay.
  func rebase(_ object: ManagedObject, onto snapshot: Snapshot) throws {
    guard let old = object.stored else { return }
    ownersMayDiffer()
    for index in object.memberLists.indices { try rebaseMembers(of: object, index) }
    for (index, value) in object.values.enumerated() where value.isIdentical(to: old.attributes[index]) {
      object.putValue(snapshot.attributes[index], at: index)
    }
    var followed: [(index: Int, others: [ObjectID?])] = []
    var contested: [(index: Int, owner: ObjectID)] = []
    for (index, destination) in object.destinations.enumerated() where snapshot.toOne[index] != old.toOne[index] {
      if destination == old.toOne[index] {
        object.putDestination(snapshot.toOne[index], at: index)
        followed.append((index, [destination, snapshot.toOne[index]]))
      } else if let owner = snapshot.toOne[index], owner != destination {
        contested.append((index, owner))
      }
    }
    object.setStored(snapshot)
    for (index, others) in followed {
      for other in others { try refreshOtherSide(other, object, index) }
    }
    // Another save gave the object an owner that it does not have here.
    for (index, owner) in contested { try leave(owner, object, index) }
  }

  /// Gives a loaded to-many relationship the members that the store has now, with the changes made here. One without
  /// changes is loaded when it is next asked for.
  /// - Parameter storedOrderWins: whether the store's order wins where both sides arranged the members.
  func rebaseMembers(of object: ManagedObject, _ index: Int, storedOrderWins: Bool = false) throws {
    guard object.isLoaded(index) else { return }
    if object.hasChangedMembers(index) == false {
      object.unloadMembers(index)
    } else {
      guard let fresh = try newMembers(of: object, index) else { return }
      object.rebaseMembers(onto: fresh, version: versionOfLastAnswer, at: index, storedOrderWins: storedOrderWins)
    }
  }

  /// The members that the store has now; nil where a merge that does not ask the parent has no newer ones.
  private func newMembers(of object: ManagedObject, _ index: Int) throws -> [ObjectID]? {
    guard let silent = merge.silent else { return try storedMembers(of: object, index) }
    let key = MemberKey(owner: object.objectID, relationship: index)
    guard let members = silent.state?.members[key], let state = silent.state else {
      merge.noteUnknown(key)
      return nil
    }
    // The list is at least as new as the shared state.
    if object.memberLists[index].map({ $0.version >= state.version }) == true { return nil }
    return members
  }

  /// The object's row is gone: it counts as deleted, and nothing of it is saved.
  func lose(_ object: ManagedObject) { lose([object]) }

  func lose(_ objects: [ManagedObject]) {
    // A row that the coordinator keeps would bring the object back.
    if parent == nil, !objects.isEmpty { coordinator.snapshotCache.forget(objects.map(\.objectID)) }
    forgetChanges(of: objects)
    let wereDeleted = objects.contains { $0.status == .deleted }
    forgetMembers(objects)
    for object in objects {
      unregister(object.objectID)
      pending.noteLoss(of: object.objectID)
      object.makeInert(.gone)
    }
    if wereDeleted { pending.dropFormerDeletions() }
    event.noteLoss(of: objects)
  }

  func forgetChanges(of object: ManagedObject) { forgetChanges(of: [object]) }

  func forgetChanges(of objects: [ManagedObject]) {
    ownersMayDiffer()
    pending.forgetUpdates(of: objects)
  }

  /// Gives objects other ids, wherever they are mentioned.
  func replaceIDs(_ ids: [ObjectID: ObjectID]) {
    if ids.isEmpty { return }
    pending.indexOwners(in: self)
    for object in objectsMentioning(ids) {
      if let id = ids[object.objectID] {
        unregister(object.objectID)
        object.adopt(id)
        register(object)
      }
      object.replaceIDs(ids)
    }
    pending.replaceIDs(ids)
    noteIDChanges(ids)
    post(Self.objectIDsChangedNotification, nil)
  }

  /// The objects of these ids and those that may mention them: the other sides of their relationships. Rows of a parent
  /// mention objects that are not loaded here, and relationships without inverse are known at one side only.
  private func objectsMentioning(_ ids: [ObjectID: ObjectID]) -> [ManagedObject] {
    if parent != nil || coordinator.hasInverselessRelationships { return registry.all }
    let renamed = ids.keys.compactMap { registeredObject(for: $0) }
    var seen: Set<ManagedObject> = Set(renamed)
    return renamed
      + renamed.flatMap(\.mentionedIDs).compactMap { registeredObject(for: $0) }.filter { seen.insert($0).inserted }
  }
}
