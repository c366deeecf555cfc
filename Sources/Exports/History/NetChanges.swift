package import ObjectModel
package import StoreInterface

/// The net change of each object over several transactions of one store, in the order in which objects were first
/// changed.
///
/// Memory grows with the number of changed objects.
package struct NetChanges {
  /// The change of an object as the transactions together make it.
  private var changes: [ObjectID: PersistentHistoryChange] = [:]
  private var order: [ObjectID] = []
  private var known: Set<ObjectID> = []

  /// A list without changes.
  package init() {}

  /// Each object once; one that was inserted and deleted not at all.
  package var all: [PersistentHistoryChange] { order.compactMap { changes[$0] } }

  /// Adds the changes of a transaction.
  package mutating func add(_ transaction: PersistentHistoryTransaction) {
    for change in transaction.changes ?? [] { add(change) }
  }

  private mutating func add(_ change: PersistentHistoryChange) {
    let id = change.changedObjectID
    guard let earlier = changes[id] else {
      changes[id] = change
      if known.insert(id).inserted { order.append(id) }
      return
    }
    switch (earlier.changeType, change.changeType) {
    case (.insert, .delete):
      // Its place in the order stays, but has no change any more.
      changes[id] = nil
    case (.insert, _): break
    case (.update, .update):
      let properties = (earlier.updatedPropertyNames ?? []).union(change.updatedPropertyNames ?? [])
      changes[id] = PersistentHistoryChange(
        changeID: change.changeID, changedObjectID: id, changeType: .update,
        transactionNumber: change.transactionNumber, updatedPropertyNames: properties)
    case (.delete, .insert):
      // The store gave the key out again: it is another object with other values.
      let entity = id.entity
      changes[id] = PersistentHistoryChange(
        changeID: change.changeID, changedObjectID: id, changeType: .update,
        transactionNumber: change.transactionNumber,
        updatedPropertyNames: Set(entity.attributes.map(\.name) + entity.relationships.map(\.name)))
    case (.update, _), (.delete, _): changes[id] = change
    }
  }
}

extension Entity {
  /// The entity, and all below it.
  package var withSubentities: [Entity] { [self] + subentities.flatMap(\.withSubentities) }
}
