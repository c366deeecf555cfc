import StoreInterface

/// Objects of a parent context with the rows that a child reads of them.
///
/// The unchecked `Sendable` is sound because a child only holds the objects and reads nothing of them.
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
  /// The rows that a child reads, on the child's queue. The child's objects hold the parent's objects from now on: so
  /// the parent keeps the version that the child has read, and its save finds a conflict when the row was changed
  /// elsewhere.
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
