import ObjectModel
import StoreInterface

/// The changes of a save, noted while it is applied, from which derived attributes are computed.
struct SaveTrace {
  /// The objects inserted, changed or deleted, and those that got other derived values, with their rows as they were
  /// before; nil for an inserted one.
  private(set) var before: [ObjectID: Snapshot?] = [:]
  private(set) var inserted: Set<ObjectID> = []
  /// The objects that the save inserts or changes itself.
  private(set) var saved: [ObjectID] = []
  /// The to-many relationships whose members changed.
  var owners: Set<InMemoryContents.OwnerKey> = []
  /// The members that deleted objects had, some of which may still lead to them.
  var formerMembers: [InMemoryContents.OwnerKey: [ObjectID]] = [:]

  mutating func note(_ objectID: ObjectID, before snapshot: Snapshot?) {
    if before[objectID] != nil { return }
    before.updateValue(snapshot, forKey: objectID)
    if snapshot == nil { inserted.insert(objectID) }
  }

  mutating func noteSaved(_ objectID: ObjectID, before snapshot: Snapshot?) {
    note(objectID, before: snapshot)
    saved.append(objectID)
  }
}
