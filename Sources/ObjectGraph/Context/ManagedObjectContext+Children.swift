import ObjectModel
import Predicates
import StoreInterface

/// What a context does for the contexts whose parent it is. Runs on the parent's queue.
extension ManagedObjectContext {
  /// The objects that a request selects, with their pending changes, for a child.
  func currentObjects(_ request: FetchSpecification) throws -> ParentObjects {
    ParentObjects(try fetch(request.forRowsOfParent))
  }

  /// Objects with their pending changes, for a child; none for deleted ones.
  func currentObjects(with objectIDs: [ObjectID]) throws -> ParentObjects {
    ParentObjects(
      try objects(with: objectIDs.map { permanentID(for: $0) }).filter { object in
        object.fire()
        try throwDeferredError()
        return !object.isDeletedHere && !object.isUnloaded
      })
  }

  /// What a child's save changes here.
  struct ChildSave: Sendable {
    struct Update: Sendable {
      var before: Snapshot
      var after: Snapshot
    }
    var inserted: [Snapshot]
    /// The stores that these were assigned to.
    var stores: [String?]
    var updated: [Update]
    var deleted: [ObjectID]
    var members: [SaveRequest.ToManyChange]
  }

  /// Takes a child's changes into this context's objects, property by property: what the child did not change stays as
  /// it is here, and where both changed a property the child's value wins. The changes are this context's own from now
  /// on. `awakeFromInsert` is not called again; `prepareForDeletion` is, for this context's objects.
  /// - Returns: the objects that the child inserted.
  /// - Throws: `StoreError.optimisticLockingFailure` for objects that are gone or deleted here, what the store throws
  ///   while objects are loaded; nothing is changed then.
  func absorb(_ save: ChildSave) throws -> ParentObjects {
    try throwDeferredError()
    let known = save.updated.map(\.after.objectID) + save.deleted
    let objects = Dictionary(
      try self.objects(with: known.map { permanentID(for: $0) }).map { ($0.objectID, $0) },
      uniquingKeysWith: { first, _ in first })
    var lost: [(objectID: ObjectID, expected: Int64, found: Int64?)] = []
    for id in known {
      guard let object = objects[permanentID(for: id)] else { continue }
      object.fire()
      try throwDeferredError()
      if object.isDeletedHere { lost.append((id, 0, nil)) }
    }
    if !lost.isEmpty { throw StoreError.optimisticLockingFailure(lost) }

    try loadMembers(save)
    for (snapshot, store) in zip(save.inserted, save.stores) { try adoptInsertion(snapshot, store) }
    pending.dropFormerPropagation()
    pending.dropFormerDeletions()
    for snapshot in save.inserted {
      guard let object = registeredObject(for: snapshot.objectID) else { continue }
      for (index, destination) in snapshot.toOne.enumerated()
      where !object.runtime.layout.relationships[index].isToMany {
        object.setDestination(presentID(destination), at: index)
      }
    }
    for update in save.updated { objects[permanentID(for: update.after.objectID)].map { apply(update, to: $0) } }
    for change in save.members { try apply(change) }
    for id in save.deleted {
      if let object = objects[permanentID(for: id)] { delete(object) }
    }
    // What led to them leads nowhere at once, as in the child.
    if settings.propagatesDeletesAtEndOfEvent { propagateDeletes() }
    return ParentObjects(save.inserted.compactMap { registeredObject(for: $0.objectID) })
  }

  /// Loads the members that `apply` needs, so that an error of the store comes before anything is changed.
  private func loadMembers(_ save: ChildSave) throws {
    let new = Set(save.inserted.map(\.objectID))
    for change in save.members {
      let wanted = change.members.filter { !new.contains($0) }
      _ = try self.objects(with: wanted.map { permanentID(for: $0) })
      if !new.contains(change.owner) {
        _ = try object(with: permanentID(for: change.owner)).objects(for: change.relationshipName)
      }
    }
  }

