import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface

/// Reads the history of a store through one session.
struct HistoryReader {
  private let session: StoreSession
  private let views: StoreReader

  /// - Throws: `StoreError.unsupported` where the store keeps none.
  init(_ session: StoreSession) throws {
    self.session = session
    try HistoryViews.make(session)
    let file = StoreFile(
      path: session.file.path, model: PersistentHistoryModel.model, layout: HistoryViews.layout,
      metadata: session.file.metadata, isCreator: false)
    views = StoreReader(sharing: StoreSession(sharing: session, as: file))
  }

  private var layout: StoreLayout { session.file.layout }

  /// The number of the last transaction; 0 before the first.
  func lastTransactionNumber() throws -> Int64 { try Self.lastTransactionNumber(session.connection) }

  /// The number of the last transaction of the store that a connection has open; 0 before the first.
  static func lastTransactionNumber(_ connection: Connection) throws -> Int64 {
    try connection.integer(
      "SELECT max(IFNULL((SELECT \(PrimaryKeyRange.counter) FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryWriter.transactionEntity)), 0), "
        + "IFNULL((SELECT max(Z_PK) FROM ATRANSACTION), 0))") ?? 0
  }

  // MARK: - Queries

  /// See `PersistentHistoryTracking.history(_:)`. The session is locked, and what waited to be written has been
  /// written.
  func history(_ query: PersistentHistoryQuery) throws -> [PersistentHistoryTransaction] {
    try check(query.after)
    let request = query.request ?? FetchSpecification(PersistentHistoryModel.transaction)
    if request.entity == PersistentHistoryModel.change { return try byChanges(request, query) }
    var transactions = try self.transactions(request, after: query.after)
    if !query.includesChanges || transactions.isEmpty { return transactions }
    let numbers = transactions.map(\.transactionNumber)
    var changes = FetchSpecification(PersistentHistoryModel.change)
    let name = [PersistentHistoryModel.transactionNumberName]
    if let first = numbers.min(), let last = numbers.max(), last - first == Int64(numbers.count) - 1 {
      changes.predicate = .and([
        .comparison(name, .greaterOrEqual, .integer(first)), .comparison(name, .lessOrEqual, .integer(last)),
      ])
    } else {
      changes.predicate = .isIn(name, numbers.map { .integer($0) })
    }
    let found = Dictionary(grouping: try self.changes(changes), by: \.transactionNumber)
    for index in transactions.indices { transactions[index].changes = found[numbers[index]] ?? [] }
    return transactions
  }

  /// The transactions of the changes that a request selects, with these changes in its order.
  private func byChanges(
    _ request: FetchSpecification, _ query: PersistentHistoryQuery
  ) throws -> [PersistentHistoryTransaction] {
    var request = request
    request.predicate = try .and([resolved(request.predicate), behind(query.after, ofChanges: true)])
    let found = Dictionary(grouping: try changes(request), by: \.transactionNumber)
    var transactions = FetchSpecification(PersistentHistoryModel.transaction)
    transactions.predicate = .isIn(
      [PersistentHistoryModel.transactionNumberName], found.keys.sorted().map { .integer($0) })
    var result = try self.transactions(transactions, after: nil)
    if query.includesChanges {
      for index in result.indices { result[index].changes = found[result[index].transactionNumber] }
    }
    return result
  }

  private func transactions(
    _ request: FetchSpecification, after bound: PersistentHistoryQuery.Bound?
  ) throws -> [PersistentHistoryTransaction] {
    var request = request
    request.predicate = try .and([resolved(request.predicate), behind(bound, ofChanges: false)])
    let indexes = Dictionary(
      uniqueKeysWithValues: request.entity.attributes.enumerated().map { ($1.name, $0) })
    func value(_ snapshot: Snapshot, _ name: String) -> Value { indexes[name].map { snapshot.attributes[$0] } ?? .null }
    return try views.snapshots(request).map { snapshot in
      var date = Date(timeIntervalSinceReferenceDate: 0)
      if case .date(let stored) = value(snapshot, "timestamp") { date = stored }
      return PersistentHistoryTransaction(
        transactionNumber: snapshot.objectID.primaryKey ?? 0, storeID: session.file.identifier, timestamp: date,
        author: value(snapshot, "author").string, contextName: value(snapshot, "contextName").string,
        bundleID: value(snapshot, "bundleID").string ?? "", processID: value(snapshot, "processID").string ?? "")
    }
  }

