import ObjectModel
import Predicates
import StoreInterface

/// The values of an object: those of a row of a block, until all of them are asked for or one is changed.
extension ManagedObject {
  /// One value per attribute; empty while the object is a fault.
  var values: [Value] {
    get {
      if isPacked { unpack() }
      return contents?.values ?? []
    }
    _modify { yield &ownContents().values }
  }

  /// One destination per relationship; nil for to-many relationships. Empty while the object is a fault.
  var destinations: [ObjectID?] {
    get {
      if isPacked { unpack() }
      return contents?.destinations ?? []
    }
    _modify { yield &ownContents().destinations }
  }

  /// One list per relationship; nil for to-one relationships and those not loaded. Empty until one is.
  var memberLists: [MemberList?] {
    get { contents?.memberLists ?? [] }
    _modify {
      noteLists()
      yield &ownContents().memberLists
    }
  }

  /// The persisted state that the current values are compared with; nil for new objects. A fault that has one fires
  /// without asking the store.
  var stored: Snapshot? {
    get {
      if block != nil { unpack() }
      return contents?.stored
    }
    set {
      if isPacked { unpack() }
      block = nil
      if newValue != nil || contents != nil { ownContents().stored = newValue }
    }
  }

  /// Whether there is a `stored`.
  var hasStored: Bool { block != nil || contents?.stored != nil }

  /// The version of the row that `stored` is; nil without one.
  var storedVersion: Int64? { block?.version(at: Int(blockRow)) ?? contents?.stored?.version }

  /// The permanent id that a save which failed had already reserved.
  var reservedID: ObjectID? {
    get { contents?.reservedID }
    set { if newValue != nil || contents != nil { ownContents().reservedID = newValue } }
  }

  /// The identifier of the store that a new object was assigned to.
  var assignedStore: String? {
    get { contents?.assignedStore }
    set { if newValue != nil || contents != nil { ownContents().assignedStore = newValue } }
  }

  /// Relationships that another save will fill, of rows that refer to what is not there yet: until then they may lack
  /// a destination that the model requires.
  public var deferredRelationships: Set<String> {
    get { contents?.deferredRelationships ?? [] }
    set { if !newValue.isEmpty || contents != nil { ownContents().deferredRelationships = newValue } }
  }

  /// The destination of a to-one relationship in the row: for a fault as far as that is there.
  func waitingDestination(_ index: Int) -> ObjectID? {
    if let block { return block.destination(at: Int(blockRow), relationship: index) }
    return contents?.stored?.toOne[index]
  }

  /// The contents, of the object's own from now on.
  private func ownContents() -> ObjectContents {
    if isPacked { unpack() }
    if let contents { return contents }
    let own = ObjectContents()
    contents = own
    return own
  }

  /// Takes the row apart. A fault keeps it as `stored`.
  private func unpack() {
    guard let block else { return }
    let own = contents ?? ObjectContents()
    contents = own
    let snapshot = block.snapshot(at: Int(blockRow))
    own.stored = snapshot
    if isPacked {
      own.values = snapshot.attributes
      own.destinations = snapshot.toOne
    }
    self.block = nil
    isPacked = false
  }

  /// A new object has been saved as this row.
  func becomeSaved(_ snapshot: Snapshot) {
    let own = ownContents()
    own.reservedID = nil
    isEmptied = false
    own.stored = snapshot
    own.destinations = snapshot.toOne
    block = nil
    status = .loaded
  }

  /// Gives a fault a row to fire from.
  func setWaitingRow(_ block: SnapshotBlock, _ row: Int) {
    self.block = block
    blockRow = Int32(row)
    faultGroup = nil
  }

  /// Takes the values of a row: the object is loaded and unchanged.
  func load(_ block: SnapshotBlock, _ row: Int) {
    self.block = block
    blockRow = Int32(row)
    becomePacked()
  }

  /// Takes the values of the row that the fault has; does nothing when that was taken apart.
  func loadWaitingRow() -> Bool {
    if block == nil { return false }
    becomePacked()
    return true
  }

  private func becomePacked() {
    if let contents {
      contents.values = []
      contents.destinations = []
      contents.memberLists = []
      contents.stored = nil
    }
    isPacked = true
    faultGroup = nil
    status = .loaded
  }

  /// Takes the values of a snapshot: the object is loaded and unchanged.
  func load(_ snapshot: Snapshot) {
    block = nil
    isPacked = false
    let own = ownContents()
    own.stored = snapshot
    own.values = snapshot.attributes
    own.destinations = snapshot.toOne
    own.memberLists = []
    faultGroup = nil
    status = .loaded
  }

  /// Forgets values and row.
  func forgetValues() {
    block = nil
    isPacked = false
    guard let contents else { return }
    contents.stored = nil
    contents.values = []
    contents.destinations = []
    contents.memberLists = []
  }

  /// The value of an attribute of an object that is loaded.
  func loadedValue(_ index: Int) -> Value {
    if isPacked, let block { return block.value(at: Int(blockRow), attribute: index) }
    return contents?.values[index] ?? .null
  }

  /// The destination of a to-one relationship of an object that is loaded.
  func loadedDestination(_ index: Int) -> ObjectID? {
    if isPacked, let block { return block.destination(at: Int(blockRow), relationship: index) }
    return contents?.destinations[index]
  }
}
