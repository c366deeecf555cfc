import ObjectModel
import Predicates
import StoreInterface

/// What an object has for itself: new objects, and those whose row has been taken apart or that have more than a row.
/// Most objects of a large fetch never get that far.
final class ObjectContents {
  // Safety: as that of `ManagedObject.storage`.
  @exclusivity(unchecked) private var uncheckedValues: [Value]
  @exclusivity(unchecked) private var uncheckedDestinations: [ObjectID?]
  var memberLists: [MemberList?]
  var stored: Snapshot?
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
}
