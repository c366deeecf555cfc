import ObjectModel
import Predicates
import StoreInterface

extension ManagedObjectContext {
  /// Processes changes and has the undo manager undo its last group: inserted objects are forgotten, or deleted when
  /// they were saved; deleted ones come back, and are inserted again with the same id when the deletion was saved;
  /// values and relationships that the group changed are what they were before. Changes that came from elsewhere since,
  /// by a merge or a refresh, stay, and so does the deletion of an object elsewhere. The next save writes it. Does
  /// nothing without undo manager.
  public func undo() {
    processEvent()
    undoManager?.undo()
  }

  /// Processes changes and has the undo manager redo the group that it undid last.
  public func redo() {
    processEvent()
    undoManager?.redo()
  }

  func registerUndo(_ entries: [ContextEvent.Entry], with undoManager: ContextUndoManager) {
    let entries = entries.map { UndoEntry(object: $0.object, before: $0.before, after: $0.object.state) }
      .filter { !$0.isUnchanged }
    if entries.isEmpty { return }
    undoManager.registerUndo(withTarget: self) { context in
      let propagating = context.settings.propagatesDeletesAtEndOfEvent
      context.finishEvent(propagating: propagating)
      context.revert(entries)
      context.finishEvent(propagating: propagating)
    }
  }

  /// Gives the objects of an event the state that they had before it. The changes are an event of their own, which redo
  /// reverts.
  private func revert(_ entries: [UndoEntry]) {
    let restored = entries.filter { entry in
      // An object that was deleted since, but not by the event, does not come back.
      entry.before.map { $0.status != .deleted } ?? false && (entry.isDeletion || !entry.object.isInert)
    }
    let removed = entries.filter { $0.before.map { $0.status == .deleted } ?? true }.map(\.object)
    var members: [ManagedObject: [[ObjectID]?]] = [:]
    var events: [ManagedObject: SnapshotEvents] = [:]
    do {
      // Changes that were merged while an object was deleted stay, too; bringing it back clears its relationships.
      let targets = restored.map { $0.isDeletion ? $0.stateAfterMerge : $0.before }
      for entry in restored {
        guard let before = entry.before else { continue }
        members[entry.object] =
          try entry.isDeletion ? targetMembers(of: entry, before) : changedMembers(of: entry)
        if try isBackAlready(entry.object) { continue }
        events[entry.object] = try bringBack(entry.object) ? .undoDeletion : .undoUpdate
      }
      pending.dropFormerPropagation()
      pending.dropFormerDeletions()
      for (entry, target) in zip(restored, targets) {
        guard let target else { continue }
        restoreValues(of: entry.object, target, unlessAs: entry.isDeletion ? nil : entry.after)
      }
      for entry in restored {
        try restoreMembers(of: entry.object, members[entry.object] ?? [])
      }
      for object in removed {
        try remove(object)
        events[object] = .undoInsertion
      }
      pending.dropDetachedInsertions()
    } catch {
      deferError(error)
    }
    for (object, reason) in events { object.awake(fromSnapshotEvents: reason) }
  }

  /// The present to-many relationships without the changes of the event.
  private func changedMembers(of entry: UndoEntry) throws -> [[ObjectID]?] {
    try entry.object.runtime.layout.relationships.indices.map { index in
      guard let before = entry.before?.members(index)?.map({ permanentID(for: $0) }),
        let after = entry.after.members(index)?.map({ permanentID(for: $0) }), before != after
      else { return nil }
      guard entry.object.status == .loaded || entry.object.status == .inserted else { return before }
      // A merge may have unloaded the list.
      try entry.object.loadMembers(index)
      guard let now = entry.object.loadedMembers(index) else { return before }
      return Self.members(now, takingBack: before, after)
    }
  }

  /// The members before an event, with the later additions and removals applied to them.
  private static func members(
    _ now: [ObjectID], takingBack before: [ObjectID], _ after: [ObjectID]
  ) -> [ObjectID] {
    if now == after { return before }
    let (came, went) = (Set(after).subtracting(before), Set(before).subtracting(after))
    let present = Set(now)
    if before.filter({ !went.contains($0) }) != after.filter({ !came.contains($0) }) {
      // The event put them into another order.
      let known = Set(before)
      return before.filter { present.contains($0) || went.contains($0) }
        + now.filter { !known.contains($0) && !came.contains($0) }
    }
    var members = now.filter { !came.contains($0) }
    for (place, member) in before.enumerated() where went.contains(member) && !present.contains(member) {
      members.insert(member, at: min(place, members.count))
    }
    return members
  }

