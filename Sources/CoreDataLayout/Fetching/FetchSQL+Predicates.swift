import Foundation
import ObjectModel
import Predicates
import StoreInterface

extension FetchSQL {
  /// A predicate as a condition.
  /// - Parameter isNegated: whether a NOT around it would see a NULL.
  mutating func condition(_ predicate: FetchPredicate, isNegated: Bool) throws -> String {
    try enter()
    defer { leave() }
    switch predicate {
    case .all: return "1"
    case .none: return "0"
    case .and:
      let parts = FetchSQL.conjuncts(of: predicate)
      if parts.isEmpty { return "1" }
      return FetchSQL.balanced(try parts.map { try condition($0, isNegated: isNegated) }[...], "AND")
    case .or:
      let parts = FetchSQL.disjuncts(of: predicate)
      if parts.isEmpty { return "0" }
      return FetchSQL.balanced(try parts.map { try condition($0, isNegated: isNegated) }[...], "OR")
    case .not(let part): return "NOT " + (try condition(part, isNegated: true))
    case .comparison(let keyPath, let comparison, let value):
      let left = try scalar(.keyPath(keyPath))
      return FetchSQL.definite(try self.comparison(left, comparison, value), isNegated)
    case .isIn(let keyPath, let values):
      return FetchSQL.definite(try membership(try scalar(.keyPath(keyPath)), values), isNegated)
    case .tupleIsIn(let keyPaths, let tuples):
      return FetchSQL.definite(try tupleMembership(keyPaths, tuples), isNegated)
    case .refersTo(let keyPath, let objectID): return try reference(keyPath, objectID)
    case .selfIsIn(let objectIDs): return try identity(objectIDs)
    case .compare(let comparison): return try condition(comparison, isNegated: isNegated)
    case .block: throw StoreError.unsupported("SQL cannot say a block predicate")
    }
  }

  private mutating func comparison(
    _ left: Scalar, _ comparison: FetchPredicate.PlainOperator, _ value: Value
  ) throws -> String {
    try compare(left, comparison.general, constant(value), options: [])
  }

  mutating func membership(_ column: Scalar, _ values: [Value]) throws -> String {
    if values.contains(where: { !$0.isMissing }) { try column.requireComparable() }
    let sql = text(column)
    let fitting = values.filter { FetchSQL.valueKind(of: $0).fits(column.kind) && !$0.isMissing }
    var parts: [String] = []
    if !fitting.isEmpty { parts.append("\(sql) IN (\(try list(fitting.map { [$0] }, width: 1)))") }
    if values.contains(where: { $0.isMissing }) { parts.append("\(sql) IS NULL") }
    return parts.isEmpty ? "0" : parts.joined(separator: " OR ")
  }

  private mutating func tupleMembership(
    _ keyPaths: [FetchPredicate.KeyPath], _ tuples: [[Value]]
  ) throws -> String {
    let columns = try keyPaths.map { try scalar(.keyPath($0)) }
    for column in columns { try column.requireComparable() }
    let names = columns.map { text($0) }
    // Tuples that lack the same elements share a list of what they have.
    var groups: [[Bool]: [[Value]]] = [:]
    for tuple in tuples {
      guard tuple.count == columns.count else {
        throw StoreError.failure("a tuple of \(tuple.count) values does not fit \(columns.count) key paths")
      }
      let presence = tuple.map { !$0.isMissing }
      let isPossible = zip(columns, tuple).allSatisfy {
        $1.isMissing || FetchSQL.valueKind(of: $1).fits($0.kind)
      }
      if isPossible { groups[presence, default: []].append(tuple.filter { !$0.isMissing }) }
    }
    var parts: [String] = []
    for (presence, rows) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) { !$0 && $1 } }) {
      let present = zip(names, presence).filter(\.1).map(\.0)
      var conditions = zip(names, presence).filter { !$0.1 }.map { "\($0.0) IS NULL" }
      if !present.isEmpty {
        let left = present.count == 1 ? present[0] : "(\(present.joined(separator: ", ")))"
        conditions.append("\(left) IN (\(try list(rows, width: present.count)))")
      }
      parts.append("(\(conditions.joined(separator: " AND ")))")
    }
    return parts.isEmpty ? "0" : parts.joined(separator: " OR ")
  }

  private mutating func reference(
    _ keyPath: FetchPredicate.KeyPath, _ objectID: ObjectID?
  ) throws -> String {
    let left = try scalar(.keyPath(keyPath))
    guard let objectID else { return "\(text(left)) IS NULL" }
    guard case .object(let destination) = left.kind, let key = reader.file.primaryKey(of: objectID),
      objectID.entity.isKind(of: destination)
    else { return "0" }
    return "\(text(left)) IS \(bind(.integer(key)))"
  }

  private mutating func identity(_ objectIDs: [ObjectID]) throws -> String {
    var keysByNumber: [Int: [Value]] = [:]
    for objectID in objectIDs where objectID.entity.root == root.entity.root {
      guard let key = reader.file.primaryKey(of: objectID) else { continue }
      keysByNumber[layout.number(of: objectID.entity), default: []].append(.integer(key))
    }
    if keysByNumber.isEmpty { return "0" }
    let isAlone = root.entity.root.subentities.isEmpty
    let parts = try keysByNumber.sorted { $0.key < $1.key }.map { number, keys in
      let list = "t0.Z_PK IN (\(try list(keys.map { [$0] }, width: 1)))"
      return isAlone ? list : "(t0.Z_ENT = \(number) AND \(list))"
    }
    return "(" + parts.joined(separator: " OR ") + ")"
  }
}
