import CoreDataLayout
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestRows
import Testing

extension RandomStores {
  /// Whether both stores have the same rows, versions and members; tells the first that are not.
  func haveSameRows(_ text: String) throws -> Bool {
    for entity in model.entities {
      let found = try sqlite.snapshots(FetchSpecification(entity))
      let expected = try memory.snapshots(FetchSpecification(entity))
      if found.map({ Plain($0) }) != expected.map({ Plain($0) }) {
        let (wanted, other) = (expected.map { Plain($0).description }, found.map { Plain($0).description })
        let (more, missing) = (other.filter { !wanted.contains($0) }, wanted.filter { !other.contains($0) })
        Issue.record("\(text): rows of \(entity.name): only in SQLite \(more), only in memory \(missing)")
        return false
      }
      for (left, right) in zip(found, expected) {
        for relationship in left.objectID.entity.relationships where relationship.isToMany {
          let members = try sqlite.members(of: left.objectID, relationship: relationship).map { Plain.text($0) }
          let wanted = try memory.members(of: right.objectID, relationship: relationship).map { Plain.text($0) }
          if members != wanted {
            Issue.record("\(text): \(Plain.text(left.objectID)).\(relationship.name): \(members), not \(wanted)")
            return false
          }
        }
      }
    }
    return true
  }

  /// The numbers of the last transactions, in SQLite and in memory.
  func lastTransactions() throws -> (sqlite: Int64, memory: Int64) {
    (try sqlite.lastTransactionNumber(), try memory.lastTransactionNumber())
  }

  /// Whether both stores tell the same of what was saved later. SQLite may name more properties: those that a batch
  /// set to one value and back.
  func haveSameHistory(after start: (sqlite: Int64, memory: Int64), _ text: String) throws -> Bool {
    func changes(_ store: some PersistentHistoryTracking, after first: Int64) throws -> [String: Set<String>] {
      var result: [String: Set<String>] = [:]
      for transaction in try store.history(PersistentHistoryQuery(after: .transaction(first))) {
        for change in transaction.changes ?? [] {
          let tombstone = (change.tombstoneValues ?? [:]).map { "\($0.key)=\(Plain.plain($0.value))" }.sorted()
          let line =
            "\(transaction.transactionNumber - first): \(change.changeType) \(Plain.text(change.changedObjectID)) "
            + "\(tombstone)"
          result[line] = change.updatedPropertyNames ?? []
        }
      }
      return result
    }
    let (found, expected) = (try changes(sqlite, after: start.sqlite), try changes(memory, after: start.memory))
    let isSame =
      found.count == expected.count
      && expected.allSatisfy { line, properties in found[line].map { $0.isSuperset(of: properties) } == true }
    if isSame { return true }
    let (more, missing) = (found.filter { expected[$0.key] != $0.value }, expected.filter { found[$0.key] != $0.value })
    Issue.record("\(text): history only in SQLite \(more), only in memory \(missing)")
    return false
  }
}

/// A row without its store's identifier.
struct Plain: Equatable, CustomStringConvertible {
  let description: String

  init(_ row: Snapshot) {
    description =
      "\(Self.text(row.objectID)) v\(row.version) \(row.attributes.map(Self.plain)) \(row.toOne.map { $0.map(Self.text) ?? "-" })"
  }

  /// Elements of composites have no order.
  static func plain(_ value: Value) -> String {
    guard case .composite(let elements) = value else { return "\(value)" }
    return "{" + elements.map { "\($0.key): \(plain($0.value))" }.sorted().joined(separator: ", ") + "}"
  }

  static func text(_ id: ObjectID) -> String { "\(id.entity.name) \(id.primaryKey ?? 0)" }

  /// Sums of reals may differ in the last bits.
  static func text(_ value: ExpressionValue) -> String {
    switch value {
    case .object(let id): text(id)
    case .value(.double(let number)): "double \(Float(number))"
    default: "\(value)"
    }
  }
}
