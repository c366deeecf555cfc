import ObjectModel
import Predicates
import StoreInterface

extension ManagedObjectContext {
  /// Has the merge policy resolve conflicts with rows that were changed elsewhere. Under every policy but the error
  /// policy, those that are about members only are resolved without it. Both sides of one-to-one relationships agree
  /// then.
  func resolveLockingConflicts(_ stale: [(objectID: ObjectID, expected: Int64, found: Int64?)]) throws {
    try resolveConflicts(stale)
    clearLinksToDeleted(from: stale.map(\.objectID))
    try makePartnersAgree(of: stale.map(\.objectID))
  }

  private func resolveConflicts(_ stale: [(objectID: ObjectID, expected: Int64, found: Int64?)]) throws {
    let cached = parent == nil ? coordinator.snapshotCache.snapshots(of: stale.map(\.objectID)) : [:]
    let snapshots = try freshSnapshots(of: stale.map(\.objectID))
    defer { ownersMayDiffer() }
    let stale = try stale.filter { id, _, _ in
      guard settings.mergePolicy.kind != .error, let object = registeredObject(for: id), let snapshot = snapshots[id],
        object.isUpdated, object.isAboutMembersOnly(snapshot), try !isArrangedTwice(object)
      else { return true }
      noteRefresh(of: object)
      try rebase(object, onto: snapshot)
      object.awake(fromSnapshotEvents: .mergePolicy)
      return false
    }
    if stale.isEmpty { return }
    let conflicts = stale.compactMap { id, expected, _ in
      registeredObject(for: id).map {
        MergeConflict($0, readAt: expected, persisted: snapshots[id], cached: cached[id])
      }
    }
    if conflicts.isEmpty { throw StoreError.optimisticLockingFailure(stale) }
    try settings.mergePolicy.resolve(optimisticLockingConflicts: conflicts)
    for conflict in conflicts {
      let object = conflict.sourceObject
      // In a child, versions say when the parent was asked.
      let isUnresolved = parent != nil || object.stored?.version == conflict.oldVersion
      guard object.status == .loaded || object.status == .deleted, isUnresolved else { continue }
      // An override did not call `super`: the object's present values are the resolution.
      if let snapshot = conflict.persisted, object.status == .loaded, !object.isUpdated {
        // Nothing was set here, so its values are the old ones, and no resolution.
        noteRefresh(of: object)
        try rebase(object, onto: snapshot)
        object.awake(fromSnapshotEvents: .mergePolicy)
      } else if let snapshot = conflict.persisted {
        object.setStored(snapshot)
      } else if parent == nil || object.status == .deleted {
        try resolve(conflict, .overwrite)
      } else {
        throw SaveConflictError(optimisticLockingConflicts: [conflict])
      }
    }
  }

  /// Resolves conflicts as a policy of that kind does.
  func resolve(_ conflicts: [MergeConflict], _ kind: MergePolicy.Kind) throws {
    let objectWins = kind == .mergeByPropertyObjectTrump || kind == .overwrite
    // Forget all losing objects in one pass.
    let losing = objectWins ? [] : conflicts.filter { $0.persisted != nil }.map(\.sourceObject)
    if kind == .rollback { forgetChanges(of: losing.filter { $0.status == .loaded }) }
    pending.forgetDeletions(of: Set(losing.filter { $0.status == .deleted }))
    lose(conflicts.filter { isLost($0, objectWins) }.map(\.sourceObject))
    for conflict in conflicts where conflict.persisted != nil || conflict.sourceObject.status != .gone {
      try resolve(conflict, kind)
    }
  }

  /// Whether the object is lost because its row is gone.
  private func isLost(_ conflict: MergeConflict, _ objectWins: Bool) -> Bool {
    let object = conflict.sourceObject
    let isUnchanged = object.status == .loaded && !object.isUpdated
    return conflict.persisted == nil && (object.status == .deleted || !objectWins || parent != nil || isUnchanged)
  }

