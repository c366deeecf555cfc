import ObjectModel
import StoreInterface

/// The owners of changed members, for merges that are told by ids alone: what a history, a batch request or another
/// process says does not name them.
extension ManagedObjectContext {
  /// The objects with a loaded to-many relationship that may lead to something that changed.
  func possibleOwners(_ changes: ContextChangeIDs) -> [ManagedObject] {
    let changed = changes.insertedObjectIDs + changes.updatedObjectIDs + changes.deletedObjectIDs
    let roots = Set(changed.map { $0.entity.root.index })
    return registry.all.filter { object in
      (object.status == .loaded || object.status == .deleted)
        && object.memberLists.indices.contains { index in
          object.memberLists[index] != nil
            && roots.contains(object.runtime.layout.relationships[index].destination.root.index)
        }
    }
  }

  /// Those of the possible owners whose members are the same, as the rows of what changed say. Without a to-one inverse
  /// no row says it, so that such owners are never among them.
  /// - Complexity: the rows of what was inserted and updated are read; of each list, the fewer of its members and what
  ///   changed are looked at.
  /// - Throws: what the store throws.
  func ownersOfSameMembers(_ owners: [ManagedObject], _ changes: ContextChangeIDs) throws -> Set<ObjectID> {
    let present = (changes.insertedObjectIDs + changes.updatedObjectIDs).map { permanentID(for: $0) }
    let rows = Dictionary(try snapshots(of: present).map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    let changed = Set(present + changes.deletedObjectIDs.map { permanentID(for: $0) })
    var same = Set(owners.map(\.objectID))
    for row in rows.values { same.subtract(ownersThatLack(row)) }
    for owner in owners where same.contains(owner.objectID) && hasOtherMembers(owner, changed, rows) {
      same.remove(owner.objectID)
    }
    return same
  }

  /// The objects that a row belongs to without being among their loaded members.
  private func ownersThatLack(_ row: Snapshot) -> [ObjectID] {
    let layout = coordinator.runtime(row.objectID.entity).layout
    return layout.relationships.indices.compactMap { index in
      guard !layout.relationships[index].isToMany, let target = row.toOne[index], let inverse = layout.inverses[index],
        let owner = registeredObject(for: target), let list = owner.runtime.index(of: inverse), owner.isLoaded(list),
        owner.memberLists[list]?.contains(row.objectID) == false
      else { return nil }
      return owner.objectID
    }
  }

  /// Whether a loaded list of the owner has something that changed and is no member now, or may stand elsewhere.
  private func hasOtherMembers(
    _ owner: ManagedObject, _ changed: Set<ObjectID>, _ rows: [ObjectID: Snapshot]
  ) -> Bool {
    let layout = owner.runtime.layout
    return owner.memberLists.indices.contains { index in
      guard let list = owner.memberLists[index] else { return false }
      let relationship = layout.relationships[index]
      guard let inverse = layout.inverses[index], !inverse.isToMany else {
        return changed.contains { $0.entity.root == relationship.destination.root }
      }
      let touched =
        list.count < changed.count
        ? (owner.loadedMembers(index) ?? []).filter(changed.contains) : changed.filter(list.contains)
      return touched.contains { member in
        guard !relationship.isOrdered, let row = rows[member],
          let link = coordinator.runtime(member.entity).index(of: inverse)
        else { return true }
        return row.toOne[link] != owner.objectID
      }
    }
  }
}
