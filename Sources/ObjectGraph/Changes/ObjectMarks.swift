/// The marks that a context's lists of changes set at an object, so that it need not be looked up in them.
struct ObjectMarks {
  /// Is on the list of objects that were changed at some time since the last save.
  var isMaybeUpdated = false
  /// Is on the list of objects whose member lists were edited.
  var hasEditedLists = false
  /// Is kept alive by the context because a pending change leads to it, or led to it before.
  var isKept = false
  /// Is among those that the context asks when a member of a to-many relationship without inverse gets another owner.
  var isInverselessOwner = false
  /// The hook of a subclass that runs.
  var hook = Hook.none
  /// The index of the object's entry in the current event; negative when the object has not changed in it.
  var eventIndex: Int32 = -1

  enum Hook: UInt8 {
    case none
    case prepareForDeletion
    /// What it sets is no change.
    case awakeFromFetch
  }

  /// The object takes the place of another one on the lists.
  mutating func replacePlaces(of other: ObjectMarks) {
    isMaybeUpdated = other.isMaybeUpdated
    hasEditedLists = other.hasEditedLists
  }

  /// The object is on no list of changes any more.
  mutating func leaveLists() {
    isMaybeUpdated = false
    hasEditedLists = false
  }
}

extension ManagedObject {
  var isMaybeUpdated: Bool { marks.isMaybeUpdated }
  var hasEditedLists: Bool { marks.hasEditedLists }
  /// Whether the object changed since the current event began.
  var isInEvent: Bool { marks.eventIndex >= 0 }
}
