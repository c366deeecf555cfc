import ObjectModel
import Predicates
import StoreInterface

/// What an object has for itself: new objects, and those whose row has been taken apart or that have more than a row.
/// Most objects of a large fetch never get that far.
final class ObjectContents {
  // Safety: as that of `ManagedObject.storage`.
  @exclusivity(unchecked) private var uncheckedValues: [Value]
  @exclusivity(unchecked) private var uncheckedDestinations: [ObjectID?]
  @exclusivity(unchecked) private var uncheckedStored: Snapshot?
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

  @inline(__always) var values: [Value] {
    _read { yield unsafe uncheckedValues }
    _modify { yield unsafe &uncheckedValues }
  }
  @inline(__always) var destinations: [ObjectID?] {
    _read { yield unsafe uncheckedDestinations }
    _modify { yield unsafe &uncheckedDestinations }
  }
  @inline(__always) var stored: Snapshot? {
    _read { yield unsafe uncheckedStored }
    _modify { yield unsafe &uncheckedStored }
  }
  /// All properties whose values may differ from `stored`.
  @inline(__always) var touched: PropertySet {
    _read { yield unsafe uncheckedTouched }
    _modify { yield unsafe &uncheckedTouched }
  }

  var hasStored: Bool { unsafe uncheckedStored != nil }
  var storedVersion: Int64? { unsafe uncheckedStored?.version }

  func put(_ value: Value, at index: Int) {
    unsafe uncheckedTouched.insert(attribute: index)
    unsafe uncheckedValues[index] = value
  }

  /// The object has been saved as this row.
  @unsafe func becomeSaved(_ snapshot: UnsafePointer<Snapshot>, addingToVersion step: Int64, touched: PropertySet) {
    if reservedID != nil { reservedID = nil }
    unsafe uncheckedStored = snapshot.pointee
    unsafe uncheckedStored?.version += step
    if unsafe !uncheckedDestinations.isEmpty { unsafe uncheckedDestinations = snapshot.pointee.toOne }
    unsafe uncheckedTouched = touched
  }

  /// Whether an attribute has this value, to the byte.
  @inline(__always) func has(_ value: Value, at index: Int) -> Bool { unsafe uncheckedValues[index].isSame(as: value) }

  /// Whether every value certainly breaks no rule; there is one for each.
  func hasOnlyValues(acceptedBy rules: [AttributeValidator.PlainRule]) -> Bool {
    unsafe uncheckedValues.withUnsafeBufferPointer { values in
      unsafe AttributeValidator.PlainRule.accept(values, rules)
    }
  }

  /// The attributes and to-one relationships with other values than `stored`; none without that.
  var changedProperties: PropertySet {
    var changed = PropertySet()
    guard unsafe uncheckedStored != nil else { return changed }
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
    guard unsafe uncheckedStored != nil else { return false }
    for index in touched.attributes(under: values.count) where isChanged(attribute: index) && counts(index) {
      return true
    }
    for index in touched.relationships(under: destinations.count) where isChanged(relationship: index) { return true }
    return false
  }

  /// Whether an attribute has another value than `stored`, which there is.
  @inline(__always) private func isChanged(attribute index: Int) -> Bool {
    unsafe uncheckedStored?.attributes[index].isSame(as: uncheckedValues[index]) == false
  }

  /// Whether a to-one relationship leads elsewhere than that of `stored`, which there is.
  @inline(__always) private func isChanged(relationship index: Int) -> Bool {
    unsafe uncheckedStored?.toOne[index] != uncheckedDestinations[index]
  }
}

extension Value {
  /// `isIdentical(to:)`. Most values are told apart here without a call, for which the lists that have them would have to be held.
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
