import ObjectModel
import Predicates
import StoreInterface

/// The values of an object, and where they come from. Only this file sets them.
struct ObjectStorage {
  /// Where the row lies that the object has its values from, or that the fault will get them from.
  fileprivate var block: SnapshotBlock?
  /// The rest, once there is any.
  fileprivate var contents: ObjectContents?
  fileprivate var blockRow: Int32 = 0
  /// Whether the values are those of the row in the block, not those of the contents.
  fileprivate var isPacked = false
  /// Whether a save has written `edited`: then the object is stored as that, one version later than the row.
  fileprivate var isEditSaved = false
  /// The row with values that it was given since it was read. Only an object that is packed and has no contents has
  /// one.
  fileprivate var edited: EditedSnapshot?

  /// The storage of a fault, which has no values.
  init() {}

  /// Takes the values of a new object: the entity's defaults.
  mutating func becomeNew(of runtime: EntityRuntime) {
    contents = ObjectContents(
      values: runtime.newValues, destinations: runtime.emptyDestinations, memberLists: runtime.emptyMemberLists)
  }
}

extension ManagedObject {
  // For short.
  private var block: SnapshotBlock? { storage.block }
  private var blockRow: Int32 { storage.blockRow }
  private var contents: ObjectContents? { storage.contents }
  private var isPacked: Bool { storage.isPacked }

  /// The row that the values are those of, as long as it was not taken apart.
  var snapshotRow: (block: SnapshotBlock, index: Int)? {
    isPacked && storage.edited == nil ? block.map { ($0, Int(blockRow)) } : nil
  }

  /// Whether the values are those of the row, and no member list is loaded.
  var isUntouched: Bool {
    isPacked && storage.contents == nil && (storage.edited == nil || storage.isEditSaved)
  }

  /// The row with values that are not stored yet, of an object that has only such edits.
  var unsavedEdits: EditedSnapshot? { storage.isEditSaved ? nil : storage.edited }

  /// One value per attribute; empty while the object is a fault.
  fileprivate(set) var values: [Value] {
    get {
      if isPacked { unpack() }
      return contents?.values ?? []
    }
    _modify {
      let own = ownContents()
      own.touched.insertAllAttributes()
      yield &own.values
    }
  }

  /// One destination per relationship; nil for to-many relationships. Empty while the object is a fault.
  fileprivate(set) var destinations: [ObjectID?] {
    get {
      if isPacked { unpack() }
      return contents?.destinations ?? []
    }
    _modify {
      let own = ownContents()
      own.touched.insertAllRelationships()
      yield &own.destinations
    }
  }

  /// The lists of `memberLists`; only `ManagedObject+MemberLists.swift` changes them.
  var ownMemberLists: [MemberList?] {
    get { contents?.memberLists ?? [] }
    _modify {
      noteLists()
      yield &ownContents().memberLists
    }
  }

  /// The persisted state that the current values are compared with; nil for new objects. A fault that has one fires
  /// without asking the store.
  var stored: Snapshot? {
    if block != nil { unpack() }
    return contents?.stored
  }

  /// Replaces the stored row; the current values stay.
  func setStored(_ snapshot: Snapshot?) {
    if isPacked { unpack() }
    storage.block = nil
    if snapshot == nil && contents == nil { return }
    let own = ownContents()
    own.stored = snapshot
    own.touched = .all
  }

  /// Gives a fault a snapshot to fire from; without one it asks the store.
  func setWaiting(_ snapshot: Snapshot?) {
    setStored(snapshot)
    if snapshot != nil { leaveGroup() }
  }

  /// Sets a value without noting a change for the current event.
  func putValue(_ value: Value, at index: Int) {
    if isPacked && storage.contents == nil && edit(value, at: index) { return }
    if isPacked || storage.contents == nil { return ownContents().put(value, at: index) }
    // Safety: the object holds its contents, and nothing runs meanwhile that could take them away.
    unsafe borrowing(storage.contents.unsafelyUnwrapped) { $0.put(value, at: index) }
  }

  /// Keeps a value beside the packed row.
  /// - Returns: false where the row has to be taken apart.
  private func edit(_ value: Value, at index: Int) -> Bool {
    // A set of properties does not tell attributes beyond its capacity apart.
    guard storage.block != nil, !storage.isEditSaved, index < PropertySet.capacity,
      !runtime.transientProperties.contains(attribute: index)
    else { return false }
    if let edited = storage.edited {
      if edited.count == EditedSnapshot.greatestCount { return false }
      storage.edited = edited.setting(index, to: value)
      return true
    }
    // Safety: as below.
    guard let edited = unsafe borrowing(storage.block.unsafelyUnwrapped, { $0.editing(Int(blockRow), index, value) })
    else { return false }
    storage.edited = edited
    return true
  }

