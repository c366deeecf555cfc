import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Brings in what key paths lead to from fetched objects, with one fetch for each relationship instead of one for each
  /// object: rows go to the row cache, and the members of to-many relationships to their owners.
  ///
  /// Members of ordered relationships, of those to many objects on both sides and of those without inverse are still
  /// asked for owner by owner.
  func prefetch(_ keyPaths: [Predicate.KeyPath], for objects: [ManagedObject]) throws {
    for keyPath in keyPaths {
      var here = objects
      for name in keyPath where !here.isEmpty {
        var next: [ManagedObject] = []
        for (_, owners) in Dictionary(grouping: here, by: \.entity).sorted(by: { $0.key.index < $1.key.index }) {
          next += try prefetch(name, of: owners)
        }
        here = next
      }
    }
  }

  /// - Parameter owners: of one entity.
  private func prefetch(_ name: String, of owners: [ManagedObject]) throws -> [ManagedObject] {
    guard let layout = owners.first?.runtime.layout, let index = layout.relationshipIndexes[name] else {
      throw StoreError.failure("\(owners[0].entity.name) has no relationship \"\(name)\" that could be prefetched")
    }
    let relationship = layout.relationships[index]
    var ids: [ObjectID]
    if relationship.isToMany {
      try loadMembers(index, relationship, of: owners)
      ids = try owners.flatMap { try $0.objectIDs(for: name) }
    } else {
      ids = owners.compactMap { $0.isFault ? $0.waitingDestination(index) : $0.loadedDestination(index) }
    }
    var seen: Set<ObjectID> = []
    ids = ids.filter { seen.insert($0).inserted }
    let objects = ids.map { object(with: $0) }
    let empty = objects.filter { $0.isFault && !$0.hasStored && !$0.objectID.isTemporary }.map(\.objectID)
    if !empty.isEmpty { _ = materialise([SnapshotBlock(try rows(of: empty))], asFaults: true) }
    return objects
  }

  /// Loads the members of unordered relationships whose other side is one object with one fetch.
  private func loadMembers(_ index: Int, _ relationship: Relationship, of owners: [ManagedObject]) throws {
    guard let inverse = relationship.inverse, !inverse.isToMany, !relationship.isOrdered, parent == nil else {
      return
    }
    let unloaded = owners.filter { owner in
      !owner.objectID.isTemporary && !(owner.memberLists.indices.contains(index) && owner.memberLists[index] != nil)
    }
    if unloaded.isEmpty { return }
    var request = FetchRequest(relationship.destination)
    request.predicate = .compare(
      .init(.keyPath([inverse.name]), .isIn, .aggregate(unloaded.map { .object($0.objectID) })))
    var members: [ObjectID: [ObjectID]] = [:]
    let rows = try rows(request)
    for block in rows {
      for row in 0..<block.count {
        let id = block.objectID(at: row)
        let layout = coordinator.runtime(id.entity).layout
        guard let position = layout.relationshipIndexes[inverse.name],
          let owner = block.destination(at: row, relationship: position)
        else { continue }
        members[owner, default: []].append(id)
      }
    }
    _ = materialise(rows, asFaults: true)
    for owner in unloaded {
      owner.fire()
      if owner.isDeleted || owner.isFault { continue }
      if owner.memberLists.isEmpty {
        owner.memberLists = Array(repeating: nil, count: owner.runtime.layout.relationships.count)
      }
      var list = MemberList(stored: members[owner.objectID] ?? [])
      let delta = takeDelta(of: owner.objectID, index)
      delta?.apply(to: &list)
      owner.memberLists[index] = list
      if delta != nil { owner.noteListEdit(index, isSetHere: false) }
    }
  }
}
