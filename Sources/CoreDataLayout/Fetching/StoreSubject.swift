import ObjectModel
import Predicates
import StoreInterface

/// Rows of a store, as predicates that SQL cannot say see them. Rows at the far ends of relationships are read one by
/// one and kept.
final class StoreSubjects {
  private let reader: StoreReader
  private var snapshots: [ObjectID: Snapshot?] = [:]
  private var memberLists: [MemberKey: [ObjectID]] = [:]
  private var error: (any Error)?

  private struct MemberKey: Hashable {
    var owner: ObjectID
    var relationship: String
  }

  init(_ reader: StoreReader) {
    self.reader = reader
  }

  func subject(for snapshot: Snapshot) -> StoreSubject { StoreSubject(store: self, snapshot: snapshot) }

  /// Throws the first error of a read: evaluation itself cannot throw.
  func throwError() throws {
    if let error { throw error }
  }

  func snapshot(of objectID: ObjectID) -> Snapshot? {
    if let known = snapshots[objectID] { return known }
    var request = FetchSpecification(objectID.entity)
    request.predicate = .selfIsIn([objectID])
    let snapshot = attempt { try reader.snapshots(request).first } ?? nil
    snapshots[objectID] = .some(snapshot)
    return snapshot
  }

  func members(of owner: ObjectID, _ name: String) -> [ObjectID] {
    let key = MemberKey(owner: owner, relationship: name)
    if let known = memberLists[key] { return known }
    guard let relationship = owner.entity.relationship(name) else { return [] }
    let members = attempt { try reader.members(of: owner, relationship: relationship) } ?? []
    memberLists[key] = members
    return members
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
}

/// A stored row, as a predicate sees it.
struct StoreSubject: PredicateSubject {
  let store: StoreSubjects
  let snapshot: Snapshot
  var objectID: ObjectID { snapshot.objectID }

  func value(at keyPath: FetchPredicate.KeyPath) -> Value {
    guard let (owner, rest) = end(of: keyPath), let name = rest.first,
      let index = owner.objectID.entity.attributes.firstIndex(where: { $0.name == name })
    else { return .null }
    return owner.attributes[index].element(at: rest.dropFirst())
  }

  func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? {
    guard let (owner, rest) = end(of: keyPath), rest.count == 1, let name = rest.first else { return nil }
    return Self.destination(of: owner, name)
  }

  func members(of relationship: String) -> [ObjectID] { store.members(of: objectID, relationship) }

  func subject(for objectID: ObjectID) -> StoreSubject? { store.snapshot(of: objectID).map { store.subject(for: $0) } }

  /// The row that the relationships of a key path lead to, and the rest of the path: a property, and for a composite
  /// the names of its elements.
  private func end(of keyPath: FetchPredicate.KeyPath) -> (Snapshot, ArraySlice<String>)? {
    var here = snapshot
    var rest = keyPath[...]
    while rest.count > 1, let name = rest.first, here.objectID.entity.relationship(name) != nil {
      guard let id = Self.destination(of: here, name), let next = store.snapshot(of: id) else { return nil }
      here = next
      rest.removeFirst()
    }
    return (here, rest)
  }

  private static func destination(of snapshot: Snapshot, _ name: String) -> ObjectID? {
    snapshot.objectID.entity.relationships.firstIndex { $0.name == name }.flatMap { snapshot.toOne[$0] }
  }
}
