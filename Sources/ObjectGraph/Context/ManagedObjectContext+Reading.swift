import ObjectModel
import StoreInterface

/// What a context reads from: the store behind its coordinator, or the objects of its parent as they are there now.
extension ManagedObjectContext {
  /// The rows that a request selects.
  func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    guard let parent else {
      return try snapshotSource().snapshotBlocks(request, caches: settings.stalenessInterval != 0)
    }
    try refuse()
    return [SnapshotBlock(retain(try ask(parent) { try parent.currentObjects(request) }))]
  }

  /// The ids of the objects that a request selects.
  func rowIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    guard let parent else { return try snapshotSource().objectIDs(request) }
    try refuse()
    return try ask(parent) { try parent.objectIDs(request.forParent) }
  }

  /// The number of objects that a request selects.
  func rowCount(_ request: FetchSpecification) throws -> Int {
    guard let parent else { return try snapshotSource().count(request) }
    try refuse()
    return try ask(parent) { try parent.count(request.forParent) }
  }

  /// The rows of these objects, in no particular order; from the row cache where that is allowed.
  func snapshots(of objectIDs: [ObjectID]) throws -> [Snapshot] {
    guard let parent else {
      return try snapshotSource().snapshots(of: objectIDs, notOlderThan: settings.stalenessInterval)
    }
    try refuse(objectIDs)
    return retain(try ask(parent) { try parent.currentObjects(with: objectIDs) })
  }

  func snapshot(of objectID: ObjectID) throws -> Snapshot? { try snapshots(of: [objectID]).first }

  /// The row of a fault that fires. The faults that were made together with it are filled with the same fetch.
  func snapshot(firing fault: ManagedObject) throws -> Snapshot? {
    adoptIDsOfParent()
    guard let group = fault.faultGroup else { return try snapshot(of: fault.objectID) }
    let siblings = group.ids(from: fault.objectID).filter { id in
      id != fault.objectID && registeredObject(for: id).map { $0.isUnloaded && !$0.hasStored } == true
    }
    var found: Snapshot?
    for snapshot in try snapshots(of: [fault.objectID] + siblings) {
      if snapshot.objectID == fault.objectID {
        found = snapshot
      } else if let sibling = registeredObject(for: snapshot.objectID), sibling.isUnloaded {
        sibling.setWaiting(snapshot)
      }
    }
    return found
  }

  /// The members of a to-many relationship where this context reads from.
  func storedMembers(of owner: ManagedObject, _ index: Int) throws -> [ObjectID] {
    let relationship = owner.runtime.layout.relationships[index]
    guard let parent else {
      if owner.objectID.isTemporary { return [] }
      return try snapshotSource().members(of: owner.objectID, relationship: relationship)
    }
    try refuse(members: [owner], index)
    let id = owner.objectID
    return try ask(parent) { () throws -> [ObjectID] in
      guard let object = try parent.presentObject(with: id) else { return [] }
      return try object.objectIDs(for: relationship.name)
    }
  }

  /// The members of a to-many relationship of many objects of one entity.
  func storedMembers(of owners: [ManagedObject], _ relationship: Relationship) throws -> [[ObjectID]] {
    let ids = owners.map(\.objectID)
    guard let parent else {
      return try snapshotSource().members(of: ids, relationship: relationship)
    }
    for owner in owners {
      if let index = owner.runtime.index(of: relationship) { try refuse(members: [owner], index) }
    }
    return try ask(parent) { () throws -> [[ObjectID]] in
      let objects = try parent.objects(with: ids.map { parent.permanentID(for: $0) })
      let present = objects.filter { !$0.isDeletedHere && !$0.isUnloaded }
      for (_, owners) in Dictionary(grouping: present, by: \.entity) {
        if let index = owners[0].runtime.index(of: relationship) { try parent.loadMembers(index, of: owners) }
      }
      return try objects.map { object in
        object.isDeletedHere || object.isUnloaded ? [] : try object.objectIDs(for: relationship.name)
      }
    }
  }

  /// Fetches rows of objects anew, past the row cache and the parent's pending changes.
  func freshSnapshots(of objectIDs: [ObjectID]) throws -> [ObjectID: Snapshot] {
    let snapshots =
      try parent == nil ? snapshotSource().snapshots(of: objectIDs, notOlderThan: 0) : snapshots(of: objectIDs)
    return Dictionary(snapshots.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Throws while the context must not wait for its parent, and remembers the question.
  private func refuse(_ objectIDs: [ObjectID] = [], members owners: [ManagedObject] = [], _ index: Int = 0) throws {
    guard deferredRequests.isDeferring, !isParentAtHand else { return }
    deferredRequests.note(objectIDs, owners.map { MemberKey(owner: $0.objectID, relationship: index) })
    throw WouldWaitForParent()
  }
}

/// Thrown where a context would have to wait for its parent's queue and must not.
struct WouldWaitForParent: Error {}