  /// Sets all values of an object that was just inserted.
  func putValues(_ values: [Value]) { self.values = values }

  /// Sets a destination without noting a change for the current event.
  func putDestination(_ destination: ObjectID?, at index: Int) {
    let own = ownContents()
    own.touched.insert(relationship: index)
    own.destinations[index] = destination
  }

  /// Removes all destinations; the other sides do not change.
  func emptyDestinations() { destinations = Array(repeating: nil, count: destinations.count) }

  /// Has the values, lists and row of another object of the same entity.
  func copyValues(of other: ManagedObject) {
    contents?.reservedID = nil
    values = other.values
    destinations = other.destinations
    putMembers(of: other)
    setStored(other.stored)
  }

  /// Removes all destinations and members.
  func emptyRelationships() {
    destinations = runtime.emptyDestinations
    emptyMembers()
  }

  /// Gives null values to a fault that cannot be loaded.
  func fillWithNulls() {
    if isPacked { return }
    if values.isEmpty { values = Array(repeating: .null, count: runtime.layout.attributes.count) }
    if destinations.isEmpty { destinations = runtime.emptyDestinations }
  }

  /// The attributes and to-one relationships of a loaded object that differ from `stored`, transient ones included.
  var changedProperties: PropertySet {
    if let edited = unsavedEdits { return edited.edits }
    if isPacked || storage.contents == nil { return PropertySet() }
    // Safety: the object holds its contents, and nothing runs meanwhile that could take them away.
    return unsafe borrowing(storage.contents.unsafelyUnwrapped) { $0.changedProperties }
  }

  /// Whether there is any of `changedProperties`.
  func hasChangedProperties(countingTransients: Bool) -> Bool {
    if storage.edited != nil && !storage.isEditSaved { return true }
    if isPacked || storage.contents == nil { return false }
    // Safety: as above.
    return unsafe borrowing(storage.contents.unsafelyUnwrapped) { contents in
      contents.hasChanges { countingTransients || !runtime.layout.attributes[$0].isTransient }
    }
  }

  /// Whether there is a `stored`.
  var hasStored: Bool { storage.block != nil || storage.contents?.hasStored ?? false }

  /// The version of the row that `stored` is; nil without one.
  var storedVersion: Int64? {
    guard let block else { return storage.contents?.storedVersion }
    let version = block.version(at: Int(blockRow))
    return storage.isEditSaved ? Snapshot.version(after: version) : version
  }

  /// The permanent id that a save which failed had already reserved.
  var reservedID: ObjectID? { contents?.reservedID }
  var hasReservedID: Bool { contents?.reservedID != nil }
  func reserve(_ objectID: ObjectID) { ownContents().reservedID = objectID }

  /// The identifier of the store that a new object was assigned to.
  var assignedStore: String? { contents?.assignedStore }
  func assign(toStore identifier: String?) { ownContents().assignedStore = identifier }

  /// Relationships that another save will fill, of rows that refer to what is not there yet: until then they may lack
  /// a destination that the model requires.
  public var deferredRelationships: Set<String> {
    get { contents?.deferredRelationships ?? [] }
    set { if !newValue.isEmpty || contents != nil { ownContents().deferredRelationships = newValue } }
  }

  /// The destination of a to-one relationship in the row; nil for a fault without a row.
  func waitingDestination(_ index: Int) -> ObjectID? {
    if let block { return block.destination(at: Int(blockRow), relationship: index) }
    return contents?.storedDestination(index)
  }

  /// The object's own contents, made when there are none.
  private func ownContents() -> ObjectContents {
    if isPacked { unpack() }
    if let contents { return contents }
    let own = ObjectContents()
    storage.contents = own
    return own
  }

  /// Takes the row apart. A fault keeps it as `stored`.
  private func unpack() {
    guard let block else { return }
    var snapshot = block.snapshot(at: Int(blockRow))
    if let edited = storage.edited {
      let own: ObjectContents
      if storage.isEditSaved {
        snapshot.version = Snapshot.version(after: snapshot.version)
        snapshot.attributes = edited.attributes
        own = ObjectContents(unpacking: snapshot)
        own.touched = runtime.transientProperties
      } else {
        own = ObjectContents(unpacking: snapshot)
        own.values = edited.attributes
        own.touched = edited.edits
      }
      storage.contents = own
    } else if isPacked && contents == nil {
      storage.contents = ObjectContents(unpacking: snapshot)
    } else {
      let own = contents ?? ObjectContents()
      storage.contents = own
      own.stored = snapshot
      if isPacked {
        own.values = snapshot.attributes
        own.destinations = snapshot.toOne
        own.touched = PropertySet()
      }
    }
    dropRow()
  }