  /// To-many relationships of an object that the event deleted. Deletion loads what it has to follow, and leaves the
  /// lists of the object itself as they are; a merge may have unloaded them.
  private func targetMembers(of entry: UndoEntry, _ before: ObjectState) throws -> [[ObjectID]?] {
    try entry.object.runtime.layout.relationships.indices.map { index in
      let former = before.members(index)?.map { permanentID(for: $0) }
      guard entry.object.status == .deleted, entry.object.stored != nil else {
        return former ?? entry.object.state.members(index)
      }
      if former == nil && entry.object.state.members(index) == nil { return nil }
      try entry.object.loadMembers(index)
      guard let now = entry.object.loadedMembers(index)?.map({ permanentID(for: $0) }) else { return former }
      guard let former, let after = entry.after.members(index)?.map({ permanentID(for: $0) }) else { return now }
      return Self.members(now, takingBack: former, after)
    }
  }

  /// Whether an object whose deletion was saved has a row again: another context brought it back, and fetches make an
  /// object of their own for it. What came from elsewhere stays.
  private func isBackAlready(_ object: ManagedObject) throws -> Bool {
    guard object.isInert, !object.objectID.isTemporary else { return false }
    if let other = registeredObject(for: object.objectID) {
      if other === object || other.isDeletedHere { return false }
      // A fault may stand for an id that leads nowhere.
      if !other.isUnloaded { return true }
    }
    return try readingNewest { try !freshSnapshots(of: [object.objectID]).isEmpty }
  }

  /// Makes an object exist again, without links; true when it did not.
  func bringBack(_ object: ManagedObject) throws -> Bool {
    switch object.status {
    case .fault:
      object.fire()
      try throwDeferredError()
      return false
    case .inserted, .loaded: return false
    case .deleted:
      object.willChange()
      object.becomeUndeleted()
      for index in object.memberLists.indices { emptyMembers(of: object, index) }
      object.noteUpdate()
    case .gone, .detached:
      pending.noteReturn(of: object.objectID)
      noteInsertion(of: object)
      let kept = keptMembers(of: object)
      object.becomeInsertedAgain()
      object.emptyRelationships()
      register(object)
      pending.insert(object)
      for (index, members) in kept {
        for id in members { object.appendMember(id, at: index) }
        if object.runtime.layout.relationships[index].isOrdered { object.noteMembersSetHere(at: index) }
        pending.noteEditedLists(of: object)
      }
    }
    return true
  }

  /// The members of an object that is gone which still lead to it, because its delete rules left them alone.
  private func keptMembers(of object: ManagedObject) -> [(index: Int, members: [ObjectID])] {
    object.memberLists.indices.compactMap { index in
      guard let inverse = object.runtime.layout.inverses[index], !inverse.isToMany else { return nil }
      let members = object.loadedMembers(index)?.map { permanentID(for: $0) }.filter { id in
        guard let member = registeredObject(for: id), !member.isInert else { return false }
        return member.runtime.index(of: inverse).flatMap { member.currentDestination($0) } == object.objectID
      }
      return members.flatMap { $0.isEmpty ? nil : (index, $0) }
    }
  }

  /// Empties the to-many relationship of a deleted object, except for members whose to-one inverse points to it.
  private func emptyMembers(of object: ManagedObject, _ index: Int) {
    guard let members = object.state.members(index) else { return }
    guard let inverse = object.runtime.layout.inverses[index], !inverse.isToMany else {
      object.removeAllMembers(at: index)
      return
    }
    for id in members {
      let member = self.object(with: permanentID(for: id))
      let owner = member.runtime.index(of: inverse).flatMap { member.currentDestination($0) }
      if member.isInert || owner != object.objectID { object.removeMember(id, at: index) }
    }
  }

  /// Whether an object is deleted, so that restored relationships must not lead to it.
  private func isGone(_ id: ObjectID) -> Bool {
    registeredObject(for: id)?.isDeletedHere ?? deletedIDs.contains(id)
  }

