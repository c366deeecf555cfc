import ObjectModel
import StoreInterface

/// The status of an object and what goes with it. Only this file sets it.
struct ObjectLifecycle {
  fileprivate var status: ManagedObject.Status
  fileprivate var isDeletionSaved = false
  fileprivate var isEmptied = false
  fileprivate var faultGroup: FaultGroup?
  fileprivate var retainedParent: ManagedObject?

  /// A fault, or a new object.
  init(isInserted: Bool) { status = isInserted ? .inserted : .fault }
}

extension ManagedObject {
  var status: Status { lifecycle.status }
  /// Whether a save of the context deleted it.
  var isDeletionSaved: Bool { lifecycle.isDeletionSaved }
  /// Whether it is a new object that was refreshed, and has not been used since.
  var isEmptied: Bool { lifecycle.isEmptied }
  /// The faults that were made together with this one, until it fires.
  var faultGroup: FaultGroup? { lifecycle.faultGroup }

  func makeFault() {
    willTurnIntoFault()
    forgetValues()
    lifecycle.status = .fault
    didTurnIntoFault()
  }

  /// Gives a refreshed new object its first values again, with no relationships, because it has no row to load from.
  /// The event records this as a change, which undo takes back.
  func empty() throws {
    willTurnIntoFault()
    for (index, value) in runtime.defaultValues.enumerated() { setValue(value, at: index) }
    for (index, relationship) in runtime.layout.relationships.enumerated() {
      if relationship.isToMany {
        try setObjects([], for: relationship.name)
      } else {
        setDestination(nil, at: index)
      }
    }
    lifecycle.isEmptied = true
    didTurnIntoFault()
  }

  /// Notes that an emptied object is used again.
  func endEmptiness() { lifecycle.isEmptied = false }

  /// The values are there, and those of the row.
  @inline(__always) func becomeLoaded() { lifecycle.status = .loaded }

  func becomeDeleted() { lifecycle.status = .deleted }

  /// A save of the context has written the deletion.
  func becomeDeletionSaved() { lifecycle.isDeletionSaved = true }

  /// The deletion is taken back, without the links that the object had.
  func becomeUndeleted() {
    lifecycle.status = stored == nil ? .inserted : .loaded
    emptyDestinations()
  }

  /// An object that is gone becomes a new one with the same id.
  func becomeInsertedAgain() {
    lifecycle.status = .inserted
    lifecycle.isDeletionSaved = false
    setStored(nil)
    if !objectID.isTemporary { reserve(objectID) }
  }

  /// Makes this an object of which nothing is saved any more. Loaded values stay readable, others are null.
  func makeInert(_ status: Status) {
    fillWithNulls()
    lifecycle.status = status
    lifecycle.isEmptied = false
    lifecycle.faultGroup = nil
    lifecycle.retainedParent = nil
    marks.leaveLists()
  }

  /// Takes the place of an object of the same entity, which is to be forgotten.
  func replace(_ other: ManagedObject) {
    adopt(other.objectID)
    copyValues(of: other)
    lifecycle.status = other.status
    marks.replacePlaces(of: other.marks)
  }

  /// Adds the fault to a group, until it fires.
  func join(_ group: FaultGroup) { lifecycle.faultGroup = group }

  /// Leaves the group, because the fault is filled alone.
  @inline(__always) func leaveGroup() { if lifecycle.faultGroup != nil { lifecycle.faultGroup = nil } }

  /// In a child context: holds the parent's object, so that it keeps the version that was read.
  func retain(_ parent: ManagedObject) { lifecycle.retainedParent = parent }
}
