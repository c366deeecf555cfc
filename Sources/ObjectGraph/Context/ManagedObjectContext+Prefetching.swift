import ObjectModel
import Predicates
import StoreInterface

extension ManagedObjectContext {
  /// Brings in what key paths lead to from fetched objects, with one fetch for each relationship instead of one for
  /// each object: rows go to the row cache, and the members of to-many relationships to their owners. Members of
  /// ordered relationships, of those to many objects on both sides and of those without inverse take two.
  func prefetch(_ keyPaths: [FetchPredicate.KeyPath], for objects: [ManagedObject]) throws {
    keep(prefetched: [])
    // The context holds the objects, because otherwise they could be released, and with them what was prefetched.
    keep(prefetched: try destinations(of: objects, along: keyPaths))
  }

  /// Fetches what `prefetch` does. The caller must hold what is returned, objects on the way included.
  func destinations(
    of objects: [ManagedObject], along keyPaths: [FetchPredicate.KeyPath]
  ) throws -> [ManagedObject] {
    var found: [ManagedObject] = []
    for keyPath in keyPaths {
      var here = objects
      for name in keyPath where !here.isEmpty {
        var next: [ManagedObject] = []
        for (_, owners) in Dictionary(grouping: here, by: \.entity).sorted(by: { $0.key.index < $1.key.index }) {
          next += try prefetch(name, of: owners)
        }
        here = next
        found += next
      }
    }
    return found
  }

  /// - Parameter owners: of one entity.
  private func prefetch(_ name: String, of owners: [ManagedObject]) throws -> [ManagedObject] {
    guard let layout = owners.first?.runtime.layout, let index = layout.relationshipIndexes[name] else {
      throw StoreError.failure("\(owners[0].entity.name) has no relationship \"\(name)\" that could be prefetched")
    }
    let relationship = layout.relationships[index]
    var ids: [ObjectID]
    if relationship.isToMany {
      try loadMembers(index, of: owners)
      ids = try owners.flatMap { try $0.objectIDs(for: name) }
    } else {
      ids = owners.compactMap { $0.isUnloaded ? $0.waitingDestination(index) : $0.loadedDestination(index) }
    }
    var seen: Set<ObjectID> = []
    ids = ids.filter { seen.insert($0).inserted }
    let objects = ids.map { object(with: $0) }
    let empty = objects.filter { $0.isUnloaded && !$0.hasStored && !$0.objectID.isTemporary }.map(\.objectID)
    if !empty.isEmpty { _ = materialise([SnapshotBlock(try snapshots(of: empty))], asFaults: true) }
    return objects
  }

  /// Loads the members of a relationship of many objects of one entity, where that has not been done.
  func loadMembers(_ index: Int, of owners: [ManagedObject]) throws {
    let relationship = owners[0].runtime.layout.relationships[index]
    var seen: Set<ManagedObject> = []
    let unloaded = owners.filter { owner in
      (parent != nil || !owner.objectID.isTemporary) && owner.status != .inserted && !owner.isInert
        && !owner.isLoaded(index)
        && seen.insert(owner).inserted
    }
    if unloaded.count < 2 { return }
    let members =
      try relationship.isSaidByRowsOfMembers && parent == nil
      ? membersWithRows(of: unloaded, relationship) : storedMembers(of: unloaded, relationship)
    for (owner, members) in zip(unloaded, members) {
      owner.fire()
      // A hook may have loaded it.
      if owner.isInert || owner.isUnloaded || owner.state.members(index) != nil { continue }
      owner.setStoredMembers(members, index, self)
    }
    try throwDeferredError()
  }

  /// Members of relationships whose other side is one object come with their rows.
  private func membersWithRows(of owners: [ManagedObject], _ relationship: Relationship) throws -> [[ObjectID]] {
    guard let inverse = relationship.inverse else { return [] }
    var request = FetchSpecification(relationship.destination)
    request.predicate = .compare(
      .init(.keyPath([inverse.name]), .isIn, .aggregate(owners.map { .object($0.objectID) })))
    var members: [ObjectID: [ObjectID]] = [:]
    let blocks = try snapshotBlocks(request)
    for block in blocks {
      for row in 0..<block.count {
        let id = block.objectID(at: row)
        let layout = coordinator.runtime(id.entity).layout
        guard let position = layout.relationshipIndexes[inverse.name],
          let owner = block.destination(at: row, relationship: position)
        else { continue }
        members[owner, default: []].append(id)
      }
    }
    _ = materialise(blocks, asFaults: true)
    return owners.map { members[$0.objectID] ?? [] }
  }
}

extension Relationship {
  /// Whether the rows of the members name their owner and the relationship has no order.
  fileprivate var isSaidByRowsOfMembers: Bool { inverse?.isToMany == false && !isOrdered }
}
