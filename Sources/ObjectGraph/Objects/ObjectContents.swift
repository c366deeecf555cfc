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

  var values: [Value] {
    _read { yield unsafe uncheckedValues }
    _modify { yield unsafe &uncheckedValues }
  }
  var destinations: [ObjectID?] {
    _read { yield unsafe uncheckedDestinations }
    _modify { yield unsafe &uncheckedDestinations }
  }
  var stored: Snapshot? {
    _read { yield unsafe uncheckedStored }
    _modify { yield unsafe &uncheckedStored }
  }
  /// All properties whose values may differ from `stored`.
  var touched: PropertySet {
    _read { yield unsafe uncheckedTouched }
    _modify { yield unsafe &uncheckedTouched }
  }

  func put(_ value: Value, at index: Int) {
    unsafe uncheckedTouched.insert(attribute: index)
    unsafe uncheckedValues[index] = value
  }

  /// Whether an attribute has another value than `stored`, which there must be.
  func isChanged(attribute index: Int) -> Bool {
    guard touched.contains(attribute: index), values.indices.contains(index), stored != nil else { return false }
    return stored?.attributes[index].isIdentical(to: values[index]) == false
  }

  /// Whether a to-one relationship leads elsewhere than that of `stored`, which there must be.
  func isChanged(relationship index: Int) -> Bool {
    guard touched.contains(relationship: index), destinations.indices.contains(index), stored != nil else {
      return false
    }
    return stored?.toOne[index] != destinations[index]
  }
}
