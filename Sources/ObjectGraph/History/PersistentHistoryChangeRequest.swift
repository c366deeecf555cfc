public import Foundation
public import StoreInterface

/// Asks for a part of the history of stores, or deletes one: `try context.execute(request)`.
///
/// A class, as in Core Data. Stores that keep no history are left out.
public final class PersistentHistoryChangeRequest {
  /// What is done with the part of the history that the request names.
  enum Operation {
    case fetch
    case delete
  }

  /// Where the part begins or ends.
  enum Place {
    case date(Date)
    case token(PersistentHistoryToken)
  }

  /// What the result tells. Deletions tell no more than that they were made.
  public var resultType = PersistentHistoryResultType.transactionsAndChanges
  /// Which transactions or changes are wanted; nil: all.
  public var fetchRequest: PersistentHistoryFetchRequest?
  /// The stores that are asked; nil: all.
  public var affectedStores: [any PersistentStore]?
  let operation: Operation
  let place: Place?

  private init(_ operation: Operation, _ place: Place?) {
    self.operation = operation
    self.place = place
  }

  /// The place that the request was made with; nil where it was a date, or none.
  public var token: PersistentHistoryToken? {
    if case .token(let token)? = place { return token }
    return nil
  }

  // MARK: - Fetching

  /// What was saved later than a date.
  public static func fetchHistory(after date: Date) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.fetch, .date(date))
  }

  /// What was saved behind a token. Stores that the token says nothing of, and all stores where it is nil, tell all
  /// they have.
  public static func fetchHistory(after token: PersistentHistoryToken?) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.fetch, token.map { .token($0) })
  }

  /// What was saved behind a transaction. Stores other than its own, and all stores where it is nil, tell all they
  /// have.
  public static func fetchHistory(after transaction: PersistentHistoryTransaction?) -> PersistentHistoryChangeRequest {
    fetchHistory(after: transaction?.token)
  }

  /// What a request over transactions or changes selects.
  public static func fetchHistory(
    withFetch fetchRequest: PersistentHistoryFetchRequest
  ) -> PersistentHistoryChangeRequest {
    let request = PersistentHistoryChangeRequest(.fetch, nil)
    request.fetchRequest = fetchRequest
    return request
  }

  // MARK: - Deleting

  /// Deletes what was saved earlier than a date.
  public static func deleteHistory(before date: Date) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.delete, .date(date))
  }

  /// Deletes what was saved before the transaction that a token stands behind, which stays. Stores that the token says
  /// nothing of keep all, and so do all stores where it is nil.
  public static func deleteHistory(before token: PersistentHistoryToken?) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.delete, .token(token ?? PersistentHistoryToken(transactionNumbers: [:])))
  }

  /// Deletes what was saved before a transaction of its store, which stays.
  public static func deleteHistory(
    before transaction: PersistentHistoryTransaction?
  ) -> PersistentHistoryChangeRequest { deleteHistory(before: transaction?.token) }

  /// Where a store's part begins or ends; nil: where its history does.
  func bound(in store: String) -> PersistentHistoryQuery.Bound? {
    switch place {
    case nil: nil
    case .date(let date): .date(date)
    case .token(let token): token[store: store].map { .transaction($0) }
    }
  }
}

/// What the result of a `PersistentHistoryChangeRequest` tells, with Core Data's names.
public enum PersistentHistoryResultType: Int, Sendable, Hashable, CaseIterable {
  /// Whether it was done.
  case statusOnly = 0
  /// The ids of the changed objects, each once, in the order of their first changes.
  case objectIDs = 1
  /// The number of transactions; of changes, where the fetch request is about changes.
  case count = 2
  /// Transactions without their changes.
  case transactionsOnly = 3
  /// The changes of all transactions.
  case changesOnly = 4
  /// Transactions with their changes.
  case transactionsAndChanges = 5
}
