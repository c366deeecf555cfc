public import ObjectModel
public import Predicates
public import StoreInterface

/// Which transactions or which changes of a history are wanted: `PersistentHistoryTransaction.fetchRequest`,
/// `PersistentHistoryChange.fetchRequest`.
///
/// Predicates and sort descriptors name properties of `PersistentHistoryModel`, as in `author == "sync"` or
/// `changedEntity == "Car" AND updatedProperties CONTAINS "price" AND transaction.author != "sync"`.
public final class PersistentHistoryFetchRequest {
  /// The entity of transactions, or that of changes.
  public let entity: Entity
  /// Which of them; nil: all.
  public var predicate: FetchPredicate?
  /// The first decides, then the next; then the order in which they were saved.
  public var sortDescriptors: [FetchSortDescriptor]?
  /// The greatest number of results of each store; 0: no limit.
  public var fetchLimit = 0
  /// How many results to leave out at the start.
  public var fetchOffset = 0

  init(_ entity: Entity) { self.entity = entity }

  /// What a store is asked.
  var specification: FetchSpecification {
    var specification = FetchSpecification(entity)
    specification.predicate = predicate ?? .all
    specification.sortDescriptors = sortDescriptors ?? []
    specification.fetchLimit = fetchLimit
    specification.fetchOffset = fetchOffset
    return specification
  }
}

extension PersistentHistoryTransaction {
  /// A request for all transactions. It is optional, and never nil, as in Core Data.
  public static var fetchRequest: PersistentHistoryFetchRequest? {
    PersistentHistoryFetchRequest(PersistentHistoryModel.transaction)
  }

  /// What transactions have, for predicates.
  public static var entityDescription: Entity { PersistentHistoryModel.transaction }
}

extension PersistentHistoryChange {
  /// A request for all changes. It is optional, and never nil, as in Core Data.
  public static var fetchRequest: PersistentHistoryFetchRequest? {
    PersistentHistoryFetchRequest(PersistentHistoryModel.change)
  }

  /// What changes have, for predicates.
  public static var entityDescription: Entity { PersistentHistoryModel.change }
}
