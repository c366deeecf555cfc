import Foundation
import ObjectModel
import Predicates
import StoreInterface

/// The history of an in-memory store.
struct InMemoryHistory {
  private(set) var transactions: [PersistentHistoryTransaction] = []
  private(set) var lastTransactionNumber: Int64 = 0
  private var lastChangeID: Int64 = 0

  /// Adds a transaction, unless nothing was changed.
  mutating func append(_ changes: [InMemoryContents.Change], _ request: SaveRequest, store: String) {
    if changes.isEmpty { return }
    lastTransactionNumber += 1
    let number = lastTransactionNumber
    let recorded = changes.map { change in
      lastChangeID += 1
      return PersistentHistoryChange(
        changeID: lastChangeID, changedObjectID: change.object, changeType: change.type, transactionNumber: number,
        updatedPropertyNames: change.type == .update ? change.properties : nil,
        tombstoneValues: change.type == .delete ? change.tombstone : nil)
    }
    let process = ProcessInfo.processInfo.processName
    transactions.append(
      PersistentHistoryTransaction(
        transactionNumber: number, storeID: store, timestamp: Date(), author: request.author,
        contextName: request.contextName, bundleID: Bundle.main.bundleIdentifier ?? process, processID: process,
        changes: recorded))
  }

  mutating func delete(before bound: PersistentHistoryQuery.Bound) -> Int {
    let count = transactions.count
    transactions.removeAll { transaction in
      switch bound {
      case .transaction(let number): transaction.transactionNumber < number
      case .date(let date): transaction.timestamp < date
      }
    }
    return count - transactions.count
  }

  // MARK: - Queries

  /// Puts the transactions and changes behind the place into a separate in-memory store and fetches from that.
  func select(_ query: PersistentHistoryQuery, store: String) throws -> [PersistentHistoryTransaction] {
    try check(query.after, store: store)
    let behind = transactions.filter { transaction in
      switch query.after {
      case nil: true
      case .transaction(let number): transaction.transactionNumber > number
      case .date(let date): transaction.timestamp > date
      }
    }
    var request = query.request ?? FetchSpecification(PersistentHistoryModel.transaction)
    request.predicate = try PersistentHistoryModel.resolved(request.predicate) { id in
      id.space.store == store ? id.primaryKey.map { (Int64(id.entity.index), $0) } : nil
    }
    let keys = try Self.table(behind).snapshots(request).compactMap(\.objectID.primaryKey)
    let byNumber = Dictionary(uniqueKeysWithValues: behind.map { ($0.transactionNumber, $0) })
    guard request.entity == PersistentHistoryModel.change else {
      return keys.compactMap { byNumber[$0] }.map { query.includesChanges ? $0 : $0.withoutChanges }
    }
    let changes = Dictionary(
      uniqueKeysWithValues: behind.flatMap { $0.changes ?? [] }.map { ($0.changeID, $0) })
    let found = Dictionary(grouping: keys.compactMap { changes[$0] }, by: \.transactionNumber)
    return behind.filter { found[$0.transactionNumber] != nil }.map { transaction in
      var transaction = transaction
      transaction.changes = query.includesChanges ? found[transaction.transactionNumber] : nil
      return transaction
    }
  }

  private func check(_ bound: PersistentHistoryQuery.Bound?, store: String) throws {
    guard case .transaction(let number)? = bound else { return }
    if number > lastTransactionNumber {
      throw StoreError.failure(
        "the history of \(store) ends with transaction \(lastTransactionNumber): a token of transaction \(number) is not of it"
      )
    }
    let first = transactions.first?.transactionNumber
    if number < (first ?? lastTransactionNumber + 1) - 1 {
      throw StoreError.historyTokenExpired(store: store, transactionNumber: number, firstLeft: first)
    }
  }

  /// A store of the history's own model.
  private static func table(_ transactions: [PersistentHistoryTransaction]) throws -> InMemoryStore {
    let table = InMemoryStore(model: PersistentHistoryModel.model)
    var request = SaveRequest()
    func id(_ entity: Entity, _ key: Int64) -> ObjectID {
      ObjectID(entity: entity, reference: .permanent(store: table.identifier, primaryKey: key))
    }
    func snapshot(_ entity: Entity, _ key: Int64, _ values: [String: Value], toOne: ObjectID? = nil) -> Snapshot {
      Snapshot(
        objectID: id(entity, key), version: 1, attributes: entity.attributes.map { values[$0.name] ?? .null },
        toOne: entity.relationships.map { $0.isToMany ? nil : toOne })
    }
    func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
    for transaction in transactions {
      request.inserted.append(
        snapshot(
          PersistentHistoryModel.transaction, transaction.transactionNumber,
          [
            "author": text(transaction.author), "bundleID": text(transaction.bundleID),
            "contextName": text(transaction.contextName), "processID": text(transaction.processID),
            "timestamp": .date(transaction.timestamp), "transactionNumber": .integer(transaction.transactionNumber),
          ]))
      for change in transaction.changes ?? [] {
        let separator = PersistentHistoryModel.nameSeparator
        let names = change.updatedPropertyNames.map { names in
          names.isEmpty ? "" : separator + names.sorted().joined(separator: separator) + separator
        }
        request.inserted.append(
          snapshot(
            PersistentHistoryModel.change, change.changeID,
            [
              "changeID": .integer(change.changeID), "changeType": .integer(Int64(change.changeType.rawValue)),
              "changedEntity": .string(change.changedObjectID.entity.name),
              PersistentHistoryModel.entityNumberName: .integer(Int64(change.changedObjectID.entity.index)),
              PersistentHistoryModel.primaryKeyName: .integer(change.changedObjectID.primaryKey ?? 0),
              PersistentHistoryModel.transactionNumberName: .integer(change.transactionNumber),
              "updatedProperties": text(names),
            ], toOne: id(PersistentHistoryModel.transaction, change.transactionNumber)))
      }
    }
    try table.save(request)
    return table
  }
}

extension PersistentHistoryTransaction {
  fileprivate var withoutChanges: PersistentHistoryTransaction {
    var transaction = self
    transaction.changes = nil
    return transaction
  }
}
