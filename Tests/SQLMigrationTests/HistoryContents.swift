import CoreDataLayout
import Foundation
import ObjectModel
import StoreInterface
import TestMigrations

/// What a store's history says, as plain values: the slow twin of what a migration makes of it.
struct HistoryContents: Equatable {
  struct Change: Equatable {
    var number: Int64
    var object: ObjectContents.Key
    var type: PersistentHistoryChangeType
    var properties: Set<String>?
    var tombstone: [String: Value]?
  }

  struct Transaction: Equatable {
    var number: Int64
    var time: Date
    var author: String?
    var program: String?
    var changes: [Change]
  }

  private(set) var transactions: [Transaction] = []

  /// Reads all of it; empty where none is kept.
  init(path: String, model: ManagedObjectModel) throws {
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    let store = try SQLiteStore.open(path: path, model: model, options: options)
    defer { try? store.close() }
    guard store.tracksHistory else { return }
    transactions = try store.history(PersistentHistoryQuery()).map { found in
      Transaction(
        number: found.transactionNumber, time: found.timestamp, author: found.author, program: found.bundleID,
        changes: (found.changes ?? []).map { change in
          Change(
            number: change.changeID,
            object: .init(
              entity: change.changedObjectID.entity.name, number: change.changedObjectID.primaryKey ?? 0),
            type: change.changeType, properties: change.updatedPropertyNames, tombstone: change.tombstoneValues)
        })
    }
  }

  /// The history by plain rules: changes of removed entities go, and names of properties follow them.
  func mapped(
    from older: ManagedObjectModel, to newer: ManagedObjectModel, offsets: [String: Int64]
  ) -> HistoryContents {
    let names = RenamingRules.newNames(from: older, to: newer)
    var result = self
    for index in transactions.indices {
      result.transactions[index].changes = transactions[index].changes.compactMap { change in
        guard let name = names[change.object.entity], let entity = newer[name], let old = older[change.object.entity]
        else { return nil }
        var sources: [String: String] = [:]
        for attribute in entity.attributes where !attribute.isTransient {
          sources[attribute.name] = RenamingRules.source(of: attribute, entity, old)
        }
        for relationship in entity.relationships {
          sources[relationship.name] = RenamingRules.source(of: relationship, entity, old)
        }
        var new = change
        new.object = .init(entity: name, number: change.object.number + (offsets[change.object.entity] ?? 0))
        new.properties = change.properties.map { properties in
          Set(sources.filter { properties.contains($0.value) }.map(\.key))
        }
        new.tombstone = change.tombstone.map { values in
          let kept = entity.attributes.filter(\.preservesValueInHistoryOnDeletion)
          let pairs = kept.compactMap { attribute in
            sources[attribute.name].flatMap { values[$0] }.map { (attribute.name, $0) }
          }
          return Dictionary(uniqueKeysWithValues: pairs)
        }
        return new
      }
    }
    return result
  }

  /// Where two histories differ first; nil when they do not.
  func difference(from expected: HistoryContents) -> String? {
    if transactions.count != expected.transactions.count {
      return "history: \(transactions.count) transactions, not \(expected.transactions.count)"
    }
    for (found, wanted) in zip(transactions, expected.transactions) where found != wanted {
      for (change, other) in zip(found.changes, wanted.changes) where change != other {
        return "history: \(change), not \(other)"
      }
      return "history: \(found), not \(wanted)"
    }
    return nil
  }
}
