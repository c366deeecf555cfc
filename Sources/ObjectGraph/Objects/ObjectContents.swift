import ObjectModel
import Predicates
import StoreInterface

/// An object's own values: those of a new object, or of one whose row was taken apart or that has more than a row. Most
/// objects of a large fetch have none.
///
/// What its unsafe code relies on: only the queue of the object's context reads or writes the unchecked properties, and
/// no code between the beginning and the end of an access calls anything that could access them again, because the
/// values are plain data. Subscripts of the arrays are still checked for bounds. There is one value per attribute and
/// one destination per relationship, in `values` as in `stored`.
final class ObjectContents {
  // Safety: see above; a check of exclusive access at run time would cost a tenth of a save.
  @exclusivity(unchecked) private var uncheckedValues: [Value]
  @exclusivity(unchecked) private var uncheckedDestinations: [ObjectID?]
  /// Whether there is a `stored`. Its parts are kept apart, because reading one of them costs less than making the
  /// snapshot.
  private(set) var hasStored = false
  private var storedID: ObjectID?
  private var version: Int64 = 0
  @exclusivity(unchecked) private var uncheckedStoredValues: [Value] = []
  @exclusivity(unchecked) private var uncheckedStoredDestinations: [ObjectID?] = []
  @exclusivity(unchecked) private var uncheckedTouched = PropertySet.all
  var memberLists: [MemberList?]
  var reservedID: ObjectID?
  var assignedStore: String?
  var deferredRelationships: Set<String> = []

  init(values: [Value] = [], destinations: [ObjectID?] = [], memberLists: [MemberList?] = []) {
    unsafe uncheckedValues = values
    unsafe uncheckedDestinations = destinations
    self.memberLists = memberLists
  }

  /// The contents of an object whose row is taken apart.
  init(unpacking snapshot: Snapshot) {
    unsafe uncheckedValues = snapshot.attributes
    unsafe uncheckedDestinations = snapshot.toOne
    hasStored = true
    storedID = snapshot.objectID
    version = snapshot.version
    unsafe uncheckedStoredValues = snapshot.attributes
    unsafe uncheckedStoredDestinations = snapshot.toOne
    unsafe uncheckedTouched = PropertySet()
    memberLists = []
  }

  @inline(__always) var values: [Value] {
    _read { yield unsafe uncheckedValues }
    _modify { yield unsafe &uncheckedValues }
  }
  @inline(__always) var destinations: [ObjectID?] {
    _read { yield unsafe uncheckedDestinations }
    _modify { yield unsafe &uncheckedDestinations }
  }
  var stored: Snapshot? {
    get {
      guard hasStored, let storedID else { return nil }
      return unsafe Snapshot(
        objectID: storedID, version: version, attributes: uncheckedStoredValues, toOne: uncheckedStoredDestinations)
    }
    set {
      if newValue == nil && !hasStored { return }
      hasStored = newValue != nil
      storedID = newValue?.objectID
      version = newValue?.version ?? 0
      unsafe uncheckedStoredValues = newValue?.attributes ?? []
      unsafe uncheckedStoredDestinations = newValue?.toOne ?? []
    }
  }
  /// A destination of `stored`.
  func storedDestination(_ index: Int) -> ObjectID? { hasStored ? unsafe uncheckedStoredDestinations[index] : nil }
  /// The version of `stored`.
  var storedVersion: Int64? { hasStored ? version : nil }
  /// All properties whose values may differ from `stored`.
  @inline(__always) var touched: PropertySet {
    _read { yield unsafe uncheckedTouched }
    _modify { yield unsafe &uncheckedTouched }
  }

  func put(_ value: Value, at index: Int) {
    unsafe uncheckedTouched.insert(attribute: index)
    unsafe uncheckedValues[index] = value
  }

  /// Takes over the row that the object has been saved as.
  /// - Parameters:
  ///   - snapshot: must be valid for the call; nothing keeps the pointer.
  ///   - isChange: whether the row is one version later than the snapshot.
  @unsafe func becomeSaved(_ snapshot: UnsafePointer<Snapshot>, isChange: Bool, touched: PropertySet) {
    if reservedID != nil { reservedID = nil }
    hasStored = true
    unsafe storedID = snapshot.pointee.objectID
    let before = unsafe snapshot.pointee.version
    version = isChange ? Snapshot.version(after: before) : before
    if unsafe snapshot.pointee.edited == nil {
      unsafe uncheckedStoredValues = snapshot.pointee.ownAttributes
      unsafe uncheckedStoredDestinations = snapshot.pointee.ownToOne
    } else {
      unsafe uncheckedStoredValues = snapshot.pointee.attributes
      unsafe uncheckedStoredDestinations = snapshot.pointee.toOne
    }
    if unsafe !uncheckedDestinations.isEmpty { unsafe uncheckedDestinations = uncheckedStoredDestinations }
    unsafe uncheckedTouched = touched
  }

  /// Whether an attribute has this value, to the byte.
  @inline(__always) func has(_ value: Value, at index: Int) -> Bool { unsafe uncheckedValues[index].isSame(as: value) }

  /// Whether every value certainly breaks no rule; there is one for each.
  func hasOnlyValues(acceptedBy rules: [AttributeValidator.PlainRule]) -> Bool {
    // Safety: `accept` compares the counts before it reads a value.
    unsafe uncheckedValues.withUnsafeBufferPointer { values in
      unsafe AttributeValidator.PlainRule.accept(values, rules)
    }
  }

  /// The attributes and to-one relationships with other values than `stored`; none without that.
  var changedProperties: PropertySet {
    var changed = PropertySet()
    if !hasStored { return changed }
    for index in touched.attributes(under: values.count) where isChanged(attribute: index) {
      changed.insert(attribute: index)
    }
    for index in touched.relationships(under: destinations.count) where isChanged(relationship: index) {
      changed.insert(relationship: index)
    }
    return changed
  }

  /// Whether there is any of `changedProperties`.
  /// - Parameter counts: whether a change of an attribute counts.
  @inline(__always) func hasChanges(_ counts: (_ attribute: Int) -> Bool) -> Bool {
    if !hasStored { return false }
    for index in touched.attributes(under: values.count) where isChanged(attribute: index) && counts(index) {
      return true
    }
    for index in touched.relationships(under: destinations.count) where isChanged(relationship: index) { return true }
    return false
  }

  /// Whether an attribute has another value than `stored`, which there is.
  @inline(__always) private func isChanged(attribute index: Int) -> Bool {
    unsafe !uncheckedStoredValues[index].isSame(as: uncheckedValues[index])
  }

  /// Whether a to-one relationship leads elsewhere than that of `stored`, which there is.
  @inline(__always) private func isChanged(relationship index: Int) -> Bool {
    unsafe uncheckedStoredDestinations[index] != uncheckedDestinations[index]
  }
}

extension Value {
  /// The same as `isIdentical(to:)`. Most values are compared here without a call, for which the lists would have to be
  /// retained.
  @inline(__always) fileprivate func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.null, _), (_, .null): false
    case (.integer(let one), .integer(let two)): one == two
    case (.boolean(let one), .boolean(let two)): one == two
    default: isIdentical(to: other)
    }
  }
}
