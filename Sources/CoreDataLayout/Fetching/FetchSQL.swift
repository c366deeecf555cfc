import Foundation
import ObjectModel
import Predicates
import StoreInterface

/// Turns a fetch request into one SELECT with bound parameters.
///
/// Predicates have two values only, so every condition is written such that it is never NULL where a `not` could see
/// it. `t0` is the fetched entity's table; every to-one relationship on a key path joins one more, every to-many
/// relationship opens a subquery. The caller evaluates the part that SQL cannot express (`residual`).
struct FetchSQL {
  let layout: StoreLayout
  let reader: StoreReader
  /// The row that the request is about.
  let root: Place
  /// The value of `now()` in the whole statement.
  let now: Date
  /// The statement's own tables first, then those of subqueries.
  var scopes: [Scope]
  /// Loop variables of the subqueries around.
  var variables: [String: Scalar] = [:]
  /// Whether aggregates work on the rows of a group.
  var isGrouped = false
  /// Fetch indexes that the predicate asks for.
  var indexHints: [String] = []
  /// Parts of the predicate, all of which must hold, that have to be evaluated in memory.
  private(set) var residual: [FetchPredicate] = []
  private(set) var parameters: [Value] = []
  /// Temporary tables that hold long lists, to be emptied afterwards.
  private(set) var lists: [String] = []
  private var aliasCount = 1
  /// The nesting depth of the expression that is being translated.
  private var nesting = 0

  /// Deeper ones are evaluated in memory: SQLite's parser keeps a hundred open symbols at most, and every level takes a
  /// few.
  private static let deepestNesting = 20

  /// Longer lists go through a temporary table.
  private static let longestInlineList = 4_096

  init(_ reader: StoreReader, _ entity: Entity, now: Date = Date()) {
    self.reader = reader
    self.now = now
    layout = reader.file.layout
    root = Place(scope: 0, path: [], entity: entity)
    scopes = [Scope(base: "\(layout.table(for: entity).name) AS t0", aliasByPath: [[]: "t0"])]
  }

  // MARK: - Statements

  /// The whole statement for objects. When `residual` is not empty afterwards, it selects more rows than are wanted,
  /// and all of them: limit and offset are left to the caller too.
  /// - Parameter columns: what to select, `t0.` before each name.
  mutating func statement(_ request: FetchSpecification, selecting columns: String) throws -> String {
    let condition = try condition(splitting: request)
    let sorts = request.sortDescriptors.map { (FetchExpression.keyPath($0.keyPath), $0) }
    let order = try order(sorts) + ["t0.Z_PK ASC"]
    applyIndexHints()
    return "SELECT \(columns)" + tail(condition, request) + " ORDER BY " + order.joined(separator: ", ")
      + (residual.isEmpty ? FetchSQL.window(request) : "")
  }

  /// The whole statement for the number of objects that meet a condition.
  mutating func count(_ condition: String, _ request: FetchSpecification) -> String {
    applyIndexHints()
    let window = FetchSQL.window(request)
    let tail = tail(condition, request)
    return window.isEmpty ? "SELECT count(*)\(tail)" : "SELECT count(*) FROM (SELECT 1\(tail)\(window))"
  }

