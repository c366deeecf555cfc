import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Marks an object for deletion. The delete rules are applied when changes are processed, or by the save when
  /// `propagatesDeletesAtEndOfEvent` is off: objects that cascades reach are deleted too, and relationships to the
  /// object are nullified, also around cycles. `deny` is judged by the save. A new object is then forgotten.
  ///
  /// A fault is loaded first; does nothing when its row is gone, or when it cannot be loaded, which the next fetch or
  /// save tells.
  public func delete(_ object: ManagedObject) {
    checkConfinement()
    object.fire()
    guard object.status == .loaded || object.status == .inserted else { return }
    // The hook may delete it, or one that deletes it in turn.
    if object.marks.hook == .prepareForDeletion { return }
    object.running(.prepareForDeletion) { object.prepareForDeletion() }
    guard object.status == .loaded || object.status == .inserted else { return }
    markDeleted(object)
    pending.propagateLater(object)
  }

  /// Marks an object as deleted without applying delete rules.
  func markDeleted(_ object: ManagedObject) {
    object.willChange()
    pending.delete(object)
  }

  /// Applies the delete rules of every deleted object. A list instead of recursion, so that a long chain of cascades
  /// does not exhaust the stack. After an error of the store the rest stays for the next time.
  func propagateDeletes() {
    if pending.unpropagatedDeletes.isEmpty { return }
    applyDeleteRules()
    pending.dropFormerInsertions()
  }

  /// Does what `propagateDeletes` does, but leaves new objects that are deleted in the list of inserted ones.
  func applyDeleteRules() {
    var done = 0
    do {
      if undoManager != nil { try cascadeAll() }
      while done < pending.unpropagatedDeletes.count {
        try propagate(pending.unpropagatedDeletes[done])
        try throwDeferredError()
        done += 1
      }
    } catch {
      deferError(error)
    }
    pending.notePropagation(count: done)
  }

  /// Deletes all that cascades reach. Undo restores the members that each of them had before the first one let go of
  /// another.
  private func cascadeAll() throws {
    var done = 0
    while done < pending.unpropagatedDeletes.count {
      let object = pending.unpropagatedDeletes[done]
      try loadForDeletion(object)
      for index in object.runtime.layout.relationships.indices { try cascade(from: object, index) }
      try throwDeferredError()
      done += 1
    }
  }

  private func cascade(from object: ManagedObject, _ index: Int) throws {
    guard object.status == .deleted, object.runtime.layout.relationships[index].definition.deleteRule == .cascade else {
      return
    }
    for destination in try destinations(of: object, index) { delete(destination) }
  }

  private func propagate(_ object: ManagedObject) throws {
    guard object.status == .deleted else { return }
    try loadForDeletion(object)
    for index in object.runtime.layout.relationships.indices {
      try cascade(from: object, index)
      try removeFromInverse(object, at: index)
    }
    if !object.hasStored {
      unregister(object.objectID)
      object.makeInert(.detached)
    }
  }

  /// Loads the members that delete rules concern.
  private func loadForDeletion(_ object: ManagedObject) throws {
    guard object.status == .deleted else { return }
    for (index, relationship) in object.runtime.layout.relationships.enumerated()
    where relationship.isToMany && relationship.definition.deleteRule != .noAction {
      try object.loadMembers(index)
    }
    noteLoadedMembers(of: object)
  }

  private func destinations(of object: ManagedObject, _ index: Int) throws -> [ManagedObject] {
    guard object.runtime.layout.relationships[index].isToMany else {
      return try object.destinations[index].flatMap { try presentObject(with: $0) }.map { [$0] } ?? []
    }
    try object.loadMembers(index)
    return try objects(with: object.loadedMembers(index) ?? [])
  }

  /// Takes a deleted object out of the inverse of one of its relationships.
  func removeFromInverse(_ object: ManagedObject, at index: Int) throws {
    guard let inverse = object.runtime.layout.inverses[index] else { return }
    let relationship = object.runtime.layout.relationships[index]
    if inverse.isToMany && !relationship.isToMany {
      // The deleted row stores the membership, so the owner loses the member whatever the delete rule says.
      if let owner = object.destinations[index] {
        if isPlaceNeeded(inverse) { try loadPlaces(in: [presentObject(with: owner)].compactMap(\.self), inverse) }
        applyMembershipChange(object.objectID, isAddition: false, in: owner, inverse)
      }
      return
    }
    let rule = relationship.definition.deleteRule
    guard rule == .nullify || rule == .cascade else { return }
    let destinations = try destinations(of: object, index)
    if isPlaceNeeded(inverse) { try loadPlaces(in: destinations, inverse) }
    for destination in destinations {
      if inverse.isToMany {
        applyMembershipChange(object.objectID, isAddition: false, in: destination.objectID, inverse)
      } else if let back = destination.runtime.index(of: inverse),
        destination.currentDestination(back) == object.objectID
      {
        destination.replaceDestination(nil, at: back)
      }
    }
  }

  /// Whether undo needs the places of members in a relationship: only the list has them, and once a deletion is saved,
  /// the store does not have them either.
  private func isPlaceNeeded(_ relationship: Relationship) -> Bool {
    relationship.isOrdered && undoManager?.isUndoRegistrationEnabled == true
  }

  /// Loads an ordered relationship that a deleted object is about to be taken out of.
  private func loadPlaces(in owners: [ManagedObject], _ relationship: Relationship) throws {
    let present = owners.filter { $0.status == .loaded }
    for (entity, owners) in Dictionary(grouping: present, by: \.objectID.entity) {
      guard let index = coordinator.runtime(entity).index(of: relationship) else { continue }
      try loadMembers(index, of: owners)
      for owner in owners { try owner.loadMembers(index) }
    }
  }
}
