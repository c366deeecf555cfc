import Exports
import Foundation
import ObjectModel
import Pipelines
import StoreDifferences

/// How differences of stores are shown.
enum DiffText {
  // MARK: - For people

  /// A line for the object, and one for each property.
  static func text(_ difference: ObjectDifference) -> String {
    let sign =
      switch difference.change {
      case .inserted: "+"
      case .updated: "~"
      case .deleted: "-"
      }
    let lines = difference.properties.map { "    \($0.name): \(text($0.difference))" }
    return HarmlessText.of((["\(sign) \(text(difference.object))"] + lines).joined(separator: "\n"))
  }

  private static func text(_ difference: PropertyDifference.Difference) -> String {
    switch difference {
    case .attribute(let left, let right): return "\(text(left)) → \(text(right))"
    case .stored(let left, let right): return "\(text(left)) → \(text(right))"
    case .toOne(let left, let right): return "\(left.map(text) ?? "null") → \(right.map(text) ?? "null")"
    case .toMany(let removed, let added, let isReordered):
      let parts =
        removed.map { "- \(text($0))" } + added.map { "+ \(text($0))" } + (isReordered ? ["another order"] : [])
      return parts.joined(separator: ", ")
    }
  }

  private static func text(_ key: ObjectKey) -> String {
    if key.values.allSatisfy({ $0.value == .null }) { return "\(key.entity) /\(key.primaryKey)" }
    return "\(key.entity) " + key.values.map { text($0.value) }.joined(separator: ", ")
  }

  /// The value with its storage class, which says what is unusual in it.
  private static func text(_ stored: StoredValue) -> String {
    stored.value == .null ? "null" : "\(stored.storageClass) \(text(stored.value))"
  }

  private static func text(_ value: Value) -> String { value.json.text(isIndented: false) }

  /// The counts, a line for each entity.
  static func text(_ summary: ComparisonSummary) -> String {
    let lines = summary.entities.map { counts in
      let key = counts.key.isEmpty ? "by primary key" : "by " + counts.key.joined(separator: ", ")
      return "\(counts.entity) (\(key)): "
        + (counts.inserted + counts.updated + counts.deleted == 0
          ? "the same" : "+\(counts.inserted) ~\(counts.updated) -\(counts.deleted)")
    }
    return HarmlessText.of(lines.joined(separator: "\n"))
  }

  /// A sentence about all of it.
  static func closing(_ summary: ComparisonSummary) -> String {
    if summary.isSameFile { return "the files are the same" }
    if !summary.hasDifferences { return "the stores have the same objects" }
    func sum(_ path: KeyPath<ComparisonSummary.EntityCounts, Int>) -> String {
      (summary.entities.reduce(0) { $0 + $1[keyPath: path] }).grouped
    }
    return "\(sum(\.inserted)) inserted, \(sum(\.updated)) updated, \(sum(\.deleted)) deleted"
      + (summary.modelDifferences.isEmpty ? "" : "; the models differ")
  }

  // MARK: - For programs

  /// One object.
  static func json(_ difference: ObjectDifference) -> String {
    var members: [(String, JSONValue)] = [("change", .string(difference.change.rawValue))]
    members += self.members(difference.object, withPrimaryKey: false)
    var keys: [(String, JSONValue)] = []
    if let key = difference.leftPrimaryKey { keys.append(("first", .number("\(key)"))) }
    if let key = difference.rightPrimaryKey { keys.append(("second", .number("\(key)"))) }
    members.append(("primaryKeys", .object(keys)))
    if difference.change == .updated {
      members.append(("properties", .object(difference.properties.map { ($0.name, json($0.difference)) })))
    }
    return JSONValue.object(members).text(isIndented: false)
  }

  private static func json(_ difference: PropertyDifference.Difference) -> JSONValue {
    switch difference {
    case .attribute(let left, let right): .object([("first", left.json), ("second", right.json)])
    case .stored(let left, let right):
      .object([
        ("first", left.value.json), ("second", right.value.json),
        ("stored", .object([("first", .string(left.storageClass)), ("second", .string(right.storageClass))])),
      ])
    case .toOne(let left, let right):
      .object([("first", left.map(json) ?? .null), ("second", right.map(json) ?? .null)])
    case .toMany(let removed, let added, let isReordered):
      .object([
        ("removed", .array(removed.map(json))), ("added", .array(added.map(json))),
        ("reordered", .boolean(isReordered)),
      ])
    }
  }

  private static func json(_ key: ObjectKey) -> JSONValue { .object(members(key, withPrimaryKey: true)) }

  private static func members(_ key: ObjectKey, withPrimaryKey: Bool) -> [(String, JSONValue)] {
    var members: [(String, JSONValue)] = [("entity", .string(key.entity))]
    if !key.values.isEmpty { members.append(("key", .object(key.values.map { ($0.name, $0.value.json) }))) }
    if withPrimaryKey { members.append(("primaryKey", .number("\(key.primaryKey)"))) }
    return members
  }

  /// The counts and the differences of the models, as one object.
  static func json(_ summary: ComparisonSummary) -> String {
    let entities = summary.entities.map { counts in
      JSONValue.object([
        ("entity", .string(counts.entity)), ("key", .strings(counts.key)),
        ("inserted", .integer(counts.inserted)), ("updated", .integer(counts.updated)),
        ("deleted", .integer(counts.deleted)),
      ])
    }
    return JSONValue.object([
      ("equal", .boolean(!summary.hasDifferences)), ("entities", .array(entities)),
      ("modelDifferences", .strings(summary.modelDifferences)),
    ]).text(isIndented: false)
  }
}
