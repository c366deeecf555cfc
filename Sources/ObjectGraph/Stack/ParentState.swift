import ObjectModel
import StoreInterface

/// The state of changed objects in a context, sent along so that child contexts can merge without asking it.
struct ParentState: Sendable {
  /// The permanent ids of the context that sent the state; this also identifies the context.
  let source: PermanentIDs
  /// The context's `stateVersion` when the state was made: anything read from the context at this version or later is
  /// at least as new.
  let version: Int64
  /// Objects as they are in the context.
  var snapshots: [ObjectID: Snapshot] = [:]
  /// Objects that are deleted in the context.
  var gone: Set<ObjectID> = []
  /// To-many relationships as they are in the context, where they are loaded.
  var members: [MemberKey: [ObjectID]] = [:]

  /// The same state with permanent ids for temporary ones that became permanent since.
  func renamed(by permanentID: (ObjectID) -> ObjectID) -> ParentState {
    func isOld(_ id: ObjectID) -> Bool { id.isTemporary && permanentID(id) != id }
    let isOutdated =
      snapshots.contains { isOld($0.key) || $0.value.toOne.contains { $0.map(isOld) ?? false } }
      || gone.contains(where: isOld)
      || members.contains { isOld($0.key.owner) || $0.value.contains(where: isOld) }
    if !isOutdated { return self }
    var renamed = ParentState(source: source, version: version, gone: Set(gone.map(permanentID)))
    for var snapshot in snapshots.values {
      snapshot.objectID = permanentID(snapshot.objectID)
      snapshot.toOne = snapshot.toOne.map { $0.map(permanentID) }
      renamed.snapshots[snapshot.objectID] = snapshot
    }
    for (key, members) in members {
      renamed.members[MemberKey(owner: permanentID(key.owner), relationship: key.relationship)] =
        members.map(permanentID)
    }
    return renamed
  }
}

/// The state that a child needs and that its parent did not send.
struct ParentStateRequest: Sendable {
  var objectIDs: Set<ObjectID> = []
  var members: Set<MemberKey> = []

  var isEmpty: Bool { objectIDs.isEmpty && members.isEmpty }
}

extension ManagedObjectContext {
  /// The state of changed objects for child contexts; nil where there never were any.
  func parentState(of changes: ContextChangeIDs) -> ParentState? {
    if !permanentIDs.isKept { return nil }
    return parentState(of: changes.updatedObjectIDs + (changes.relationshipOwnerIDs ?? []))
  }

  /// The state of these objects in this context, found without asking its parent.
  func parentState(of ids: [ObjectID]) -> ParentState {
    var shared = ParentState(source: permanentIDs, version: nextStateVersion())
    for id in ids {
      guard let object = registeredObject(for: permanentID(for: id)) else { continue }
      switch object.status {
      case .loaded, .inserted: shared.snapshots[object.objectID] = object.currentSnapshot
      case .deleted, .gone: shared.gone.insert(object.objectID)
      case .fault:
        // The row that the fault will fire from.
        if var snapshot = object.stored {
          snapshot.version = stateVersion
          shared.snapshots[object.objectID] = snapshot
        }
        continue
      case .detached: continue
      }
      for index in object.memberLists.indices {
        if let members = object.loadedMembers(index) {
          shared.members[MemberKey(owner: object.objectID, relationship: index)] = members
        }
      }
    }
    return shared
  }

  /// Fills faults, and to-many relationships that are not loaded, with the state that the parent sent.
  func fillFaults(from state: ParentState) -> [ManagedObject] {
    var taken: [ManagedObject] = []
    for (id, snapshot) in state.snapshots {
      let object = object(with: id)
      if object.isUnloaded && !object.hasStored { object.setWaiting(snapshot) }
      taken.append(object)
    }
    for (key, members) in state.members {
      let owner = object(with: key.owner)
      if owner.isUnloaded && !owner.hasStored { continue }
      owner.fire()
      if !owner.isLoaded(key.relationship) { owner.setStoredMembers(members, key.relationship, self) }
      taken.append(owner)
    }
    return taken
  }

  /// Finds the missing state and passes it on later, on this context's queue. Where this context lacks it too, it asks
  /// its own parent in the same way, so that no context waits for another.
  func tell(_ unknown: ParentStateRequest, _ answer: @escaping @Sendable (ParentState) -> Void) {
    adoptIDsOfParent()
    let ids = unknown.objectIDs.map { permanentID(for: $0) }
    let keys = unknown.members.map { MemberKey(owner: permanentID(for: $0.owner), relationship: $0.relationship) }
    if isParentAtHand {
      // After an error the child stays as it is, and its next request throws.
      let objects = try? objects(with: ids + keys.map(\.owner))
      // The objects are kept alive, because an object that is not registered would count as gone.
      defer { withExtendedLifetime(objects) {} }
      for key in keys { try? object(with: key.owner).loadMembers(key.relationship) }
      var state = parentState(of: ids + keys.map(\.owner))
      for id in ids + keys.map(\.owner) where state.snapshots[id] == nil && deferredError == nil {
        state.gone.insert(id)
      }
      return answer(state)
    }
    guard let parent else { return }
    var missing = ParentStateRequest()
    for id in ids + keys.map(\.owner) where object(with: id).isUnloaded && !object(with: id).hasStored {
      missing.objectIDs.insert(id)
    }
    for key in keys where !object(with: key.owner).isLoaded(key.relationship) { missing.members.insert(key) }
    let wanted = missing
    if wanted.isEmpty { return answer(parentState(of: ids + keys.map(\.owner))) }
    parent.enqueueMerge {
      parent.tell(wanted) { state in
        self.enqueueMerge {
          self.adoptIDsOfParent()
          let state = state.renamed { self.permanentID(for: $0) }
          let taken = self.fillFaults(from: state)
          defer { withExtendedLifetime(taken) {} }
          var known = self.parentState(of: ids + keys.map(\.owner))
          known.gone.formUnion(state.gone)
          answer(known)
        }
      }
    }
  }
}