  private func adoptInsertion(_ snapshot: Snapshot, _ store: String?) throws {
    // An earlier save of the child got so far, or the child has undone a deletion that it had saved to here.
    if let object = registeredObject(for: snapshot.objectID), object.isInserted || object.status == .deleted {
      _ = try bringBack(object)
      for (index, value) in snapshot.attributes.enumerated() { object.setValue(value, at: index) }
      return
    }
    let object = makeInserted(entityContext(snapshot.objectID.space.entityIndex), snapshot.objectID)
    object.assign(toStore: store)
    object.putValues(snapshot.attributes)
  }

  private func apply(_ update: ChildSave.Update, to object: ManagedObject) {
    for (index, value) in update.after.attributes.enumerated()
    where !value.isIdentical(to: update.before.attributes[index]) {
      object.setValue(value, at: index)
    }
    for (index, destination) in update.after.toOne.enumerated() where destination != update.before.toOne[index] {
      object.setDestination(presentID(destination), at: index)
    }
  }

  /// A destination in a child as it is here; nil where it was deleted here meanwhile.
  private func presentID(_ destination: ObjectID?) -> ObjectID? {
    destination.map { permanentID(for: $0) }.flatMap { registeredObject(for: $0)?.isDeletedHere == true ? nil : $0 }
  }

  private func apply(_ change: SaveRequest.ToManyChange) throws {
    let owner = object(with: permanentID(for: change.owner))
    let name = change.relationshipName
    guard let index = owner.runtime.layout.relationshipIndexes[name] else { return }
    let current = try owner.objectIDs(for: name)
    let members = MembershipMerge.merged(
      change.members.map { permanentID(for: $0) },
      from: change.membersBefore?.map { permanentID(for: $0) } ?? current, onto: current,
      isOrdered: owner.runtime.layout.relationships[index].isOrdered)
    // Members that were deleted here meanwhile are left out.
    try owner.setObjects(objects(with: members).filter { !$0.isDeletedHere }, for: name)
  }

  // MARK: - Ids

  /// The permanent id that a temporary one became here, or the id itself.
  func permanentID(for id: ObjectID) -> ObjectID {
    if !id.isTemporary { return id }
    var context: ManagedObjectContext? = self
    while let here = context {
      if let permanent = here.permanentIDs.permanentID(for: id) { return permanent }
      context = here.parent
    }
    return id
  }

  /// Remembers that ids became permanent here, for children and for undo.
  func noteIDChanges(_ changes: [ObjectID: ObjectID]) {
    if undoManager != nil || permanentIDs.isKept { permanentIDs.note(changes) }
  }

  /// Objects of a child that an ancestor saved get their permanent ids as soon as the child asks the parent for
  /// something, or merges. It waits for no other queue.
  func adoptIDsOfParent() {
    var changes: [ObjectID: ObjectID] = [:]
    var ancestor = parent
    for level in seenIDChangeCounts.indices {
      ancestor?.permanentIDs.add(since: &seenIDChangeCounts[level], to: &changes)
      ancestor = ancestor?.parent
    }
    if !changes.isEmpty { replaceIDs(changes) }
  }

  /// Asks the parent for something, on its queue, and waits for it. Ids are the latest before and after, on both sides.
  func ask<Answer: Sendable, Failure: Error>(
    _ parent: ManagedObjectContext, _ question: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    adoptIDsOfParent()
    return try parent.performAndWait { () throws(Failure) -> Answer in
      parent.adoptIDsOfParent()
      defer {
        adoptIDsOfParent()
        versionOfLastAnswer = parent.stateVersion
      }
      return try question()
    }
  }
}

extension FetchSpecification {
  /// What a child context asks its parent: unsaved changes there are the child's store.
  var forParent: FetchSpecification {
    var request = self
    request.includesPendingChanges = true
    return request
  }

  /// What a child context asks its parent for, when it needs rows.
  var forRowsOfParent: FetchSpecification {
    var request = forParent
    request.returnsObjectsAsFaults = false
    request.includesPropertyValues = true
    return request
  }
}

extension ManagedObject {
  /// The current values as a row for a child context. The version is the context's of this moment, so that the child
  /// can tell older answers from newer ones.
  var currentSnapshot: Snapshot {
    Snapshot(objectID: objectID, version: context?.stateVersion ?? 0, attributes: values, toOne: destinations)
  }
}
