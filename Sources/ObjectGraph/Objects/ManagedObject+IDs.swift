import ObjectModel
import StoreInterface

extension ManagedObject {
  /// The ids in the object's loaded relationships, as they are here and as they are in the store.
  var mentionedIDs: [ObjectID] {
    var ids = destinations.compactMap { $0 } + (stored?.toOne.compactMap { $0 } ?? [])
    for index in memberLists.indices {
      if let list = memberLists[index] { ids += list.stored }
      ids += loadedMembers(index) ?? []
    }
    return ids
  }

  /// Gives objects that this one mentions other ids, in its current and its stored state.
  func replaceIDs(_ ids: [ObjectID: ObjectID]) {
    func isReplaced(_ id: ObjectID?) -> Bool { id.map { ids[$0] != nil } ?? false }
    for (index, id) in destinations.enumerated() {
      if let id, let other = ids[id] { putDestination(other, at: index) }
    }
    if var snapshot = stored, ids[snapshot.objectID] != nil || snapshot.toOne.contains(where: isReplaced) {
      snapshot.objectID = ids[snapshot.objectID] ?? snapshot.objectID
      snapshot.toOne = snapshot.toOne.map { $0.map { ids[$0] ?? $0 } }
      setStored(snapshot)
    }
    replaceMemberIDs(ids)
  }
}
