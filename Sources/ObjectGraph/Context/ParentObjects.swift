import ObjectModel
import StoreInterface

/// Objects of a parent context with the rows that a child reads of them.
///
/// The objects cross queues only to be held: a child touches nothing of them.
struct ParentObjects: @unchecked Sendable {
  let snapshots: [Snapshot]
  let objects: [ManagedObject]

  /// Objects as they are now; on their context's queue.
  init(_ objects: [ManagedObject]) {
    self.objects = objects
    snapshots = objects.map(\.currentSnapshot)
  }
}

extension ManagedObjectContext {
  /// What a child reads, on the child's queue. The child's objects hold the parent's from now on: so the parent keeps
  /// the version that the child has seen, and finds out when it saves that others changed the row.
  func retain(_ found: ParentObjects) -> [Snapshot] {
    for (snapshot, object) in zip(found.snapshots, found.objects) {
      if let own = registeredObject(for: snapshot.objectID) {
        own.retain(object)
      } else {
        retainedParents[snapshot.objectID] = object
      }
    }
    return found.snapshots
  }
}