  /// - Parameter after: the state after the event; properties that are the same in both states were not changed by it.
  private func restoreValues(of object: ManagedObject, _ before: ObjectState, unlessAs after: ObjectState?) {
    guard object.status == .loaded || object.status == .inserted else { return }
    // An object that became a fault within the event has no values to compare.
    let after = after.flatMap {
      $0.values.count == before.values.count && $0.destinations.count == before.destinations.count ? $0 : nil
    }
    let laterValues = after?.values
    for (index, value) in before.values.enumerated() where laterValues?[index].isIdentical(to: value) != true {
      object.setValue(value, at: index)
    }
    for (index, destination) in before.destinations.enumerated()
    where !object.runtime.layout.relationships[index].isToMany {
      if let after, after.destinations[index] == destination { continue }
      let present = destination.map { permanentID(for: $0) }.flatMap { isGone($0) ? nil : $0 }
      object.setDestination(present, at: index)
      if let present, object.stored?.toOne[index] == present, let inverse = object.runtime.layout.inverses[index] {
        putBack(object, in: present, inverse)
      }
    }
  }

  /// Gives an object that comes back to its stored owner the place that it has there, where the owner's list was not
  /// loaded before the event and has no state to restore.
  private func putBack(_ object: ManagedObject, in owner: ObjectID, _ inverse: Relationship) {
    guard inverse.isOrdered, let (list, position) = loadedList(owner, inverse),
      list.isMemberStored(object.objectID, at: position) == true
    else { return }
    list.removeMember(object.objectID, at: position)
    list.restoreMember(object.objectID, at: position)
  }

  private func restoreMembers(of object: ManagedObject, _ members: [[ObjectID]?]) throws {
    guard object.status == .loaded || object.status == .inserted else { return }
    let layout = object.runtime.layout
    for (index, target) in members.enumerated() {
      guard let target = target?.filter({ !isGone($0) }), layout.relationships[index].isToMany else { continue }
      if layout.inverses[index]?.isToMany == false {
        // The to-one side has the membership; this restores the order.
        guard layout.relationships[index].isOrdered else { continue }
        try object.loadMembers(index)
        guard var list = object.memberLists[index] else { continue }
        // Members that the same undoing will take away stand behind the others until then.
        let present = list.members()
        let (isPresent, isWanted) = (Set(present), Set(target))
        let arranged = target.filter { isPresent.contains($0) } + present.filter { !isWanted.contains($0) }
        if arranged == present { continue }
        object.willChange()
        object.arrangeMembers(arranged, at: index)
        object.noteListEdit(index, isSetHere: true)
      } else {
        try object.loadMembers(index)
        let present = Set(object.loadedMembers(index) ?? [])
        try object.setObjects(target.map { self.object(with: $0) }, for: layout.relationships[index].name)
        if let inverse = layout.inverses[index] {
          for owner in target where !present.contains(owner) { putBack(object, in: owner, inverse) }
        }
      }
    }
  }

  /// Undoes the insertion of an object. An object that was never saved is removed with its links. For an object that
  /// was saved, delete rules apply, because other objects may refer to it by now.
  private func remove(_ object: ManagedObject) throws {
    object.fire()
    guard object.status == .loaded || object.status == .inserted else { return }
    if object.status == .loaded {
      markDeleted(object)
      pending.propagateLater(object)
      return
    }
    object.willChange()
    for (index, relationship) in object.runtime.layout.relationships.enumerated() {
      if !relationship.isToMany {
        object.setDestination(nil, at: index)
      } else if object.isLoaded(index) {
        try object.setObjects([], for: relationship.name)
      }
    }
    unregister(object.objectID)
    object.makeInert(.detached)
  }
}

/// An object that an event changed, with its states before the event (nil for a new object) and after it.
struct UndoEntry {
  let object: ManagedObject
  let before: ObjectState?
  let after: ObjectState

  /// Whether the event left the object as it was: a property was given the value that it had.
  var isUnchanged: Bool { before.map { $0.isSame(as: after) } ?? false }

  var isDeletion: Bool { after.status == .deleted || after.status == .gone || after.status == .detached }

  /// The values of an object that is still deleted, without the event's changes.
  var stateAfterMerge: ObjectState? {
    guard let before, object.status == .deleted, object.values.count == before.values.count,
      object.destinations.count == before.destinations.count, after.values.count == before.values.count
    else { return before }
    var (values, destinations) = (before.values, before.destinations)
    let (laterValues, laterDestinations) = (after.values, after.destinations)
    for index in values.indices where values[index].isIdentical(to: laterValues[index]) {
      values[index] = object.values[index]
    }
    for index in destinations.indices where destinations[index] == laterDestinations[index] {
      destinations[index] = object.destinations[index]
    }
    var state = before
    (state.values, state.destinations) = (values, destinations)
    return state
  }
}