  private func dropRow() {
    storage.block = nil
    storage.isPacked = false
    dropEdits()
  }

  private func dropEdits() {
    storage.isEditSaved = false
    if storage.edited != nil { storage.edited = nil }
  }

  /// Takes over the row that the object has been saved as. The row is passed by address, because taking it out of a
  /// list costs more.
  /// - Parameter isChange: whether the row is one version later than the snapshot.
  @unsafe func becomeSaved(_ snapshot: UnsafePointer<Snapshot>, isChange: Bool = false) {
    if storage.edited != nil, isChange, unsafe snapshot.pointee.edited === storage.edited {
      storage.isEditSaved = true
      return
    }
    if isPacked || storage.contents == nil { _ = ownContents() }
    // The row has no transient attributes.
    unsafe storage.contents?.becomeSaved(snapshot, isChange: isChange, touched: runtime.transientProperties)
    if storage.block != nil { storage.block = nil }
    endEmptiness()
    becomeLoaded()
  }

  /// Gives a fault a row to fire from.
  func setSnapshotRow(_ block: SnapshotBlock, _ row: Int) {
    dropEdits()
    storage.block = block
    storage.blockRow = Int32(row)
    leaveGroup()
  }

  /// Gives a fault its row.
  /// - Parameter asFault: it stays a fault; otherwise it is loaded.
  @inline(__always) func adoptRow(_ row: Int, of block: SnapshotBlock, asFault: Bool) {
    if asFault { return setSnapshotRow(block, row) }
    load(block, row)
    if runtime.hasSubclass { awake() }
  }

  /// Takes the values of a row: the object is loaded and unchanged.
  func load(_ block: SnapshotBlock, _ row: Int) {
    dropEdits()
    storage.block = block
    storage.blockRow = Int32(row)
    becomePacked()
  }

  /// Takes the values of the row that the fault has; does nothing when that was taken apart.
  func loadSnapshotRow() -> Bool {
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
    storage.isPacked = true
    leaveGroup()
    becomeLoaded()
  }

  /// Takes the values of a snapshot: the object is loaded and unchanged.
  func load(_ snapshot: Snapshot) {
    dropRow()
    let own = ownContents()
    own.stored = snapshot
    own.values = snapshot.attributes
    own.destinations = snapshot.toOne
    own.touched = PropertySet()
    own.memberLists = []
    leaveGroup()
    becomeLoaded()
  }

  /// Forgets values and row.
  func forgetValues() {
    dropRow()
    guard let contents else { return }
    contents.stored = nil
    contents.values = []
    contents.destinations = []
    contents.memberLists = []
  }

  // Safety, of the next two: the object holds its block and its contents, and nothing runs meanwhile that could take
  // them away.

  /// The value of an attribute of an object that is loaded.
  func loadedValue(_ index: Int) -> Value {
    if isPacked && storage.block != nil {
      if storage.edited != nil, let value = storage.edited?.edit(index) { return value }
      return unsafe borrowing(storage.block.unsafelyUnwrapped) { $0.value(at: Int(blockRow), attribute: index) }
    }
    return contents?.values[index] ?? .null
  }

  /// Whether an attribute of an object that is loaded has this value, to the byte.
  func hasLoadedValue(_ value: Value, at index: Int) -> Bool {
    if isPacked && storage.block != nil {
      if storage.edited != nil, let edit = storage.edited?.edit(index) { return value.isIdentical(to: edit) }
      return unsafe borrowing(storage.block.unsafelyUnwrapped) { $0.has(value, at: Int(blockRow), attribute: index) }
    }
    if storage.contents == nil { return value.isIdentical(to: .null) }
    return unsafe borrowing(storage.contents.unsafelyUnwrapped) { $0.has(value, at: index) }
  }

  /// Whether every value of an object that is loaded certainly breaks no rule.
  func hasOnlyValues(acceptedBy rules: [AttributeValidator.PlainRule]) -> Bool {
    if let edited = storage.edited { return edited.hasOnlyValues(acceptedBy: rules) }
    if isPacked, let block { return block.hasOnlyValues(at: Int(blockRow), acceptedBy: rules) }
    if storage.contents == nil { return rules.indices.allSatisfy { rules[$0].accepts(.null) } }
    // Safety: the object holds its contents, and nothing runs meanwhile that could take them away.
    return unsafe borrowing(storage.contents.unsafelyUnwrapped) { $0.hasOnlyValues(acceptedBy: rules) }
  }

  /// The destination of a to-one relationship of an object that is loaded.
  func loadedDestination(_ index: Int) -> ObjectID? {
    if isPacked, let block { return block.destination(at: Int(blockRow), relationship: index) }
    return contents?.destinations[index]
  }
}
