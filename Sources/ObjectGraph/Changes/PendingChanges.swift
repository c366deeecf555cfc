import ObjectModel

/// The changes of a context since its last save, as lists of the objects that a save has to look at.
///
/// The objects' own flags say on which lists they are; only this type sets them there, so that no object is on a list
/// twice. `problem` states what holds after every event and every save, and debug builds check it.
///
/// It is a class because its parts ask the context for objects while they change: the other parts stay readable then.
final class PendingChanges {
  /// New objects in the order of insertion; those deleted since are still here until their delete rules are applied.
  private(set) var inserted: [ManagedObject] = []
  /// Persisted objects that were changed at some time: they may have their old values again.
  private(set) var maybeUpdated: [ManagedObject] = []
  /// Persisted objects to be deleted, in order.
  private(set) var deleted: [ManagedObject] = []
  /// Objects with loaded member lists that were edited.
  private(set) var editedLists: [ManagedObject] = []
  /// Deleted objects whose delete rules are still to be applied.
  private(set) var unpropagatedDeletes: [ManagedObject] = []
  /// Deleted objects whose rows a merge changed without asking the parent: the save applies their delete rules again.
  private(set) var deletesToRepeat: [ManagedObject] = []
  /// Objects that the next save is to find as they were read, also where it does not change them.
  private(set) var watched: [ManagedObject] = []
  /// Persisted objects that changed relationships lead to or led to: what was read of them shows whether others changed
  /// or deleted them since, whether the program holds them or not.
  private var linked: [ManagedObject] = []
  /// Ids of objects that were found to be gone, or were set as destinations when they were.
  private(set) var lostIDs: Set<ObjectID> = []
  /// Those that were found to be gone, because others deleted them.
  private var foundLostIDs: Set<ObjectID> = []
  /// Those that relationships were made to lead to when they were found to be gone already.
  private var lostDestinations: Set<ObjectID> = []
  /// Those that others deleted, and that no relationship was made to lead to after that was found.
  var idsLostToOthers: Set<ObjectID> { foundLostIDs.subtracting(lostDestinations) }
  /// Whether a to-many relationship was given an object of another entity than it leads to.
  private(set) var hasForeignMembers = false
  /// Whether an ordered relationship that is not loaded may have got members.
  private(set) var hasOrderedMemberChanges = false
  /// Changes of to-many relationships that are not loaded.
  private(set) var memberChanges = MemberChanges()
  /// Objects that may have to be updated because members came or went.
  private(set) var ownerChanges = OwnerChanges()

  /// Whether no object is on a list. Deletions whose rules are to be applied and changes of relationships may remain.
  var hasNoObjects: Bool { inserted.isEmpty && maybeUpdated.isEmpty && deleted.isEmpty && editedLists.isEmpty }
  /// Whether a save would write anything, members that were set at the other side left out.
  var isSaveNeeded: Bool {
    inserted.contains(where: \.isInserted) || !deleted.isEmpty || maybeUpdated.contains(where: \.hasOwnChanges)
  }

  // MARK: - Objects

  func insert(_ object: ManagedObject) { inserted.append(object) }

  /// Puts a persisted object on the list of those that a save compares with their rows.
  func noteUpdate(of object: ManagedObject) {
    if object.isMaybeUpdated || object.marks.hook == .awakeFromFetch { return }
    object.marks.isMaybeUpdated = true
    maybeUpdated.append(object)
  }

  /// Puts an object on the list of those whose member lists a save looks at.
  func noteEditedLists(of object: ManagedObject) {
    if object.hasEditedLists { return }
    object.marks.hasEditedLists = true
    editedLists.append(object)
  }

  /// Marks an object as deleted, without applying delete rules.
  func delete(_ object: ManagedObject) {
    if object.status == .loaded { deleted.append(object) }
    object.becomeDeleted()
  }

  /// Forgets what was changed of objects; insertions and deletions stay.
  func forgetUpdates(of objects: [ManagedObject]) {
    let wereUpdated = objects.contains(where: \.isMaybeUpdated)
    let hadEditedLists = objects.contains(where: \.hasEditedLists)
    for object in objects {
      object.marks.isMaybeUpdated = false
      object.marks.hasEditedLists = false
    }
    if wereUpdated { maybeUpdated.removeAll { !$0.isMaybeUpdated } }
    if hadEditedLists { editedLists.removeAll { !$0.hasEditedLists } }
  }

