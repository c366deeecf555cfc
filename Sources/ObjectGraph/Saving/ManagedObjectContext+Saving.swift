import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Writes all changes to the store in one transaction, or takes them into the parent context's objects. After an
  /// error nothing is written, the context is as it was (but for what `willSave` and a merge policy changed), and it
  /// can be saved again.
  ///
  /// An object counts as changed when an attribute or to-one relationship differs from the store, or a to-many
  /// relationship has other members or, where it counts, another order, whichever side was set. Objects without such a
  /// change are not written and keep their version.
  ///
  /// In this order: changes are processed; `willSaveObjectsNotification`; `willSave` of every object that is written or
  /// deleted; validation of all of them; the write. `willSave` and validation repeat until they change nothing. When
  /// rows were changed elsewhere since they were read, or a uniqueness constraint would be broken, the `mergePolicy` is
  /// asked, and the save starts over from the validation. After the write: `didSave` of every object,
  /// `didSaveObjectsNotification`, `didSaveObjectIDsNotification`.
  /// - Throws: `ValidationError` with the problems of all objects, or the `NSError`, `CocoaError` or `BridgedError`
  ///   that is the only one and that a class threw; `SaveConflictError` when the merge policy does not resolve the
  ///   conflicts, `StoreError`, `ContextError`.
  public func save() throws {
    try save { write in try write() }
  }

  /// As `save()`, for saves of several contexts that take turns: what comes before and after the write, validation
  /// most of all, can be done while another context writes.
  /// - Parameter turn: called for each attempt to write, in which permanent ids are reserved too. It calls its argument
  ///   once and hands on the error of that, or throws instead.
  package func save(inTurn turn: (_ write: () throws -> Void) throws -> Void) throws {
    checkConfinement()
    try saves.begin()
    defer { saves.end() }
    try throwDeferredError()
    if parent == nil { try coordinator.requireNoSaveObstacle() }
    adoptIDsOfParent()
    pending.beginSave()
    finishEvent(propagating: true)
    try throwDeferredError()
    try stateOrdersOfMembers()
    if !hasChanges { return pending.giveUpKept() }
    post(Self.willSaveObjectsNotification, nil)
    finishEvent(propagating: true)
    var announced: [ManagedObject: ObjectState] = [:]
    try announceSave(&announced)
    let greatestRounds = 100
    var unexplained = 0
    for _ in 0..<greatestRounds {
      let objects = try validate(&announced)
      if !hasChanges { return pending.removeAll() }
      var plan = SavePlan(self, objects)
      try throwDeferredError()
      do {
        try turn {
          try plan.finish()
          try throwDeferredError()
          try write(plan)
        }
      } catch StoreError.optimisticLockingFailure(let stale) {
        try readingNewest { try resolveLockingConflicts(stale) }
        continue
      } catch let error as StoreError {
        guard case .constraintConflict = error else { throw error }
        if try readingNewest({ try resolveConstraintConflicts(plan) }) { continue }
        // Another save may have removed the conflicting values meanwhile, or the store has a constraint that the model
        // lacks.
        unexplained += 1
        if unexplained > 2 { throw error }
        continue
      }
      return commit(plan)
    }
    throw ContextError.endlessConflicts(rounds: greatestRounds)
  }

  private func write(_ plan: SavePlan) throws {
    guard let parent else { return try coordinator.save(plan.request, caches: settings.stalenessInterval != 0) }
    let changes = plan.childSave
    let changed =
      plan.request.updatedIDs + pending.editedLists.map(\.objectID) + pending.memberChanges.owners
    let (found, state) = try ask(parent) { (try parent.absorb(changes), parent.parentState(of: changed)) }
    _ = retain(found)
    saves.noteParent(state)
  }

  /// Calls `willSave` of every object that the save concerns, and again of those that changed since, until nothing
  /// does.
  /// - Parameter announced: the state of each object when its hook was last called.
  func announceSave(_ announced: inout [ManagedObject: ObjectState]) throws {
    let greatestRounds = 1000
    for _ in 0..<greatestRounds {
      propagateDeletes()
      noteOwners()
      // Only subclasses can override `willSave`.
      let changed =
        pending.inserted.filter { $0.runtime.hasSubclass && $0.isInserted }
        + pending.maybeUpdated.filter { $0.runtime.hasSubclass && $0.isUpdated }
        + pending.deleted.filter { $0.runtime.hasSubclass }
      let fresh = changed.filter { object in announced[object].map { !object.state.isSame(as: $0) } ?? true }
      if fresh.isEmpty { return }
      for object in fresh { announced[object] = saves.announce(object) }
    }
    throw ContextError.endlessWillSave(rounds: greatestRounds)
  }

  private func commit(_ plan: SavePlan) {
    saves.noteCommit()
    if parent == nil { advanceGeneration() }
    let isAnyIDWanted = !pending.editedLists.isEmpty || self.permanentIDs.isKept || undoManager != nil
    let permanentIDs = isAnyIDWanted ? plan.permanentIDs : [:]
    let isAnyIDNew = plan.objects.inserted.indices.contains {
      plan.objects.inserted[$0].objectID != plan.request.inserted[$0].objectID
    }
    let insertedIDs = plan.request.insertedIDs
    if isAnyIDNew { replaceIDs(of: plan.objects.inserted, with: insertedIDs) }
    becomeSaved(plan.objects.inserted, plan.request.inserted, isChange: false)
    becomeSaved(plan.objects.updated, plan.request.updated, isChange: parent == nil)
    let memberChanges = pending.memberChanges
    let owners = pending.editedLists.map(\.objectID)
    for object in pending.editedLists where object.status == .loaded {
      object.commitMembers(permanentIDs)
    }
    for object in plan.objects.deleted {
      unregister(object.objectID)
      object.makeInert(.gone)
    }
    noteIDChanges(permanentIDs)
    noteDeletion(of: plan.request.deletedIDs)
    pending.removeAll()
    pending.checkInvariants()
    for object in plan.objects.inserted where object.runtime.hasSubclass { object.didSave() }
    for object in plan.objects.updated where object.runtime.hasSubclass { object.didSave() }
    for object in plan.objects.deleted where object.runtime.hasSubclass { object.didSave() }
    if isAnyIDNew { post(Self.objectIDsChangedNotification, nil) }
    announce(plan, insertedIDs, relationshipOwners: owners, memberChanges)
    // Set after the hooks and observers of the save, which may still read `isDeleted`.
    for object in plan.objects.deleted where object.status == .gone { object.becomeDeletionSaved() }
  }

  /// Gives objects the rows that they have been saved as, one each.
  private func becomeSaved(_ objects: [ManagedObject], _ snapshots: [Snapshot], isChange: Bool) {
    unsafe snapshots.withUnsafeBufferPointer { snapshots in
      guard let first = snapshots.baseAddress else { return }
      // Safety: there are as many snapshots as objects, and the list holds those.
      for index in objects.indices {
        unsafe borrowing(objects[index]) { unsafe $0.becomeSaved(first + index, isChange: isChange) }
      }
    }
  }

  private func announce(
    _ plan: SavePlan, _ insertedIDs: [ObjectID], relationshipOwners: [ObjectID], _ memberChanges: MemberChanges
  ) {
    var ids = ContextChangeIDs(
      inserted: insertedIDs, updated: plan.request.updatedIDs, deleted: plan.request.deletedIDs,
      relationshipOwners: relationshipOwners)
    ids.add(memberChanges)
    ids.states = [saves.removeParentState(), parentState(of: ids)].compactMap(\.self)
    let changes = ContextChanges(
      inserted: plan.objects.inserted, updated: plan.objects.updated, deleted: plan.objects.deleted, ids: ids, in: self)
    post(Self.didSaveObjectsNotification, changes)
    post(Self.didSaveObjectIDsNotification, ids: ids)
    (parent?.followers ?? coordinator.followers).merge(ids, except: self)
    followers.merge(ids, except: nil)
  }
}
