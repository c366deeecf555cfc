import ObjectModel
import Predicates
import StoreInterface

/// Rows of a store, as predicates that SQL cannot say see them. Rows at the far ends of relationships are read one by
/// one and kept.
final class StoreSubjects {
  private let reader: StoreReader
  fileprivate private(set) lazy var layout = ModelLayout(reader.file.model)
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
struct StoreSubject: PropertySubject {
  let store: StoreSubjects
  let snapshot: Snapshot
  var objectID: ObjectID { snapshot.objectID }

  var layout: EntityLayout { store.layout[objectID.entity] }

  func attribute(_ index: Int) -> Value { snapshot.attribute(index) }

  func destination(_ index: Int) -> ObjectID? { snapshot.destination(index) }

  func members(at index: Int) -> [ObjectID] { store.members(of: objectID, layout.relationships[index].name) }

  func subject(for objectID: ObjectID) -> StoreSubject? { store.snapshot(of: objectID).map { store.subject(for: $0) } }
}
