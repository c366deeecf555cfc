import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Gives an object the row that was saved elsewhere, as the rollback policy does. The other sides of the
  /// relationships that were changed here follow.
  func rollBack(_ object: ManagedObject, to snapshot: Snapshot) throws {
    let old = object.stored
    for (index, link) in object.runtime.links.enumerated() {
      guard let inverse = object.runtime.layout.inverses[index] else { continue }
      if link.isToMany {
        handBackMembers(of: object, index, inverse)
      } else if link.isInverseToMany, let old {
        let (former, present) = (old.toOne[index], snapshot.toOne[index])
        for owner in [object.destinations[index], former].compactMap(\.self) {
          restoreMembership(object.objectID, in: owner, inverse, isMember: owner == present)
        }
      }
    }
    forgetChanges(of: object)
    try load(snapshot, of: object)
  }

  /// Gives a deleted object the row that was saved elsewhere: it is not deleted after all. The lists that its deletion
  /// took it out of have it again. Members that the deletion let go of stay without it: they have changes of their own.
  func takeBackDeletion(of object: ManagedObject, to snapshot: Snapshot) throws {
    let old = object.stored
    for (index, link) in object.runtime.links.enumerated() {
      guard let inverse = object.runtime.layout.inverses[index] else { continue }
      if link.isToMany {
        handBackMembers(of: object, index, inverse)
        takeBackMembers(of: object, index, inverse)
      } else if link.isInverseToMany {
        let present = snapshot.toOne[index]
        for owner in Set([object.destinations[index], old?.toOne[index], present].compactMap(\.self)) {
          restoreMembership(object.objectID, in: owner, inverse, isMember: owner == present)
        }
      }
    }
    try load(snapshot, of: object)
  }

  /// Gives an object a row, and lets the other sides of the to-one relationships follow in which it differs.
  private func load(_ snapshot: Snapshot, of object: ManagedObject) throws {
    let old = object.stored
    object.load(snapshot)
    guard let old else { return }
    for (index, owner) in snapshot.toOne.enumerated() where owner != old.toOne[index] {
      try refreshOtherSide(old.toOne[index], object, index)
      try refreshOtherSide(owner, object, index)
    }
  }

  /// Gives members that the delete rule of an object has let go of the object back where the store says so. Members
  /// that left it at their own side are left out of its list when that is loaded anew.
  private func takeBackMembers(of object: ManagedObject, _ index: Int, _ inverse: Relationship) {
    let rule = object.runtime.layout.relationships[index].definition.deleteRule
    let key = MemberKey(owner: object.objectID, relationship: index)
    for id in object.loadedMembers(index) ?? [] {
      if !inverse.isToMany {
        guard let member = registeredObject(for: id), let back = member.runtime.index(of: inverse),
          member.presentDestination(back) != object.objectID
        else { continue }
        pending.noteMember(id, isAddition: false, in: key)
      } else if rule == .nullify || rule == .cascade {
        if object.isMemberStored(id, at: index) == true {
          restoreMembership(object.objectID, in: id, inverse, isMember: true)
        } else {
          pending.noteMember(id, isAddition: false, in: key)
        }
      }
    }
  }

  /// Takes back the changes that a loaded list made to the inverses of its members. Changes that were set at the
  /// members themselves stay, and the list has them when it is loaded anew.
  private func handBackMembers(of owner: ManagedObject, _ index: Int, _ inverse: Relationship) {
    guard owner.memberLists.indices.contains(index), var list = owner.memberLists[index] else { return }
    let stored = Set(list.stored)
    let present = list.members()
    for member in list.stored where !list.contains(member) { handBack(member, isMember: true) }
    for member in present where !stored.contains(member) { handBack(member, isMember: false) }

    func handBack(_ member: ObjectID, isMember: Bool) {
      var isSaidByMember = !inverse.isToMany
      if let (other, position) = loadedList(member, inverse), other.memberLists[position]?.isSetHere == true {
        isSaidByMember = true
      }
      if isSaidByMember {
        pending.noteMember(member, isAddition: !isMember, in: MemberKey(owner: owner.objectID, relationship: index))
      } else {
        restoreMembership(owner.objectID, in: member, inverse, isMember: isMember)
      }
    }
  }

  /// Makes a to-many relationship have a member or not, as the store has it. The change is not recorded in the event,
  /// so it is neither announced nor undone.
  private func restoreMembership(_ member: ObjectID, in owner: ObjectID, _ relationship: Relationship, isMember: Bool) {
    if let (owner, index) = loadedList(owner, relationship) {
      if !isMember {
        owner.removeMember(member, at: index)
      } else if relationship.isOrdered {
        owner.restoreMember(member, at: index)
      } else {
        owner.appendMember(member, at: index)
      }
      noteRefresh(of: owner)
    } else if let index = position(owner, relationship, nil) {
      pending.noteMember(member, isAddition: isMember, in: MemberKey(owner: owner, relationship: index))
    }
  }
}
