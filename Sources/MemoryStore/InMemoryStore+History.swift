public import StoreInterface
import Synchronization

extension InMemoryStore: PersistentHistoryTracking {
  /// Whether the store was made with history.
  public var tracksHistory: Bool { contents.withLock { $0.history != nil } }

  /// The number of the last transaction, those that were deleted since included.
  public func lastTransactionNumber() throws -> Int64 {
    try contents.withLock { try $0.requiredHistory().lastTransactionNumber }
  }

  /// The transactions that a query selects.
  /// - Complexity: linear in the length of the history.
  public func history(_ query: PersistentHistoryQuery) throws -> [PersistentHistoryTransaction] {
    let history = try contents.withLock { try $0.requiredHistory() }
    return try history.select(query, store: identifier)
  }

  /// Deletes the transactions before a place.
  @discardableResult public func deleteHistory(before bound: PersistentHistoryQuery.Bound) throws -> Int {
    try contents.withLock { contents in
      var history = try contents.requiredHistory()
      defer { contents.history = history }
      return history.delete(before: bound)
    }
  }
}

extension InMemoryContents {
  fileprivate func requiredHistory() throws -> InMemoryHistory {
    guard let history else { throw StoreError.unsupported("the store in memory keeps no persistent history") }
    return history
  }
}
