import ObjectModel
import StoreInterface

/// A fetched snapshot that is newer than the object of its id.
struct NewerSnapshot {
  let block: SnapshotBlock
  let row: Int

  /// The value of an attribute.
  func value(_ index: Int) -> Value { block.value(at: row, attribute: index) }
  /// The destination of a to-one relationship.
  func destination(_ index: Int) -> ObjectID? { block.destination(at: row, relationship: index) }
}