  /// Takes objects that are no longer new out of the lists.
  func dropFormerInsertions() { dropInsertions { !$0.isInserted } }

  /// Takes new objects whose insertion was undone out of the lists.
  func dropDetachedInsertions() { dropInsertions { $0.status == .detached } }

  private func dropInsertions(_ isFormer: (ManagedObject) -> Bool) {
    let count = inserted.count
    inserted.removeAll(where: isFormer)
    if inserted.count < count { editedLists.removeAll { !$0.hasEditedLists } }
  }

  /// Takes objects that are no longer deleted out of the list of deleted objects.
  func dropFormerDeletions() { deleted.removeAll { $0.status != .deleted } }

  /// Takes objects off the list of deleted ones, before they get another status.
  func forgetDeletions(of objects: Set<ManagedObject>) {
    if !objects.isEmpty { deleted.removeAll { objects.contains($0) } }
  }

  /// Puts objects in the places of others whose flags they took over. Goes through whole lists: to be called once for
  /// all conflicts of a save.
  func replace(_ replacements: [ManagedObject: ManagedObject]) {
    maybeUpdated = maybeUpdated.map { replacements[$0] ?? $0 }
    editedLists = editedLists.map { replacements[$0] ?? $0 }
  }

  /// Takes objects that are no longer new or changed out of all lists, and duplicates too.
  func dropFormerChanges() {
    dropFormerInsertions()
    var seen: Set<ManagedObject> = []
    maybeUpdated.removeAll { !$0.isMaybeUpdated || !seen.insert($0).inserted }
    seen = []
    editedLists.removeAll { !$0.hasEditedLists || !seen.insert($0).inserted }
  }

  /// Forgets all that a save looks at: it was written, or taken back. Deletions whose rules are to be applied stay.
  func removeAll() {
    for object in maybeUpdated { object.marks.isMaybeUpdated = false }
    for object in editedLists { object.marks.hasEditedLists = false }
    inserted = []
    maybeUpdated = []
    deleted = []
    editedLists = []
    memberChanges = MemberChanges()
    ownerChanges = OwnerChanges()
    giveUpKept()
    for object in watched { object.marks.isWatched = false }
    watched = []
    lostIDs = []
    foundLostIDs = []
    lostDestinations = []
    hasForeignMembers = false
    hasOrderedMemberChanges = false
  }

  // MARK: - Delete rules

  func propagateLater(_ object: ManagedObject) { unpropagatedDeletes.append(object) }

  /// Has the next save apply an object's delete rules.
  func propagateAtSave(_ object: ManagedObject) { deletesToRepeat.append(object) }

  /// The save begins: the delete rules that were left to it are to be applied.
  func beginSave() {
    unpropagatedDeletes += deletesToRepeat
    deletesToRepeat = []
  }

  /// Notes that the rules of this many objects, the first of the list, were applied.
  func notePropagation(count: Int) { unpropagatedDeletes.removeFirst(count) }

  /// Forgets the delete rules of objects that are no longer deleted.
  func dropFormerPropagation() { unpropagatedDeletes.removeAll { $0.status != .deleted } }

  /// Forgets which delete rules are to be applied.
  func forgetPropagation() {
    unpropagatedDeletes = []
    deletesToRepeat = []
  }

  // MARK: - Relationships

  /// Remembers that an object is gone as long as changes that are pending may lead to it.
  func noteLoss(of id: ObjectID) {
    if inserted.isEmpty && maybeUpdated.isEmpty && editedLists.isEmpty { return }
    lostIDs.insert(id)
    foundLostIDs.insert(id)
  }

  /// An object that was gone is there again.
  func noteReturn(of id: ObjectID) {
    lostIDs.remove(id)
    foundLostIDs.remove(id)
    lostDestinations.remove(id)
  }

