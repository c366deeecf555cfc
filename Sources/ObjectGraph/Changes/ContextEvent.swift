import ObjectModel
import Predicates

/// What changed in a context since its changes were last processed.
struct ContextEvent {
  /// An object that was inserted, changed or deleted.
  struct Entry {
    let object: ManagedObject
    /// Nil when the object was not there.
    var before: ObjectState?
  }

  var entries: [Entry] = []
  /// Objects whose to-many relationships got or lost members because the other side says so. Undo follows the members.
  var owners: [ManagedObject] = []
  /// Objects whose values were replaced by those of the store.
  var refreshed: [ManagedObject] = []
  /// Objects that a reset took away.
  var invalidatedCount = 0
  /// Faults that a merge brought, for rows that another context inserted.
  var merged: [ManagedObject] = []
  /// Objects that a merge found to be deleted.
  var lost: [ManagedObject] = []

  var isEmpty: Bool {
    entries.isEmpty && refreshed.isEmpty && merged.isEmpty && lost.isEmpty && invalidatedCount == 0
  }
}

/// The state of an object at one moment. Arrays are shared with the object until it changes.
struct ObjectState {
  let status: ManagedObject.Status
  var values: [Value]
  var destinations: [ObjectID?]
  private(set) var memberLists: [MemberList?]

  /// The members of a to-many relationship, when they were loaded.
  func members(_ index: Int) -> [ObjectID]? {
    guard memberLists.indices.contains(index), var list = memberLists[index] else { return nil }
    return list.members()
  }

  /// Whether every property is the same.
  func isSame(as other: ObjectState) -> Bool {
    status == other.status && destinations == other.destinations && values.count == other.values.count
      && zip(values, other.values).allSatisfy { $0.isIdentical(to: $1) }
      && destinations.indices.allSatisfy { members($0) == other.members($0) }
  }

  /// Adds to-many relationships that were loaded since, and not changed before that.
  mutating func addMissingMembers(of object: ManagedObject) {
    if memberLists.isEmpty { memberLists = Array(repeating: nil, count: object.memberLists.count) }
    for index in memberLists.indices where memberLists[index] == nil { memberLists[index] = object.memberLists[index] }
  }
}

extension ManagedObject {
  var state: ObjectState {
    ObjectState(status: status, values: values, destinations: destinations, memberLists: memberLists)
  }
}
