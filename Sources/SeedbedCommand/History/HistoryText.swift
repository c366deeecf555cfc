import Exports
import Foundation
import ObjectGraph
import ObjectModel
import Pipelines
import StoreInterface

/// How a transaction of a history is shown.
enum HistoryText {
  /// For people: a line for the transaction, and one for each change.
  static func text(_ transaction: PersistentHistoryTransaction) -> String {
    var head = ["\(transaction.transactionNumber)", DateText.iso8601(transaction.timestamp)]
    for (name, value) in names(transaction) { if let value { head.append("\(name) \(value)") } }
    let lines = (transaction.changes ?? []).map { change in
      let key = change.changedObjectID.primaryKey.map { "/\($0)" } ?? ""
      var line = "  \(word(change.changeType)) \(change.changedObjectID.entity.name)\(key)"
      if let properties = change.updatedPropertyNames, !properties.isEmpty {
        line += ": " + properties.sorted().joined(separator: ", ")
      }
      if let tombstone = change.tombstoneValues, !tombstone.isEmpty {
        line +=
          ": " + tombstone.sortedByCodePoint(\.key).map { "\($0.key) \(plain($0.value))" }.joined(separator: ", ")
      }
      return line
    }
    return HarmlessText.of(([head.joined(separator: "  ")] + lines).joined(separator: "\n"))
  }

  /// For programs: one object.
  static func json(_ transaction: PersistentHistoryTransaction) -> String {
    var members: [(String, JSONValue)] = [
      ("transaction", .integer(Int(transaction.transactionNumber))),
      ("timestamp", .string(DateText.iso8601(transaction.timestamp))),
      ("token", .string(transaction.token.description)),
    ]
    for (name, value) in names(transaction) { if let value { members.append((name, .string(value))) } }
    members.append(("changes", .array((transaction.changes ?? []).map(json))))
    return JSONValue.object(members).text(isIndented: false)
  }

  /// A change, as the lines of transactions have them.
  static func json(_ change: PersistentHistoryChange) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("type", .string("\(change.changeType)")), ("entity", .string(change.changedObjectID.entity.name)),
      ("primaryKey", .integer(Int(change.changedObjectID.primaryKey ?? 0))),
      ("uri", .string(change.changedObjectID.uriRepresentation().absoluteString)),
    ]
    if let properties = change.updatedPropertyNames {
      members.append(("properties", .array(properties.sorted().map { .string($0) })))
    }
    if let tombstone = change.tombstoneValues {
      members.append(
        ("tombstone", .object(tombstone.sortedByCodePoint(\.key).map { ($0.key, $0.value.json) })))
    }
    return .object(members)
  }

  private static func names(_ transaction: PersistentHistoryTransaction) -> [(String, String?)] {
    let (process, bundle) = (transaction.processID, transaction.bundleID)
    return [
      ("author", transaction.author), ("context", transaction.contextName),
      ("process", process.isEmpty ? nil : process),
      ("bundle", bundle.isEmpty ? nil : bundle),
    ]
  }

  private static func word(_ type: PersistentHistoryChangeType) -> String {
    switch type {
    case .insert: "inserted"
    case .update: "updated"
    case .delete: "deleted"
    }
  }

  /// A value that a tombstone keeps: bytes as base64, dates in ISO 8601.
  private static func plain(_ value: Value) -> String {
    value.date.map(DateText.iso8601) ?? value.plainText
  }
}
