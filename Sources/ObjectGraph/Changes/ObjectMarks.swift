/// The marks that a context's lists of changes set at an object, so that it need not be looked up in them.
struct ObjectMarks {
  /// Whether it is on the list of objects that were changed at some time since the last save.
  var isMaybeUpdated = false
  /// Whether it is on the list of objects whose member lists were edited.
  var hasEditedLists = false
  /// The marks that few objects have. They share a byte, so that an object does not grow.
  private var rareMarks = RareMarks()
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

  private struct RareMarks: OptionSet {
    let rawValue: UInt8
    static let kept = RareMarks(rawValue: 1)
    static let watched = RareMarks(rawValue: 2)
    static let inverselessOwner = RareMarks(rawValue: 4)

    mutating func set(_ mark: RareMarks, _ isSet: Bool) {
      if isSet { insert(mark) } else { remove(mark) }
    }
  }

  /// Whether the context keeps it alive because a changed relationship leads to it, or led to it.
  var isKept: Bool {
    get { rareMarks.contains(.kept) }
    set { rareMarks.set(.kept, newValue) }
  }
  /// Whether the next save checks that its row is as it was read.
  var isWatched: Bool {
    get { rareMarks.contains(.watched) }
    set { rareMarks.set(.watched, newValue) }
  }
  /// Whether its lists are checked when a member of a to-many relationship without inverse gets another owner.
  var isInverselessOwner: Bool {
    get { rareMarks.contains(.inverselessOwner) }
    set { rareMarks.set(.inverselessOwner, newValue) }
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
