package import ObjectModel
import Predicates

/// Rows and memberships of a store, as predicates and expressions see them that are evaluated in memory. Those at the
/// far ends of relationships are read one by one and kept.
package final class StoredObjects {
  let store: any StoreReading
  package private(set) lazy var layout = ModelLayout(store.model)
  private var snapshots: [ObjectID: Snapshot?] = [:]
  private var memberLists: [MemberKey: [ObjectID]] = [:]
  private var error: (any Error)?

  private struct MemberKey: Hashable {
    var owner: ObjectID
    var relationship: Int
  }

  /// The rows of a store, or of a reader of one.
  package init(_ store: any StoreReading) { self.store = store }

  /// A row that was read.
  package func subject(for snapshot: Snapshot) -> StoredObject { StoredObject(objects: self, snapshot: snapshot) }

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

  /// A row that an evaluation, which cannot throw, comes to.
  fileprivate func subject(for id: ObjectID) -> StoredObject? {
    (attempt { try snapshot(of: id) } ?? nil).map { subject(for: $0) }
  }

  fileprivate func members(of owner: ObjectID, _ relationship: Int) -> [ObjectID] {
    let key = MemberKey(owner: owner, relationship: relationship)
    if let known = memberLists[key] { return known }
    let members = attempt {
      try store.members(of: owner, relationship: layout[owner.entity].relationships[relationship])
    }
    memberLists[key] = members ?? []
    return members ?? []
  }

  private func attempt<Result>(_ read: () throws -> Result) -> Result? {
    if error != nil { return nil }
    do {
      return try read()
    } catch {
      self.error = error
      return nil
    }
  }

  /// Throws the first error of an evaluation.
  package func throwError() throws {
    if let error { throw error }
  }
}

/// A stored object, as a predicate or an expression sees it.
package struct StoredObject: PropertySubject {
  @usableFromInline let objects: StoredObjects
  @usableFromInline let snapshot: Snapshot

  @inlinable package var objectID: ObjectID { snapshot.objectID }

  package var layout: EntityLayout { objects.layout[objectID.entity] }

  @inlinable package func attribute(_ index: Int) -> Value { snapshot.attribute(index) }

  @inlinable package func destination(_ index: Int) -> ObjectID? { snapshot.destination(index) }

  package func members(at index: Int) -> [ObjectID] { objects.members(of: objectID, index) }

  package func subject(for objectID: ObjectID) -> StoredObject? { objects.subject(for: objectID) }
}
