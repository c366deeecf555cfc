import ObjectModel
import StoreInterface

/// The loaded members of to-many relationships. Only this file changes the lists; other files call its methods. An
/// index is that of a relationship with loaded members, unless a method says otherwise.
extension ManagedObject {
  /// One list per relationship; nil for to-one relationships and those not loaded. Empty until one is.
  var memberLists: [MemberList?] { ownMemberLists }

  // MARK: - Asking

  /// Whether the members of a to-many relationship are here.
  func isLoaded(_ index: Int) -> Bool { memberLists.indices.contains(index) && memberLists[index] != nil }

  /// The members of a relationship in the order of `objects(for:)`, without loading them; nil where they are not here.
  func loadedMembers(_ index: Int) -> [ObjectID]? { isLoaded(index) ? ownMemberLists[index]?.members() : nil }

  /// Whether the store has the member; nil where the members are not here.
  func isMemberStored(_ member: ObjectID, at index: Int) -> Bool? {
    isLoaded(index) ? ownMemberLists[index]?.isStored(member) : nil
  }

  /// Whether a save writes the membership of the to-many relationship as this object has it.
  func isListWritten(_ index: Int) -> Bool {
    guard memberLists.indices.contains(index), let list = memberLists[index] else { return false }
    let relationship = runtime.layout.relationships[index]
    guard list.isSetHere || list.isOrderStated || (relationship.isOrdered && isRearranged(index)) else { return false }
    let isSaidByToOne = runtime.layout.inverses[index]?.isToMany == false
    // The members' own side is saved; members of another entity have no such side.
    if isSaidByToOne && !relationship.isOrdered { return hasForeignMembers(index) }
    return ownMemberLists[index]?.isChanged(isOrdered: relationship.isOrdered) ?? false
  }

  /// Whether members are of other entities than the relationship leads to.
  private func hasForeignMembers(_ index: Int) -> Bool {
    guard context?.pending.hasForeignMembers == true else { return false }
    let destination = runtime.layout.relationships[index].destination
    return loadedMembers(index)?.contains { !$0.entity.isKind(of: destination) } ?? false
  }

  /// Whether the members, or their order where it counts, are not those of the store; nil where they are not here.
  func hasChangedMembers(_ index: Int) -> Bool? {
    isLoaded(index) ? ownMemberLists[index]?.isChanged(isOrdered: runtime.layout.relationships[index].isOrdered) : nil
  }

  /// Whether an ordered relationship has the members of the store in another order. Nothing but the list says so, even
  /// where the members were set at the other side.
  private func isRearranged(_ index: Int) -> Bool {
    guard status == .loaded || status == .deleted else { return false }
    return ownMemberLists[index]?.isRearranged() ?? false
  }

  // MARK: - Single members

  /// Adds a member at the end; one that is there stays where it is.
  func appendMember(_ member: ObjectID, at index: Int) { ownMemberLists[index]?.append(member) }

  /// Removes a member, if it is there.
  func removeMember(_ member: ObjectID, at index: Int) { ownMemberLists[index]?.remove(member) }

  /// Puts a member of the store back where it was.
  func restoreMember(_ member: ObjectID, at index: Int) { ownMemberLists[index]?.restore(member) }

  /// Leaves a relationship without members.
  func removeAllMembers(at index: Int) { ownMemberLists[index]?.removeAll() }

  /// Gives the members this order; all of them must be in the list.
  func arrangeMembers(_ members: [ObjectID], at index: Int) { ownMemberLists[index]?.arrange(members) }

  // MARK: - Whole lists

  /// Takes a list that was just read, in the place of an older one if there is one.
  func putMembers(_ list: MemberList, at index: Int) {
    if memberLists.isEmpty { ownMemberLists = Array(repeating: nil, count: runtime.layout.relationships.count) }
    ownMemberLists[index] = list
  }

  /// Takes the lists of an object that this one replaces.
  func putMembers(of other: ManagedObject) { ownMemberLists = other.memberLists }

  /// Replaces all lists by empty ones of the object's own.
  func emptyMembers() { ownMemberLists = runtime.emptyMemberLists }

  /// A new object has all its members in lists of its own; none are in the store.
  func makeOwnMemberLists() {
    ownMemberLists = runtime.emptyMemberLists.indices.map { index in
      guard var list = runtime.emptyMemberLists[index] else { return nil }
      guard memberLists.indices.contains(index), var old = memberLists[index] else { return list }
      for member in old.members() { list.append(member) }
      list.isSetHere = true
      return list
    }
  }

  /// Forgets a list, so that the members are loaded when they are next asked for.
  func unloadMembers(_ index: Int) { ownMemberLists[index] = nil }

  /// Remembers that the relationship was set through this object.
  func noteMembersSetHere(at index: Int) { ownMemberLists[index]?.isSetHere = true }

  /// Has the next save write the order of members that were set at the other side, or not.
  func noteOrder(isStated: Bool, at index: Int) { ownMemberLists[index]?.isOrderStated = isStated }

  /// Has the next save write the members as they are here, even if they were changed elsewhere since.
  func overwriteOthersInWrittenLists() {
    for index in memberLists.indices where isListWritten(index) { ownMemberLists[index]?.overwriteOthers() }
  }

  /// Makes these the store's members, and keeps what came and went here since the last ones.
  func rebaseMembers(onto fresh: [ObjectID], version: Int64, at index: Int, storedOrderWins: Bool) {
    ownMemberLists[index]?.rebase(
      onto: fresh, isOrdered: runtime.layout.relationships[index].isOrdered, version: version,
      storedOrderWins: storedOrderWins)
  }

  /// Gives members other ids in all lists, the stored members included.
  func replaceMemberIDs(_ ids: [ObjectID: ObjectID]) {
    for index in memberLists.indices { ownMemberLists[index]?.replaceIDs(ids) }
  }

  /// After a save: temporary ids are replaced, and the members of all lists are what the store has.
  func commitMembers(_ permanentIDs: [ObjectID: ObjectID]) {
    for index in memberLists.indices { ownMemberLists[index]?.commit(permanentIDs) }
  }
}
