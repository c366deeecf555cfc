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
struct StoredObject: PredicateSubject {
  let objects: StoredObjects
  let snapshot: Snapshot
  var objectID: ObjectID { snapshot.objectID }

  func value(at keyPath: FetchPredicate.KeyPath) -> Value {
    guard let (owner, rest) = end(of: keyPath), let name = rest.first,
      let index = objects.layout[owner.objectID.entity].attributeIndexes[name]
    else { return .null }
    return owner.attributes[index].element(at: rest.dropFirst())
  }

  func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? {
    guard let (owner, rest) = end(of: keyPath), rest.count == 1, let name = rest.first else { return nil }
    return destination(of: owner, name)
  }

  func members(of relationship: String) -> [ObjectID] {
    let own = objects.layout[objectID.entity]
    guard let index = own.relationshipIndexes[relationship] else { return [] }
    return objects.attempt { try objects.store.members(of: objectID, relationship: own.relationships[index]) } ?? []
  }

  func subject(for objectID: ObjectID) -> StoredObject? {
    (objects.attempt { try objects.snapshot(of: objectID) } ?? nil).map { StoredObject(objects: objects, snapshot: $0) }
  }

  /// The row that the relationships of a key path lead to, and the rest of the path.
  private func end(of keyPath: FetchPredicate.KeyPath) -> (Snapshot, ArraySlice<String>)? {
    var here = snapshot
    var rest = keyPath[...]
    while rest.count > 1, let name = rest.first, here.objectID.entity.relationship(name) != nil {
      guard let id = destination(of: here, name), let next = subject(for: id)?.snapshot else { return nil }
      here = next
      rest.removeFirst()
    }
    return (here, rest)
  }

  private func destination(of snapshot: Snapshot, _ name: String) -> ObjectID? {
    objects.layout[snapshot.objectID.entity].relationshipIndexes[name].flatMap { snapshot.toOne[$0] }
  }
}
