package import CoreDataLayout
import Foundation
public import ObjectModel
public import Pipelines
import Predicates
public import StoreInterface

/// The history of a store: read one transaction after the other, so that memory does not grow with its length, and
/// deleted.
public struct StoreHistory {
  /// Which changes are wanted. Of several conditions all must hold.
  public struct Filter: Sendable {
    /// Of objects of these entities; empty: of any.
    public var entities: [String] = []
    /// Which changed one of these properties; empty: any. Insertions and deletions change none.
    public var properties: [String] = []
    /// Of transactions of these authors; empty: of any author, or without one.
    public var authors: [String] = []

    /// A filter that lets all changes through.
    public init() {}
  }

  /// Called when history is read from a date on, and transactions since then may have been deleted. A token or a number
  /// of a deleted transaction is an error, but the history does not keep the dates of deleted transactions.
  public var onGap: (String) -> Void = { _ in }

  private let path: String
  private let model: ManagedObjectModel
  private static let transactionsPerPart = 256

  /// The history of the store at a path.
  public init(storePath: String, model: ManagedObjectModel) {
    path = storePath
    self.model = model
  }

  /// Gives the transactions that have wanted changes, each with these, in the order in which they were saved.
  /// - Parameters:
  ///   - start: where to begin; nil: with the first that is there.
  ///   - limit: the most transactions; nil: all.
  ///   - body: is given one after the other.
  /// - Returns: the place behind the last transaction that was looked at.
  /// - Throws: `RunError` for a store that keeps no history, names that the model does not have, a start that is not
  ///   there.
  public func read(
    from start: HistoryStart?, _ filter: Filter = Filter(), limit: Int? = nil,
    _ body: (PersistentHistoryTransaction) -> Void
  ) throws(RunError) -> PersistentHistoryToken {
    try opened { store in
      try check(filter)
      return try read(store, from: start, filter, limit: limit, body)
    }
  }

  /// Opens the store for reading alone.
  package func opened<Result>(_ body: (SQLiteStore) throws -> Result) throws(RunError) -> Result {
    do {
      let store = try SQLiteStore.open(path: path, model: model, options: .reading)
      defer { try? store.close() }
      return try store.requiringUnchanged { try body(store) }
    } catch {
      throw RunError(any: error, store: path)
    }
  }

  /// Deletes the transactions before a place.
  /// - Returns: how many there were.
  public func delete(before place: HistoryStart) throws(RunError) -> Int {
    do {
      let store = try SQLiteStore.open(path: path, model: model)
      defer { try? store.close() }
      let bound = try place.bound(in: store.identifier, path: path)
      // The transaction after the last one is where a reader of all of them goes on.
      try check(bound, end: try store.lastTransactionNumber(), beyond: 1)
      return try store.deleteHistory(before: bound)
    } catch {
      throw RunError(any: error, store: path)
    }
  }

  // MARK: - Reading

  /// As `read(from:_:limit:_:)`, of a store that is open.
  package func read(
    _ store: SQLiteStore, from start: HistoryStart?, _ filter: Filter, limit: Int?,
    _ body: (PersistentHistoryTransaction) -> Void
  ) throws -> PersistentHistoryToken {
    let end = try store.lastTransactionNumber()
    var bound = try start?.bound(in: store.identifier, path: path)
    if let bound { try check(bound, end: end) }
    if case .date(let date) = bound { try tellOfGap(store, since: date, end: end) }
    var left = limit ?? .max
    while left > 0 {
      var query = PersistentHistoryQuery(after: bound)
      var transactions = FetchSpecification(PersistentHistoryModel.transaction)
      transactions.fetchLimit = min(left, Self.transactionsPerPart)
      if !filter.authors.isEmpty { transactions.predicate = .isIn(["author"], filter.authors.map { .string($0) }) }
      query.request = transactions
      query.includesChanges = false
      let found = try store.history(query)
      guard let last = found.last?.transactionNumber else { break }
      for transaction in found {
        guard let whole = try withChanges(transaction, filter.changes, store) else { continue }
        body(whole)
        left -= 1
      }
      // This transaction is there, so the place has not expired.
      bound = .transaction(last)
      if left == 0 { return PersistentHistoryToken(store: store.identifier, transactionNumber: last) }
    }
    return PersistentHistoryToken(store: store.identifier, transactionNumber: end)
  }

  private func tellOfGap(_ store: SQLiteStore, since date: Date, end: Int64) throws {
    var query = PersistentHistoryQuery()
    var transactions = FetchSpecification(PersistentHistoryModel.transaction)
    transactions.fetchLimit = 1
    query.request = transactions
    query.includesChanges = false
    let first = try store.history(query).first
    let number = first?.transactionNumber ?? end + 1
    // Deleted transactions are older than the remaining ones, and than now.
    guard number > 1, date < first?.timestamp ?? Date() else { return }
    onGap(
      "the history of \(path) before transaction \(number) was deleted; what was saved since that date may be missing")
  }

  /// - Parameter beyond: how far behind the last transaction a place may be.
  /// - Throws: `RunError` for a transaction that the store has never had.
  private func check(_ bound: PersistentHistoryQuery.Bound, end: Int64, beyond: Int64 = 0) throws(RunError) {
    guard case .transaction(let number) = bound, number > end, number - end > beyond else { return }
    throw RunError(
      .badData, code: "history.not-reached",
      "the history of \(path) ends with transaction \(end), and \(number) is not of it",
      hint: "take a token that seedbed history printed for this store")
  }

  /// A transaction with its changes, of which there are as many in memory as it has; nil where none is wanted.
  private func withChanges(
    _ transaction: PersistentHistoryTransaction, _ predicate: FetchPredicate?, _ store: SQLiteStore
  ) throws -> PersistentHistoryTransaction? {
    var query = PersistentHistoryQuery()
    var changes = FetchSpecification(PersistentHistoryModel.change)
    changes.predicate = .and([
      .comparison(["transactionNumber"], .equal, .integer(transaction.transactionNumber)), predicate ?? .all,
    ])
    query.request = changes
    if let found = try store.history(query).first { return found }
    if predicate != nil { return nil }
    var empty = transaction
    empty.changes = []
    return empty
  }

  private func check(_ filter: Filter) throws(RunError) {
    let named = try filter.entities.map { name throws(RunError) in
      try model.entity(named: name, code: "history.unknown-entity")
    }
    let entities = named.isEmpty ? model.entities : named
    let names = Set(entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
    for name in filter.properties where !names.contains(name) {
      let place =
        filter.entities.isEmpty ? "no entity of the model" : filter.entities.joined(separator: ", ") + " has no"
      throw RunError(
        .badPipeline, code: "history.unknown-property",
        filter.entities.isEmpty ? "\(place) has a property \(name)" : "\(place) property \(name)",
        hint: Suggestion.hint(for: name, among: names.sorted()))
    }
  }
}

extension StoreHistory.Filter {
  /// The condition for changes; nil: none.
  fileprivate var changes: FetchPredicate? {
    var parts: [FetchPredicate] = []
    if !entities.isEmpty { parts.append(.isIn(["changedEntity"], entities.map { .string($0) })) }
    if !properties.isEmpty {
      parts.append(.or(properties.map { .comparison(["updatedProperties"], .contains, .string($0)) }))
    }
    return parts.isEmpty ? nil : .and(parts)
  }
}
