import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// The position of a relationship in the layout of one entity, where that is known.
  typealias KnownPosition = (entityIndex: Int, index: Int?)

  /// Adds a member to a to-many relationship, or removes it, because the other side was set.
  func applyMembershipChange(
    _ member: ObjectID, isAddition: Bool, in owner: ObjectID, _ relationship: Relationship,
    _ known: KnownPosition? = nil
  ) {
    noteOwner(owner, relationship, known, of: member)
    if let (object, index) = loadedList(owner, relationship) {
      object.willChange()
      isAddition ? object.appendMember(member, at: index) : object.removeMember(member, at: index)
      object.noteListEdit(index, isSetHere: false)
      // Only the list has the order, and no other context can have changed the list of a new object. The save looks at
      // the lists of other objects.
      if relationship.isOrdered, object.status == .inserted { object.noteMembersSetHere(at: index) }
    } else if let index = position(owner, relationship, known) {
      pending.noteMember(
        member, isAddition: isAddition, isOrdered: relationship.isOrdered,
        in: MemberKey(owner: owner, relationship: index), event: eventCount)
    }
  }

  /// A member of a to-many relationship without inverse has one owner: loaded lists of others let it go. Lists that are
  /// not loaded follow in the store.
  func leaveOtherOwners(_ member: ManagedObject, joining owner: ManagedObject, _ index: Int) {
    noteInverselessOwner(owner)
    for other in inverselessOwners.objects {
      guard other !== owner, !other.isInert,
        let otherIndex = other.loadedIndex(of: owner.runtime.layout.relationships[index]),
        other.memberLists[otherIndex]?.contains(member.objectID) == true
      else { continue }
      other.willChange()
      other.removeMember(member.objectID, at: otherIndex)
      other.noteListEdit(otherIndex, isSetHere: false)
    }
  }

  /// The store's members of a to-many relationship without inverse, without those that joined another owner here since.
  func remainingMembers(_ stored: [ObjectID], of owner: ManagedObject, _ index: Int) -> [ObjectID] {
    noteInverselessOwner(owner)
    if stored.isEmpty { return [] }
    var left: Set<ObjectID> = []
    for other in pending.editedLists where other !== owner && other.status != .deleted {
      guard let otherIndex = other.loadedIndex(of: owner.runtime.layout.relationships[index]) else { continue }
      guard let list = other.memberLists[otherIndex] else { continue }
      for member in stored where list.contains(member) && !list.stored.contains(member) { left.insert(member) }
    }
    return left.isEmpty ? stored : stored.filter { !left.contains($0) }
  }

  /// Removes an object from the inverse list of its to-one relationship, from the stored and from the edited members.
  /// This is not registered for undo.
  func leave(_ owner: ObjectID, _ object: ManagedObject, _ index: Int) throws {
    guard let inverse = object.runtime.layout.inverses[index] else { return }
    try refreshOtherSide(owner, object, index)
    if inverse.isToMany {
      if let (owner, position) = loadedList(owner, inverse) {
        owner.removeMember(object.objectID, at: position)
        owner.noteListEdit(position, isSetHere: false)
      } else if let position = position(owner, inverse, nil) {
        pending.noteMember(object.objectID, isAddition: false, in: MemberKey(owner: owner, relationship: position))
      }
      return
    }
    let partner = self.object(with: owner)
    if merge.silent != nil, partner.isUnloaded, !partner.hasStored {
      guard let snapshot = merge.snapshots?[owner] else {
        merge.noteUnknown(owner)
        return
      }
      partner.setWaiting(snapshot)
    }
    if let back = partner.runtime.index(of: inverse), partner.currentDestination(back) == object.objectID {
      partner.putDestination(nil, at: back)
      partner.noteUpdate()
    }
  }

  /// Brings the other side of a to-one relationship up to date with the store where it is loaded. Where it leads
  /// elsewhere because of what was changed here, that stays, unless the store wins.
  func refreshOtherSide(_ owner: ObjectID?, _ object: ManagedObject, _ index: Int, storeWins: Bool = false) throws {
    guard let owner, let inverse = object.runtime.layout.inverses[index] else { return }
    if inverse.isToMany {
      if let (owner, position) = loadedList(owner, inverse),
        merge.isFirstRefresh(of: MemberKey(owner: owner.objectID, relationship: position))
      {
        try rebaseMembers(of: owner, position)
      }
      // Where the object was led elsewhere here, the list's change is the object's own.
      if object.destinations[index] == object.stored?.toOne[index] { takeBackMembership(of: object, index, in: owner) }
      return
    }
    guard let partner = registeredObject(for: owner), partner.status == .loaded,
      let back = partner.runtime.index(of: inverse)
    else { return }
    // The rows of both sides of such a relationship change together, and a merge has them all. Outside a merge, the
    // pending change may have a conflict of its own.
    if let snapshots = merge.snapshots {
      if let snapshot = snapshots[owner], snapshot.version != partner.stored?.version {
        try rebase(partner, onto: snapshot)
      }
    } else if !partner.isMaybeUpdated, let snapshot = try freshSnapshots(of: [owner])[owner],
      snapshot.version != partner.stored?.version
    {
      try rebase(partner, onto: snapshot)
    }
    guard object.destinations[index] == owner, partner.destinations[back] != object.objectID else { return }
    if storeWins {
      partner.putDestination(object.objectID, at: back)
      partner.noteUpdate()
    } else if partner.destinations[back] != partner.stored?.toOne[back] {
      object.putDestination(nil, at: index)
      object.noteUpdate()
    }
  }

  /// Takes back what setting a to-one relationship changed in the inverse list of an owner, once the relationship leads
  /// where the store says again.
  private func takeBackMembership(of object: ManagedObject, _ index: Int, in owner: ObjectID) {
    guard let inverse = object.runtime.layout.inverses[index] else { return }
    let (id, isMember) = (object.objectID, object.destinations[index] == owner)
    if let (list, position) = loadedList(owner, inverse) {
      guard list.isMemberStored(id, at: position) == isMember,
        list.memberLists[position]?.contains(id) == !isMember
      else { return }
      isMember ? list.restoreMember(id, at: position) : list.removeMember(id, at: position)
    } else if let position = position(owner, inverse, nil) {
      pending.forgetMember(id, in: MemberKey(owner: owner, relationship: position))
    }
  }

  /// Removes objects that are gone from the to-many relationships that list them as inverses. Relationships that were
  /// set to lead to them stay, so that the save reports them. The event does not record this, so undo does not bring
  /// them back.
  func forgetMembers(_ objects: [ManagedObject]) {
    for object in objects where object.status == .loaded && !pending.memberChanges.isEmpty {
      for (index, destination) in object.destinations.enumerated() {
        guard let destination, destination != object.stored?.toOne[index],
          let inverse = object.runtime.layout.inverses[index], inverse.isToMany,
          let position = position(destination, inverse, nil)
        else { continue }
        pending.noteMember(
          object.objectID, isAddition: false, in: MemberKey(owner: destination, relationship: position))
      }
    }
    let byRoot = Dictionary(grouping: objects, by: \.entity.root.index)
    for owner in pending.editedLists {
      for index in owner.memberLists.indices where owner.memberLists[index] != nil {
        guard let objects = byRoot[owner.runtime.layout.relationships[index].destination.root.index] else { continue }
        let isSaidByMembers = owner.runtime.layout.inverses[index]?.isToMany == false
        if !isSaidByMembers && owner.memberLists[index]?.isSetHere == true { continue }
        for object in objects { owner.removeMember(object.objectID, at: index) }
      }
    }
  }

  private func noteOwner(
    _ owner: ObjectID, _ relationship: Relationship, _ known: KnownPosition?, of member: ObjectID
  ) {
    guard settings.updatesOwners, let index = position(owner, relationship, known) else { return }
    pending.noteOwner(MemberKey(owner: owner, relationship: index), of: member)
  }

  func position(_ owner: ObjectID, _ relationship: Relationship, _ known: KnownPosition?) -> Int? {
    if let known, known.entityIndex == owner.space.entityIndex { return known.index }
    return coordinator.runtime(owner.entity).index(of: relationship)
  }

  func loadedList(_ owner: ObjectID, _ relationship: Relationship) -> (ManagedObject, Int)? {
    guard mayHaveLists(owner), let object = registeredObject(for: owner), !object.memberLists.isEmpty,
      let index = object.runtime.index(of: relationship),
      object.isLoaded(index)
    else { return nil }
    return (object, index)
  }
}

extension ManagedObject {
  /// The position of a to-many relationship whose list is loaded, also when it is another entity's that inherits it.
  fileprivate func loadedIndex(of relationship: Relationship) -> Int? {
    guard let index = runtime.layout.relationshipIndexes[relationship.name], memberLists.indices.contains(index),
      memberLists[index] != nil,
      runtime.layout.relationships[index].declaringEntity == relationship.declaringEntity
    else { return nil }
    return index
  }
}
