import ObjectModel
import StoreInterface

/// An object whose to-many relationship gains or loses a member is updated, whichever side was set.
extension ManagedObjectContext {
  /// To be called where members or their rows change otherwise than by setting relationships.
  func ownersMayDiffer() {
    if settings.updatesOwners { pending.ownersMayDiffer() }
  }

  /// Keeps an object alive that a changed relationship leads to, or led to: the save may have to write it.
  func keep(_ object: ManagedObject) {
    if settings.updatesOwners { pending.keep(object) }
  }

  /// The object that an owner's id stands for, loaded or not; nil for a new object, which a save writes anyway.
  func possibleOwner(_ id: ObjectID) -> ManagedObject? {
    if let object = registeredObject(for: id) { return object.status == .inserted ? nil : object }
    let id = permanentID(for: id)
    return id.isTemporary && parent == nil ? nil : object(with: id)
  }

  /// Loads the owners of changed members where that has not been done, and puts them among the objects that a save
  /// looks at. An owner whose row is gone stays out, and is remembered as lost.
  func noteOwners() {
    if pending.ownerChanges.isEmpty { return }
    pending.indexOwners(in: self)
    if pending.ownerChanges.isIncomplete {
      gatherOwners()
      pending.indexOwners(in: self, isEvent: false)
    }
    // A fault may have been noted in the place of an object that undo brought back since.
    let owners = pending.ownerChanges.owners.map { registeredObject(for: $0.objectID) ?? $0 }
    let faults = owners.filter { $0.isUnloaded && !$0.hasStored }
    do {
      if !faults.isEmpty { _ = try objects(with: faults.map(\.objectID)) }
      // Relationships that were set to lead to one of these are reported by the save.
      for owner in faults where owner.isUnloaded && !owner.hasStored {
        owner.fire()
        if owner.isInert { pending.noteLoss(of: owner.objectID) }
      }
    } catch {
      deferError(error)
    }
    for owner in owners {
      if owner.isUnloaded && owner.hasStored { owner.fire() }
      owner.noteUpdate()
    }
  }

  /// Tells the event of the owners that are loaded, or whose rows are at hand: their relationships changed in it.
  func noteOwnersOfEvent() {
    if pending.ownerChanges.isEmpty { return }
    pending.indexOwners(in: self)
    let owners = pending.removeEventOwners()
    // Most faults of a fetch have their rows, so that this asks the store nothing.
    for owner in owners where owner.isUnloaded && owner.hasStored { owner.fire() }
    noteOwners(owners)
  }

  /// Whether to-many relationships of an object gained or lost members that were set at the other side.
  /// - Parameter relationship: the relationship to check; nil for all.
  func hasMemberChanges(_ owner: ManagedObject, _ relationship: Int? = nil) -> Bool {
    if pending.ownerChanges.isEmpty { return false }
    pending.indexOwners(in: self)
    return pending.ownerChanges.candidates(of: owner).contains { candidate in
      (relationship ?? candidate.relationship) == candidate.relationship
        && candidate.change(of: owner) != nil
    }
  }

  /// The members that a to-many relationship gained and lost because they were set at the other side.
  func memberChanges(of owner: ManagedObject, _ relationship: Int) -> (added: [ObjectID], removed: [ObjectID]) {
    pending.indexOwners(in: self)
    var seen: Set<ManagedObject> = []
    var changes: (added: [ObjectID], removed: [ObjectID]) = ([], [])
    for candidate in pending.ownerChanges.candidates(of: owner)
    where candidate.relationship == relationship && seen.insert(candidate.member).inserted {
      switch candidate.change(of: owner) {
      case .added: changes.added.append(candidate.member.objectID)
      case .removed: changes.removed.append(candidate.member.objectID)
      case nil: break
      }
    }
    return changes
  }

  /// Finds the owners anew, from the members that a save writes.
  private func gatherOwners() {
    pending.restartOwners()
    for object in pending.inserted + pending.maybeUpdated + pending.deleted {
      for (index, link) in object.runtime.links.enumerated() {
        guard let inverse = object.runtime.layout.inverses[index], link.isInverseToMany else { continue }
        if !link.isToMany {
          let (before, after) = (object.storedDestination(index), object.presentDestination(index))
          if before == after { continue }
          for owner in [before, after] { noteOwner(owner, inverse, of: object.objectID) }
        } else if let list = object.memberLists.indices.contains(index) ? object.memberLists[index] : nil {
          for owner in list.changedMembers(isGone: object.status == .deleted) {
            noteOwner(owner, inverse, of: object.objectID)
          }
        }
      }
    }
  }

  private func noteOwner(_ owner: ObjectID?, _ relationship: Relationship, of member: ObjectID) {
    guard let owner, let index = coordinator.runtime(owner.entity).index(of: relationship) else { return }
    pending.noteOwner(MemberKey(owner: owner, relationship: index), of: member)
  }
}

extension OwnerChanges.Candidate {
  enum Change { case added, removed }

  /// How the membership changed since the member was read.
  func change(of owner: ManagedObject) -> Change? {
    guard let inverse = owner.runtime.layout.inverses[relationship],
      let index = member.runtime.index(of: inverse)
    else { return nil }
    let (before, after) = member.leads(to: owner.objectID, index)
    if before == after { return nil }
    return after ? .added : .removed
  }
}

extension MemberList {
  /// The members that are here or in the store, but not in both.
  /// - Parameter isGone: whether the object of the list is deleted, so that it has no members here.
  fileprivate func changedMembers(isGone: Bool) -> [ObjectID] {
    if isGone { return stored }
    var list = self
    let before = Set(stored)
    return stored.filter { !contains($0) } + list.members().filter { !before.contains($0) }
  }
}

extension ManagedObject {
  /// Whether to-many relationships have other members than in the store because the other side was set. A fault is
  /// loaded when that is possible.
  var hasMemberChanges: Bool {
    guard status == .loaded || status == .fault, let context, context.hasMemberChanges(self) else { return false }
    fire()
    return status == .loaded
  }

  /// Whether a relationship led to an object in the store, and does here.
  fileprivate func leads(to owner: ObjectID, _ index: Int) -> (before: Bool, after: Bool) {
    if !runtime.links[index].isToMany {
      return (storedDestination(index) == owner, presentDestination(index) == owner)
    }
    guard !isInert, let isStored = isMemberStored(owner, at: index) else {
      return (false, false)
    }
    return (isStored, status != .deleted && memberLists[index]?.contains(owner) == true)
  }

  /// Where a to-one relationship leads in the store; nil for what is not saved any more.
  fileprivate func storedDestination(_ index: Int) -> ObjectID? { isInert ? nil : waitingDestination(index) }

  /// Where a to-one relationship leads here; nil for what is deleted.
  func presentDestination(_ index: Int) -> ObjectID? {
    switch status {
    case .loaded, .inserted: loadedDestination(index)
    case .fault: waitingDestination(index)
    case .deleted, .gone, .detached: nil
    }
  }
}
