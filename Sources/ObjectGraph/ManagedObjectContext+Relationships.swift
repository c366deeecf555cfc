import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// A member came to a to-many relationship because the other side says so.
  func followAddition(of member: ObjectID, to owner: ObjectID, _ relationship: Relationship) {
    if let (object, index) = loadedList(owner, relationship) {
      object.willChange()
      object.memberLists[index]?.append(member)
      object.noteListEdit(index, isSetHere: false)
    } else if let index = coordinator.runtime(owner.entity).index(of: relationship) {
      deltas[MemberKey(owner: owner, relationship: index), default: MemberDelta()].append(member)
    }
  }

  /// A member left a to-many relationship because the other side says so.
  func followRemoval(of member: ObjectID, from owner: ObjectID, _ relationship: Relationship) {
    if let (object, index) = loadedList(owner, relationship) {
      object.willChange()
      object.memberLists[index]?.remove(member)
      object.noteListEdit(index, isSetHere: false)
    } else if let index = coordinator.runtime(owner.entity).index(of: relationship) {
      deltas[MemberKey(owner: owner, relationship: index), default: MemberDelta()].remove(member)
    }
  }

  /// A member of a to-many relationship without inverse has one owner: loaded lists of others let it go. Lists that are
  /// not loaded follow in the store.
  func leaveOtherOwners(_ member: ManagedObject, joining owner: ManagedObject, _ index: Int) {
    let name = owner.runtime.layout.relationships[index].name
    for other in editedLists where other !== owner {
      guard let otherIndex = other.runtime.layout.relationshipIndexes[name],
        other.memberLists.indices.contains(otherIndex),
        other.memberLists[otherIndex]?.contains(member.objectID) == true,
        other.runtime.layout.relationships[otherIndex].declaringEntity
          == owner.runtime.layout.relationships[index].declaringEntity
      else { continue }
      other.willChange()
      other.memberLists[otherIndex]?.remove(member.objectID)
    }
  }

  func takeDelta(of owner: ObjectID, _ index: Int) -> MemberDelta? {
    deltas.isEmpty ? nil : deltas.removeValue(forKey: MemberKey(owner: owner, relationship: index))
  }

  private func loadedList(_ owner: ObjectID, _ relationship: Relationship) -> (ManagedObject, Int)? {
    guard let object = registeredObject(with: owner), let index = object.runtime.index(of: relationship),
      object.memberLists.indices.contains(index), object.memberLists[index] != nil
    else { return nil }
    return (object, index)
  }
}