  /// Remembers an object that is gone and that a relationship is being made to lead to.
  func noteLostDestination(_ id: ObjectID) {
    lostIDs.insert(id)
    lostDestinations.insert(id)
  }

  /// Has the next save check that an object's row is as it was read.
  func watch(_ object: ManagedObject) {
    if object.marks.isWatched { return }
    object.marks.isWatched = true
    watched.append(object)
  }

  /// Keeps an object alive that a changed relationship leads to, or led to.
  func keep(_ object: ManagedObject) {
    if object.marks.isKept || object.isMaybeUpdated { return }
    // A fault may have its row.
    guard object.status == .loaded || object.status == .fault else { return }
    object.marks.isKept = true
    linked.append(object)
  }

  /// Gives up what was kept alive, where nothing is left to save.
  func giveUpKept() {
    for object in linked { object.marks.isKept = false }
    linked = []
  }

  /// Remembers that a to-many relationship was given an object that it cannot lead to: the save refuses that.
  func noteForeignMember() { hasForeignMembers = true }

  /// A member came to or left a to-many relationship that is not loaded.
  /// - Parameter event: the event that the change is part of; nil where undo does not take it back.
  func noteMember(
    _ member: ObjectID, isAddition: Bool, isOrdered: Bool = false, in key: MemberKey, event: Int? = nil
  ) {
    if isOrdered && isAddition { hasOrderedMemberChanges = true }
    memberChanges.note(member, isAddition: isAddition, in: key, event: event)
  }

  /// A member neither came to nor left a to-many relationship that is not loaded, whatever was noted of it before.
  func forgetMember(_ member: ObjectID, in key: MemberKey) { memberChanges.forget(member, in: key) }

  /// The changes of one to-many relationship, which is loaded now: they are its list's from now on.
  func removeMemberDelta(_ key: MemberKey) -> MemberDelta? { memberChanges.remove(key) }

  /// The changes of each to-many relationship that is not loaded.
  func memberDeltas() -> [MemberKey: MemberDelta] { memberChanges.byRelationship() }

  /// Gives objects other ids in what is noted of members.
  func replaceIDs(_ ids: [ObjectID: ObjectID]) { memberChanges.replaceIDs(ids) }

  /// Notes that an owner may have gained or lost a member because the other side was set.
  func noteOwner(_ key: MemberKey, of member: ObjectID) { ownerChanges.note(member, in: key) }

  /// Has the owners found anew, because others than the noted ones may be concerned.
  func ownersMayDiffer() { if !hasNoObjects { ownerChanges.isIncomplete = true } }

  /// Puts the owners that were noted since in order.
  func indexOwners(in context: ManagedObjectContext, isEvent: Bool = true) {
    ownerChanges.index(in: context, isEvent: isEvent)
  }

  /// Forgets the owners that were noted, but not those that the event is about.
  func restartOwners() { ownerChanges.restart() }

  /// The owners that were noted in this event, which ends.
  func removeEventOwners() -> [ManagedObject] { ownerChanges.removeEventOwners() }

  // MARK: - Invariants

  /// What is wrong with the lists, if anything. An object must be on a list at most once and have the list's flag or
  /// status.
  /// - Complexity: linear in the number of changes.
  var problem: String? {
    func wrong(_ name: String, _ objects: [ManagedObject], _ isRight: (ManagedObject) -> Bool) -> String? {
      if Set(objects).count != objects.count { return "an object is twice in \(name)" }
      return objects.first { !isRight($0) }.map { "\($0.entity.name) of status \($0.status) is in \(name)" }
    }
    return wrong("inserted", inserted) { $0.status == .inserted || ($0.status == .deleted && !$0.hasStored) }
      ?? wrong("maybeUpdated", maybeUpdated, \.isMaybeUpdated)
      ?? wrong("deleted", deleted) { $0.status == .deleted && $0.hasStored }
      ?? wrong("editedLists", editedLists, \.hasEditedLists)
  }

  /// Stops a debug build whose lists are wrong. Long lists are not looked through after each of many events.
  func checkInvariants() {
    assert(
      inserted.count + maybeUpdated.count + deleted.count + editedLists.count > 1_000 || problem == nil,
      problem ?? "")
  }
}
