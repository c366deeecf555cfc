public import Foundation

/// The capability of a store to keep a history of what was saved: transactions, and the objects that each changed.
///
/// A store that can keep one need not do so: see `tracksHistory`.
public protocol PersistentHistoryTracking: PersistentStore {
  /// Whether what is saved is recorded.
  var tracksHistory: Bool { get throws }
  /// The number of the last transaction, 0 before the first. Deleting transactions does not change it.
  /// - Throws: `StoreError.unsupported` where no history is kept.
  func lastTransactionNumber() throws -> Int64
  /// The transactions that a query selects, in the order of their numbers, or in its own.
  /// - Throws: `StoreError.unsupported` where no history is kept, `.historyTokenExpired` when transactions behind the
  ///   place where the query begins were deleted, `.failure` for a place that the history has not reached.
  func history(_ query: PersistentHistoryQuery) throws -> [PersistentHistoryTransaction]
  /// Deletes the transactions before a place, with their changes.
  /// - Returns: how many transactions there were.
  /// - Throws: `StoreError.unsupported` where no history is kept, and what writing throws.
  func deleteHistory(before bound: PersistentHistoryQuery.Bound) throws -> Int
}

/// A query for a part of a store's history.
public struct PersistentHistoryQuery: Sendable {
  /// A place in a history. `after` selects later transactions and `before` earlier ones; the transaction itself, or one
  /// of exactly this time, is not selected.
  public enum Bound: Sendable, Hashable {
    case transaction(Int64)
    case date(Date)
  }

  /// Where it begins; nil: with the first transaction that is there.
  public var after: Bound?
  /// What is selected: transactions or changes, by the entities of `PersistentHistoryModel`, with a predicate, an
  /// order, a limit and an offset. When it selects changes, the transactions that these are parts of are found, each
  /// with nothing but such changes. Nil: all transactions.
  public var request: FetchSpecification?
  /// Whether transactions come with their changes.
  public var includesChanges = true

  /// A query for everything behind a place.
  public init(after: Bound? = nil) { self.after = after }
}
