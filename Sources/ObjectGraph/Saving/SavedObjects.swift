/// The objects that a save concerns, as they are when it asks: new ones in the order of insertion, then changed ones,
/// then deleted ones.
struct SavedObjects: Sequence {
  let inserted: [ManagedObject]
  let updated: [ManagedObject]
  let deleted: [ManagedObject]

  /// - Complexity: compares every object that was changed with its row.
  init(_ pending: PendingChanges) {
    inserted = pending.inserted.filter(\.isInserted)
    updated = pending.maybeUpdated.filter(\.isUpdated)
    deleted = pending.deleted
  }

  func makeIterator() -> FlattenSequence<[[ManagedObject]]>.Iterator {
    [inserted, updated, deleted].joined().makeIterator()
  }
}