  /// Resolves one conflict as a policy of that kind does.
  func resolve(_ conflict: MergeConflict, _ kind: MergePolicy.Kind) throws {
    let object = conflict.sourceObject
    let objectWins = kind == .mergeByPropertyObjectTrump || kind == .overwrite
    guard let snapshot = conflict.persisted else {
      return isLost(conflict, objectWins) ? lose(object) : try insertAgain(object)
    }
    noteRefresh(of: object)
    if object.status == .deleted {
      if objectWins {
        // Objects elsewhere may have been linked to it: delete rules apply to them too.
        try rebase(object, onto: snapshot)
        try refreshThoseThatLead(to: object)
        pending.propagateLater(object)
        return
      }
      pending.forgetDeletions(of: [object])
      try takeBackDeletion(of: object, to: snapshot)
    } else {
      switch kind {
      // Of an object that only `detectConflicts` brought here there is nothing to write.
      case .overwrite where !object.isUpdated: try rebase(object, onto: snapshot)
      case .overwrite:
        try adoptStoredDestinations(of: object, from: snapshot)
        object.setStored(snapshot)
        object.overwriteOthersInWrittenLists()
      case .mergeByPropertyObjectTrump: try rebase(object, onto: snapshot)
      case .mergeByPropertyStoreTrump: try applyStoredChanges(in: snapshot, to: object)
      case .rollback, .error: try rollBack(object, to: snapshot)
      }
    }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// Brings objects up to date that do not lead to a deleted one here although their rows do: its delete rules concern
  /// them.
  private func refreshThoseThatLead(to object: ManagedObject) throws {
    var ends: Set<ObjectID> = []
    for (index, relationship) in object.runtime.layout.relationships.enumerated()
    where relationship.definition.deleteRule != .noAction {
      guard let inverse = object.runtime.layout.inverses[index], !inverse.isToMany else { continue }
      if relationship.isToMany { try object.loadMembers(index) }
      let members =
        relationship.isToMany ? object.loadedMembers(index) ?? [] : [object.destinations[index]].compactMap(\.self)
      for id in members where id != object.objectID {
        let end = registeredObject(for: id)
        if let end, end.status == .loaded, let back = end.runtime.index(of: inverse),
          end.stored?.toOne[back] == object.objectID
        {
          continue
        }
        ends.insert(id)
      }
    }
    if ends.isEmpty { return }
    // Rows that the coordinator keeps may be older than the link.
    if parent == nil { coordinator.snapshotCache.forget(ends) }
    let ids = ends.sorted { ($0.space.rootIndex, $0.primaryKey ?? 0) < ($1.space.rootIndex, $1.primaryKey ?? 0) }
    let snapshots = try freshSnapshots(of: ids)
    for id in ids {
      guard let end = registeredObject(for: id), let snapshot = snapshots[id] else { continue }
      if end.isUnloaded {
        end.setWaiting(snapshot)
      } else if end.status == .loaded, end.stored?.version != snapshot.version {
        noteRefresh(of: end)
        try rebase(end, onto: snapshot)
        end.awake(fromSnapshotEvents: .mergePolicy)
      }
    }
  }

  /// Whether an ordered relationship of an object was put into one order here and into another one elsewhere.
  private func isArrangedTwice(_ object: ManagedObject) throws -> Bool {
    for (index, relationship) in object.runtime.layout.relationships.enumerated()
    where relationship.isOrdered && object.isListWritten(index) {
      guard let list = object.memberLists[index], let members = object.loadedMembers(index),
        MembershipMerge.isArranged(members, from: list.stored)
      else { continue }
      let present = try storedMembers(of: object, index)
      if MembershipMerge.isArrangedTwice(members, from: list.stored, onto: present) { return true }
    }
    return false
  }

  /// Takes what differs between the row and the values that were read; the rest stays as it is here.
  private func applyStoredChanges(in snapshot: Snapshot, to object: ManagedObject) throws {
    guard let old = object.stored else { return }
    ownersMayDiffer()
    for index in object.memberLists.indices { try rebaseMembers(of: object, index, storedOrderWins: true) }
    for (index, value) in snapshot.attributes.enumerated() where !value.isIdentical(to: old.attributes[index]) {
      object.putValue(value, at: index)
    }
    var formerOwners: [(index: Int, owner: ObjectID)] = []
    for (index, destination) in snapshot.toOne.enumerated() where destination != old.toOne[index] {
      if let owner = object.destinations[index], owner != old.toOne[index], owner != destination {
        formerOwners.append((index, owner))
      }
      object.putDestination(destination, at: index)
    }
    object.setStored(snapshot)
    for (index, owner) in formerOwners { try leave(owner, object, index) }
    for (index, owner) in snapshot.toOne.enumerated() where owner != old.toOne[index] {
      try refreshOtherSide(old.toOne[index], object, index, storeWins: true)
      try refreshOtherSide(owner, object, index, storeWins: true)
    }
  }

  /// The row is gone; the object becomes a new one with the same id.
  private func insertAgain(_ object: ManagedObject) throws {
    if object.isInserted { return }
    try adoptStoredDestinations(of: object, from: nil)
    forgetChanges(of: object)
    object.makeOwnMemberLists()
    if object.memberLists.contains(where: { ($0?.count ?? 0) > 0 }) { pending.noteEditedLists(of: object) }
    object.becomeInsertedAgain()
    pending.insert(object)
  }
}

extension ManagedObject {
  /// Whether the members of to-many relationships are all that was changed elsewhere since the object was read, or all
  /// that was changed here: then both changes can be kept.
  fileprivate func isAboutMembersOnly(_ snapshot: Snapshot) -> Bool {
    guard status == .loaded, let old = stored else { return false }
    func isSame(_ values: [Value], _ destinations: [ObjectID?]) -> Bool {
      destinations == old.toOne
        && runtime.layout.attributes.indices.allSatisfy { index in
          let attribute = runtime.layout.attributes[index]
          return attribute.isTransient || attribute.derivation != nil
            || values[index].isIdentical(to: old.attributes[index])
        }
    }
    return isSame(snapshot.attributes, snapshot.toOne) || isSame(values, destinations)
  }
}
