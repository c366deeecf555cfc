import ObjectModel
import Predicates

/// The rows and memberships of a store that a batch has asked for, each read once.
final class StoredObjects {
  let store: any PersistentStore
  let layout: ModelLayout
  private var snapshots: [ObjectID: Snapshot?] = [:]
  private var error: (any Error)?

  init(_ store: any PersistentStore) {
    self.store = store
    layout = ModelLayout(store.model)
  }

  /// The rows that a request selects.
  func fetch(_ request: FetchSpecification) throws -> [Snapshot] {
    let found = try store.snapshots(request)
    for snapshot in found { snapshots[snapshot.objectID] = snapshot }
    return found
  }

  /// The row of an object; nil when it is gone.
  func snapshot(of id: ObjectID) throws -> Snapshot? {
    if let known = snapshots[id] { return known }
    var request = FetchSpecification(id.entity)
    request.predicate = .selfIsIn([id])
    let found = try store.snapshots(request).first
    snapshots[id] = .some(found)
    return found
  }

  /// The rows of the objects that a relationship of an object leads to and that are there.
  func destinations(of snapshot: Snapshot, _ index: Int) throws -> [Snapshot] {
    let relationship = layout[snapshot.objectID.entity].relationships[index]
    let ids =
      relationship.isToMany
      ? try store.members(of: snapshot.objectID, relationship: relationship)
      : [snapshot.toOne[index]].compactMap(\.self)
    return try ids.compactMap { try self.snapshot(of: $0) }
  }

  /// Runs a read of an evaluation, which cannot throw.
  func attempt<Result>(_ read: () throws -> Result) -> Result? {
    if error != nil { return nil }
    do {
      return try read()
    } catch {
      self.error = error
      return nil
    }
  }

  /// Throws the first error of an evaluation.
  func throwError() throws {
    if let error { throw error }
  }
}

/// A stored object, as an expression sees it.
struct StoredObject: PropertySubject {
  let objects: StoredObjects
  let snapshot: Snapshot
  var objectID: ObjectID { snapshot.objectID }

  var layout: EntityLayout { objects.layout[objectID.entity] }

  func attribute(_ index: Int) -> Value { snapshot.attribute(index) }

  func destination(_ index: Int) -> ObjectID? { snapshot.destination(index) }

  func members(at index: Int) -> [ObjectID] {
    objects.attempt { try objects.store.members(of: objectID, relationship: layout.relationships[index]) } ?? []
  }

  func subject(for objectID: ObjectID) -> StoredObject? {
    (objects.attempt { try objects.snapshot(of: objectID) } ?? nil).map { StoredObject(objects: objects, snapshot: $0) }
  }
}
