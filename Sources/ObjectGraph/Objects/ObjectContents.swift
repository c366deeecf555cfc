import ObjectModel
import Predicates
import StoreInterface

/// What an object has for itself: new objects, and those whose row has been taken apart or that have more than a row.
/// Most objects of a large fetch never get that far.
final class ObjectContents {
  var values: [Value] = []
  var destinations: [ObjectID?] = []
  var memberLists: [MemberList?] = []
  var stored: Snapshot?
  var reservedID: ObjectID?
  var assignedStore: String?
  var deferredRelationships: Set<String> = []
}
