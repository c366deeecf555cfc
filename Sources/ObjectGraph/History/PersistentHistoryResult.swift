public import ObjectModel
public import StoreInterface

/// What a `PersistentHistoryChangeRequest` found or did. `execute` returns this protocol, so Core Data code that casts
/// with `as?` compiles without a warning; the cast may be left out.
public protocol HistoryResult: Sendable {
  /// What was asked for.
  var resultType: PersistentHistoryResultType { get }
  /// The transactions, where they were asked for, with their changes where these were; empty otherwise.
  var transactions: [PersistentHistoryTransaction] { get }
  /// The changes of all transactions, where they were asked for; empty otherwise.
  var changes: [PersistentHistoryChange] { get }
  /// The ids of the changed objects, where they were asked for; empty otherwise.
  var objectIDs: [ObjectID] { get }
  /// How many transactions or changes were found, or transactions deleted.
  var count: Int { get }
  /// As in Core Data: `[PersistentHistoryTransaction]`, `[PersistentHistoryChange]`, `[ObjectID]`, the count, or true.
  var result: Any? { get }
}

/// What a `PersistentHistoryChangeRequest` found or did: the only type that implements `HistoryResult`.
public struct PersistentHistoryResult: HistoryResult {
  /// What was asked for.
  public let resultType: PersistentHistoryResultType
  /// The transactions, where they were asked for, with their changes where these were; empty otherwise.
  public private(set) var transactions: [PersistentHistoryTransaction] = []
  /// The changes of all transactions, where they were asked for; empty otherwise.
  public private(set) var changes: [PersistentHistoryChange] = []
  /// The ids of the changed objects, where they were asked for; empty otherwise.
  public private(set) var objectIDs: [ObjectID] = []
  /// How many transactions or changes were found, or transactions deleted.
  public let count: Int

  /// The result of a deletion.
  init(deletedCount: Int) {
    resultType = .statusOnly
    count = deletedCount
  }

  init(_ found: [PersistentHistoryTransaction], _ resultType: PersistentHistoryResultType, ofChanges: Bool) {
    self.resultType = resultType
    let all = found.flatMap { $0.changes ?? [] }
    count = ofChanges ? all.count : found.count
    switch resultType {
    case .statusOnly, .count: break
    case .objectIDs:
      var seen: Set<ObjectID> = []
      objectIDs = all.map(\.changedObjectID).filter { seen.insert($0).inserted }
    case .transactionsOnly:
      transactions = found
      for index in transactions.indices { transactions[index].changes = nil }
    case .changesOnly: changes = all
    case .transactionsAndChanges: transactions = found
    }
  }

  /// As in Core Data: `[PersistentHistoryTransaction]`, `[PersistentHistoryChange]`, `[ObjectID]`, the count, or true.
  public var result: Any? {
    switch resultType {
    case .statusOnly: true
    case .count: count
    case .objectIDs: objectIDs
    case .changesOnly: changes
    case .transactionsOnly, .transactionsAndChanges: transactions
    }
  }
}