  private func changes(_ request: FetchSpecification) throws -> [PersistentHistoryChange] {
    let indexes = Dictionary(uniqueKeysWithValues: request.entity.attributes.enumerated().map { ($1.name, $0) })
    func integer(_ snapshot: Snapshot, _ name: String) -> Int64 {
      if let index = indexes[name], case .integer(let number) = snapshot.attributes[index] { return number }
      return 0
    }
    let separator = PersistentHistoryModel.nameSeparator
    return try views.snapshots(request).map { snapshot in
      let key = snapshot.objectID.primaryKey ?? 0
      let number = integer(snapshot, PersistentHistoryModel.entityNumberName)
      let entity = try session.file.entity(numbered: number)
      guard let type = PersistentHistoryChangeType(rawValue: Int(integer(snapshot, "changeType"))) else {
        throw StoreError.notAStore(
          path: session.file.path,
          message: "change \(key) of its history is of the unknown type \(integer(snapshot, "changeType"))")
      }
      var properties: Set<String>?
      if type == .update {
        let text = indexes["updatedProperties"].flatMap { snapshot.attributes[$0].string } ?? ""
        properties = Set(text.split(separator: separator).map(String.init))
      }
      return PersistentHistoryChange(
        changeID: key,
        changedObjectID: session.file.objectID(entity, integer(snapshot, PersistentHistoryModel.primaryKeyName)),
        changeType: type, transactionNumber: integer(snapshot, PersistentHistoryModel.transactionNumberName),
        updatedPropertyNames: properties,
        tombstoneValues: type == .delete ? try tombstone(of: entity, change: key) : nil)
    }
  }

  /// The values that the history keeps of a deleted object.
  private func tombstone(of entity: Entity, change: Int64) throws -> [String: Value] {
    let attributes = layout.preservedAttributes(of: entity)
    if attributes.isEmpty { return [:] }
    let statement = try session.cached("SELECT * FROM ACHANGE WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(1, change)
    guard try statement.step() else { return [:] }
    var columns: [String: Int32] = [:]
    for column in 0..<statement.columnCount { columns[statement.columnName(at: column).uppercased()] = column }
    var values: [String: Value] = [:]
    for (index, attribute) in attributes.enumerated() {
      guard let column = columns["ZTOMBSTONE\(index)"], let bytes = statement.blob(at: column) else { continue }
      guard let value = HistoryTombstone.value(bytes, of: attribute) else {
        throw StoreError.damagedValue(
          path: session.file.path,
          message: "change \(change) of its history keeps something that is no \(attribute.type.name) of the deleted "
            + "\(entity.name)'s \(attribute.name)")
      }
      values[attribute.name] = value
    }
    return values
  }

  // MARK: - Places

  private func resolved(_ predicate: FetchPredicate) throws -> FetchPredicate {
    try PersistentHistoryModel.resolved(predicate) { [session, layout] id in
      session.file.primaryKey(of: id).map { (Int64(layout.number(of: id.entity)), $0) }
    }
  }

  private func behind(_ bound: PersistentHistoryQuery.Bound?, ofChanges: Bool) throws -> FetchPredicate {
    switch bound {
    case nil: .all
    case .transaction(let number):
      .comparison([PersistentHistoryModel.transactionNumberName], .greater, .integer(number))
    case .date(let date): .comparison((ofChanges ? ["transaction"] : []) + ["timestamp"], .greater, .date(date))
    }
  }

  /// Checks that the transactions behind a place have not been deleted.
  private func check(_ bound: PersistentHistoryQuery.Bound?) throws {
    guard case .transaction(let number)? = bound else { return }
    let last = try lastTransactionNumber()
    if number > last {
      throw StoreError.failure(
        "the history of \(session.file.path) ends with transaction \(last): a token of transaction \(number) is not of it"
      )
    }
    let first = try session.connection.integer("SELECT min(Z_PK) FROM ATRANSACTION")
    if number < (first ?? last + 1) - 1 {
      throw StoreError.historyTokenExpired(
        store: session.file.identifier, transactionNumber: number, firstLeft: first)
    }
  }
}
