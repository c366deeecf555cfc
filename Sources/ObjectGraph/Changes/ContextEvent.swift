import ObjectModel
import Predicates
import StoreInterface

/// What changed in a context since its changes were last processed.
struct ContextEvent {
  /// An object that was inserted, changed or deleted.
  struct Entry {
    let object: ManagedObject
    /// Nil when the object was not there.
    fileprivate(set) var before: ObjectState?
    /// The object's status before the event.
    @inline(__always) var statusBefore: ManagedObject.Status? { before?.status }
  }

  private(set) var entries: [Entry] = []
  /// Objects whose to-many relationships gained or lost members that were set at the other side. Undo restores these
  /// links through the members.
  private(set) var owners: [ManagedObject] = []
  /// Objects whose values were replaced by those of the store.
  private(set) var refreshed: [ManagedObject] = []
  /// Objects that a reset took away.
  private(set) var invalidatedCount = 0
  /// Faults that a merge brought, for rows that another context inserted.
  private(set) var merged: [ManagedObject] = []
  /// Objects that a merge found to be deleted.
  private(set) var lost: [ManagedObject] = []

  /// Notes the state of an object before its first change in this event; nil for a new object.
  mutating func note(_ object: ManagedObject, before: consuming ObjectState?) {
    object.marks.eventIndex = Int32(entries.count)
    entries.append(Entry(object: object, before: before))
  }

  mutating func noteOwners(_ objects: [ManagedObject]) { owners = objects }

  mutating func noteRefresh(of object: ManagedObject) { refreshed.append(object) }

  mutating func noteRefresh(of objects: [ManagedObject]) { refreshed += objects }

  mutating func noteArrival(of faults: [ManagedObject]) { merged += faults }

  mutating func noteLoss(of objects: [ManagedObject]) { lost += objects }

  mutating func noteReset(of count: Int) { invalidatedCount = count }

  /// The state of an object when the event began; nil when it has not changed since or did not exist.
  func stateBefore(of object: ManagedObject) -> ObjectState? {
    let index = Int(object.marks.eventIndex)
    return entries.indices.contains(index) ? entries[index].before : nil
  }

  /// Adds to-many relationships that were loaded since to the noted state of an object.
  mutating func addMissingMembers(of object: ManagedObject) {
    let index = Int(object.marks.eventIndex)
    if entries.indices.contains(index) { entries[index].before?.addMissingMembers(of: object) }
  }

  /// Adds a relationship that was loaded since to the noted state of an object.
  mutating func addMissingMembers(_ list: MemberList?, of object: ManagedObject, at relationship: Int) {
    let index = Int(object.marks.eventIndex)
    if entries.indices.contains(index) { entries[index].before?.addMissingMembers(list, of: object, at: relationship) }
  }

  /// Clears the objects' places in this event, which is over.
  func releaseObjects() {
    for index in entries.indices { entries[index].object.marks.eventIndex = -1 }
  }

  var isEmpty: Bool {
    entries.isEmpty && refreshed.isEmpty && merged.isEmpty && lost.isEmpty && invalidatedCount == 0
  }
}

/// An event whose notification is being posted: observers may ask what changed in it.
final class PostedEvent {
  private let event: ContextEvent
  private lazy var places = Dictionary(
    event.entries.enumerated().map { (ObjectIdentifier($1.object), $0) }, uniquingKeysWith: { first, _ in first })

  init(_ event: ContextEvent) { self.event = event }

  /// The state of an object when the event began; nil when it did not change in it or did not exist.
  func stateBefore(of object: ManagedObject) -> ObjectState? {
    places[ObjectIdentifier(object)].flatMap { event.entries[$0].before }
  }
}

/// The state of an object at one moment. Arrays are shared with the object until it changes, and a row that was not
/// taken apart is only taken apart when its values are asked for.
struct ObjectState {
  let status: ManagedObject.Status
  private var block: SnapshotBlock?
  private var row = 0
  private var ownValues: [Value] = []
  private var ownDestinations: [ObjectID?] = []
  private(set) var memberLists: [MemberList?]

  fileprivate init(of object: ManagedObject) {
    status = object.status
    memberLists = object.memberLists
    if let (block, row) = object.snapshotRow {
      (self.block, self.row) = (block, row)
    } else {
      ownValues = object.values
      ownDestinations = object.destinations
    }
  }

  /// One value per attribute. Asking for them may take a row apart.
  var values: [Value] {
    get { block?.snapshot(at: row).attributes ?? ownValues }
    set {
      unpack()
      ownValues = newValue
    }
  }

  /// One destination per relationship. Asking for them may take a row apart.
  var destinations: [ObjectID?] {
    get { block?.snapshot(at: row).toOne ?? ownDestinations }
    set {
      unpack()
      ownDestinations = newValue
    }
  }

  private mutating func unpack() {
    guard let block else { return }
    let snapshot = block.snapshot(at: row)
    (ownValues, ownDestinations) = (snapshot.attributes, snapshot.toOne)
    self.block = nil
  }

  /// The members of a to-many relationship, when they were loaded.
  func members(_ index: Int) -> [ObjectID]? {
    guard memberLists.indices.contains(index), var list = memberLists[index] else { return nil }
    return list.members()
  }

  /// Whether every property is the same.
  func isSame(as other: ObjectState) -> Bool {
    if status != other.status { return false }
    let (destinations, values, otherValues) = (destinations, values, other.values)
    return destinations == other.destinations && values.count == otherValues.count
      && zip(values, otherValues).allSatisfy { $0.isIdentical(to: $1) }
      && zip(memberLists, other.memberLists).allSatisfy { $0?.count == $1?.count }
      && destinations.indices.allSatisfy { members($0) == other.members($0) }
  }

  /// Adds to-many relationships that were loaded since, and not changed before that.
  mutating func addMissingMembers(of object: ManagedObject) {
    if memberLists.isEmpty { memberLists = Array(repeating: nil, count: object.memberLists.count) }
    for index in memberLists.indices where memberLists[index] == nil { memberLists[index] = object.memberLists[index] }
  }

  /// Takes the members of one relationship, if they were not there.
  mutating func addMissingMembers(_ list: MemberList?, of object: ManagedObject, at index: Int) {
    if memberLists.isEmpty {
      memberLists = Array(repeating: nil, count: object.runtime.layout.relationships.count)
    }
    if memberLists[index] == nil { memberLists[index] = list }
  }
}

extension ManagedObject {
  var state: ObjectState { ObjectState(of: self) }
}