  /// `FROM … WHERE …`, without the `WHERE` when every row is wanted.
  func tail(_ condition: String, _ request: FetchSpecification) -> String {
    let conditions = [condition == "1" ? nil : condition, entityCondition(request)].compactMap { $0 }
    return " FROM \(scopes[0].from)" + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  static func window(_ request: FetchSpecification) -> String {
    if request.fetchLimit <= 0 && request.fetchOffset <= 0 { return "" }
    return " LIMIT \(request.fetchLimit > 0 ? request.fetchLimit : -1) OFFSET \(max(request.fetchOffset, 0))"
  }

  /// A statement for one object's row, with its primary key as the parameter.
  func row(selecting columns: String) -> String { "SELECT \(columns) FROM \(scopes[0].from) WHERE t0.Z_PK = ?1" }

  /// What rows are sorted by, without the tie-break.
  mutating func order(
    _ sorts: [(expression: FetchExpression, descriptor: FetchSortDescriptor)]
  ) throws -> [String] {
    try sorts.map { expression, descriptor in
      let value = try scalar(expression)
      try value.requireComparable()
      var sql = text(value)
      if value.kind.isText {
        switch descriptor.comparison {
        case .binary: break
        case .localizedStandard: sql += " COLLATE \(FetchFunctions.localized)"
        case .caseInsensitive: sql = FetchFunctions.folded(sql, .caseInsensitive)
        }
      }
      return sql + (descriptor.isAscending ? " ASC" : " DESC")
    }
  }

  /// Restricts the rows to the entity asked for; nil when every row of the table is wanted.
  private func entityCondition(_ request: FetchSpecification) -> String? {
    let entity = request.entity
    if entity.subentities.isEmpty && entity.superentity == nil { return nil }
    if !request.includesSubentities { return "t0.Z_ENT = \(layout.number(of: entity))" }
    if entity.superentity == nil { return nil }
    return "t0.Z_ENT IN (\(layout.numbers(ofKind: entity).map(String.init).joined(separator: ", ")))"
  }

  /// The part of the predicate that SQL can express; the rest goes to `residual`.
  mutating func condition(splitting request: FetchSpecification) throws -> String {
    var conditions: [String] = []
    let parts = FetchSQL.conjuncts(of: request.predicate.compacted(for: request.entity, now: now))
    for part in parts {
      let before = self
      do {
        conditions.append(try ownersCondition(part, among: parts) ?? condition(part, isNegated: false))
      } catch is Untranslatable {
        let filled = lists
        self = before
        lists = filled
        residual.append(part)
      }
    }
    conditions += try spatialConditions(request)
    if conditions.count > 64 { return FetchSQL.balanced(conditions[...], "AND") }
    return conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
  }

  static func conjuncts(of predicate: FetchPredicate) -> [FetchPredicate] {
    guard case .and(let parts) = predicate else { return [predicate] }
    return parts.flatMap { conjuncts(of: $0) }
  }

  static func disjuncts(of predicate: FetchPredicate) -> [FetchPredicate] {
    guard case .or(let parts) = predicate else { return [predicate] }
    return parts.flatMap { disjuncts(of: $0) }
  }

  // MARK: - Lists and parameters

  /// The inside of an `IN (…)`. Short lists are padded to a power of two by repeating the last element, so that few
  /// different statements have to be prepared.
  mutating func list(_ tuples: [[Value]], width: Int) throws -> String {
    if tuples.count * width > FetchSQL.longestInlineList {
      let name = try reader.fillList(tuples, width: width, number: lists.count)
      lists.append(name)
      return "SELECT \((0..<width).map { "v\($0)" }.joined(separator: ", ")) FROM \(name)"
    }
    var padded = 1
    while padded < tuples.count { padded *= 2 }
    var rows: [String] = []
    for index in 0..<padded {
      let values = tuples[min(index, tuples.count - 1)].map { bind($0) }.joined(separator: ", ")
      rows.append(width == 1 ? values : "(\(values))")
    }
    return width == 1 ? rows.joined(separator: ", ") : "VALUES " + rows.joined(separator: ", ")
  }

  mutating func bind(_ value: Value) -> String {
    parameters.append(value)
    // A decimal is bound as text; only next to a plain column would SQLite take it as a number by itself.
    if case .decimal = value { return "CAST(?\(parameters.count) AS NUMERIC)" }
    return "?\(parameters.count)"
  }

  mutating func enter(_ levels: Int = 1) throws {
    nesting += levels
    if nesting > FetchSQL.deepestNesting { throw Untranslatable() }
  }

  mutating func leave(_ levels: Int = 1) { nesting -= levels }

  mutating func nextAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  /// Many parts, nested in halves: SQLite bounds the depth of an expression, and a plain chain is as deep as long.
  static func balanced(_ parts: ArraySlice<String>, _ sign: String) -> String {
    if parts.count <= 64 { return "(" + parts.joined(separator: " \(sign) ") + ")" }
    let middle = parts.startIndex + parts.count / 2
    return "(\(balanced(parts[..<middle], sign)) \(sign) \(balanced(parts[middle...], sign)))"
  }

  /// NULL counts as false; only a NOT can tell them apart, and without it an index stays usable.
  static func definite(_ condition: String, _ isNegated: Bool) -> String {
    isNegated ? "IFNULL(\(condition), 0)" : "(\(condition))"
  }
}
