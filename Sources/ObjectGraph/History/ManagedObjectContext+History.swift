public import Foundation
public import StoreInterface

extension ManagedObjectContext {
  /// Fetches or deletes a part of the history of the coordinator's stores. Transactions of several stores come in the
  /// order of their times, unless the request sorts: then store by store.
  /// - Throws: `StoreError.unsupported` when none of the stores keeps a history, `.historyTokenExpired` when what was
  ///   saved behind the request's token was deleted, and what else the stores throw.
  @discardableResult
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> any HistoryResult {
    let stores = try coordinator.historyStores(request.affectedStores)
    if stores.isEmpty { throw StoreError.unsupported("no store keeps a persistent history (tracksHistory)") }
    switch request.operation {
    case .delete:
      let counts = try stores.map { store in
        try request.bound(in: store.identifier).map { try store.deleteHistory(before: $0) } ?? 0
      }
      return PersistentHistoryResult(deletedCount: counts.reduce(0, +))
    case .fetch:
      let isOfChanges = request.fetchRequest?.entity == PersistentHistoryModel.change
      var found: [PersistentHistoryTransaction] = []
      for store in stores {
        var query = PersistentHistoryQuery(after: request.bound(in: store.identifier))
        query.request = request.fetchRequest?.specification
        query.includesChanges = isOfChanges || request.resultType.needsChanges
        found += try store.history(query)
      }
      if stores.count > 1 && request.fetchRequest?.sortDescriptors?.isEmpty ?? true {
        found.sort { ($0.timestamp, $0.transactionNumber) < ($1.timestamp, $1.transactionNumber) }
      }
      return PersistentHistoryResult(found, request.resultType, ofChanges: isOfChanges)
    }
  }
}

extension PersistentHistoryResultType {
  fileprivate var needsChanges: Bool {
    switch self {
    case .objectIDs, .changesOnly, .transactionsAndChanges: true
    case .statusOnly, .count, .transactionsOnly: false
    }
  }
}

extension PersistentStoreCoordinator {
  /// The place behind the last transaction of each store that keeps a history; nil where none does. A store that cannot
  /// be read is left out, so that a follower gets its history from the start.
  /// - Parameter stores: which are asked; nil: all.
  public func currentPersistentHistoryToken(
    fromStores stores: [any PersistentStore]? = nil
  ) -> PersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    for case let store as any PersistentHistoryTracking in persistentStores
    where stores?.contains(where: { $0 === store }) ?? true {
      if (try? store.tracksHistory) == true { numbers[store.identifier] = try? store.lastTransactionNumber() }
    }
    return numbers.isEmpty ? nil : PersistentHistoryToken(transactionNumbers: numbers)
  }

  /// Those that keep a history.
  func historyStores(_ wanted: [any PersistentStore]?) throws -> [any PersistentHistoryTracking] {
    try persistentStores.filter { store in wanted?.contains { $0 === store } ?? true }
      .compactMap { $0 as? any PersistentHistoryTracking }.filter { try $0.tracksHistory }
  }
}

extension PersistentHistoryTransaction {
  /// The ids of what the transaction changed, as a notification for
  /// `ManagedObjectContext.mergeChanges(fromContextDidSave:)`. It is empty where the transaction was fetched without
  /// its changes.
  public func objectIDNotification() -> Notification {
    var ids = ContextChangeIDs()
    for change in changes ?? [] {
      switch change.changeType {
      case .insert: ids.insertedObjectIDs.append(change.changedObjectID)
      case .update: ids.updatedObjectIDs.append(change.changedObjectID)
      case .delete: ids.deletedObjectIDs.append(change.changedObjectID)
      }
    }
    return Notification(contextChangeIDs: ids)
  }
}

extension PersistentStoreCoordinator {
  /// As `execute(_:)` of the context, on whose queue it is to be called.
  @discardableResult
  public func execute(
    _ request: PersistentHistoryChangeRequest, with context: ManagedObjectContext
  ) throws -> any HistoryResult {
    try ownContext(context).execute(request)
  }
}
