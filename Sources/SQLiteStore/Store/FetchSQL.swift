import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// Turns a fetch request into one SELECT with bound parameters.
///
/// Predicates have two values only, so every comparison is written such that it is never NULL where a `not` could see
/// it. `t0` is the fetched entity's table; every to-one relationship on a key path joins one more.
struct FetchSQL {
  private let layout: StoreLayout
  private let store: SQLiteStore
  private var joins: [String] = []
  private var aliasByPath: [[String]: String] = [[]: "t0"]
  private(set) var parameters: [Value] = []
  /// Temporary tables that hold long lists, to be emptied afterwards.
  private(set) var lists: [String] = []

  /// Longer lists go through a temporary table.
  private static let longestInlineList = 4_096

  init(_ store: SQLiteStore) {
    self.store = store
    layout = store.layout
  }

  /// The whole statement.
  /// - Parameter columns: what to select, `t0.` before each name.
  mutating func statement(_ request: FetchRequest, selecting columns: String) throws -> String {
    let condition = try condition(request.predicate, request.entity, isNegated: false)
    var order: [String] = []
    for descriptor in request.sortDescriptors {
      guard descriptor.comparison == .binary else {
        throw StoreError.unsupported("sorting by anything but bytes has no translation to SQL yet")
      }
      let column = try attributeColumn(descriptor.keyPath, request.entity).sql
      order.append(column + (descriptor.isAscending ? " ASC" : " DESC"))
    }
    order.append("t0.Z_PK ASC")
    var text = "SELECT \(columns) FROM \(layout.table(for: request.entity).name) AS t0"
    for join in joins { text += " " + join }
    text += " WHERE \(condition)"
    if let kinds = entityCondition(request) { text += " AND \(kinds)" }
    text += " ORDER BY " + order.joined(separator: ", ")
    if request.fetchLimit > 0 || request.fetchOffset > 0 {
      text += " LIMIT \(request.fetchLimit > 0 ? request.fetchLimit : -1) OFFSET \(max(request.fetchOffset, 0))"
    }
    return text
  }

  /// A statement for one object's row, with its primary key as the parameter.
  func row(of entity: Entity, selecting columns: String) -> String {
    var text = "SELECT \(columns) FROM \(layout.table(for: entity).name) AS t0"
    for join in joins { text += " " + join }
    return text + " WHERE t0.Z_PK = ?1"
  }

  /// Restricts the rows to the entity asked for; nil when every row of the table is wanted.
  private func entityCondition(_ request: FetchRequest) -> String? {
    let entity = request.entity
    if entity.subentities.isEmpty && entity.superentity == nil { return nil }
    if !request.includesSubentities { return "t0.Z_ENT = \(layout.number(of: entity))" }
    if entity.superentity == nil { return nil }
    return "t0.Z_ENT IN (\(layout.numbers(ofKind: entity).map(String.init).joined(separator: ", ")))"
  }

  // MARK: predicates

  private mutating func condition(_ predicate: StoreInterface.Predicate, _ entity: Entity, isNegated: Bool) throws
    -> String
  {
    switch predicate {
    case .all: return "1"
    case .none: return "0"
    case .and(let parts):
      if parts.isEmpty { return "1" }
      return FetchSQL.balanced(try parts.map { try condition($0, entity, isNegated: isNegated) }[...], "AND")
    case .or(let parts):
      if parts.isEmpty { return "0" }
      return FetchSQL.balanced(try parts.map { try condition($0, entity, isNegated: isNegated) }[...], "OR")
    case .not(let part): return "NOT " + (try condition(part, entity, isNegated: true))
    case .comparison(let keyPath, let comparison, let value):
      let column = try attributeColumn(keyPath, entity)
      return FetchSQL.definite(self.comparison(column, comparison, value), isNegated)
    case .isIn(let keyPath, let values):
      return FetchSQL.definite(try membership(try attributeColumn(keyPath, entity), values), isNegated)
    case .tupleIsIn(let keyPaths, let tuples):
      return FetchSQL.definite(try tupleMembership(keyPaths, tuples, entity), isNegated)
    case .refersTo(let keyPath, let objectID): return try reference(keyPath, objectID, entity)
    case .selfIsIn(let objectIDs): return try identity(objectIDs, entity)
    case .compare:
      let compact = predicate.compacted(for: entity)
      if case .compare = compact { throw StoreError.unsupported("\(predicate) has no translation to SQL yet") }
      return try condition(compact, entity, isNegated: isNegated)
    }
  }

  /// Many parts, nested in halves: SQLite bounds the depth of an expression, and a plain chain is as deep as long.
  private static func balanced(_ parts: ArraySlice<String>, _ sign: String) -> String {
    if parts.count <= 64 { return "(" + parts.joined(separator: " \(sign) ") + ")" }
    let middle = parts.startIndex + parts.count / 2
    return "(\(balanced(parts[..<middle], sign)) \(sign) \(balanced(parts[middle...], sign)))"
  }

  /// NULL counts as false; only a NOT can tell them apart, and without it an index stays usable.
  private static func definite(_ condition: String, _ isNegated: Bool) -> String {
    isNegated ? "IFNULL(\(condition), 0)" : "(\(condition))"
  }

  private mutating func comparison(
    _ column: AttributeColumn, _ comparison: StoreInterface.Predicate.Operator, _ value: Value
  ) -> String {
    let isMissing = FetchSQL.isMissing(value)
    let fits = column.kind == FetchSQL.kind(of: value)
    switch comparison {
    case .equal:
      if isMissing { return "\(column.sql) IS NULL" }
      return fits ? "\(column.sql) = \(bind(value))" : "0"
    case .notEqual:
      if isMissing { return "\(column.sql) IS NOT NULL" }
      return fits ? "\(column.sql) IS NOT \(bind(value))" : "1"
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard !isMissing, fits else { return "0" }
      let sign =
        switch comparison {
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        default: ">="
        }
      return "\(column.sql) \(sign) \(bind(value))"
    case .beginsWith, .contains, .endsWith:
      guard fits, column.kind == .text, let text = FetchSQL.text(of: value) else { return "0" }
      // As blobs, so that lengths and positions count bytes.
      let bytes = "CAST(\(column.sql) AS BLOB)"
      let count = text.utf8.count
      if count == 0 { return "\(column.sql) IS NOT NULL" }
      let part = bind(.data(Data(text.utf8)))
      switch comparison {
      case .beginsWith: return "substr(\(bytes), 1, \(count)) = \(part)"
      case .endsWith: return "length(\(bytes)) >= \(count) AND substr(\(bytes), -\(count)) = \(part)"
      default: return "instr(\(bytes), \(part)) > 0"
      }
    }
  }

  private mutating func membership(_ column: AttributeColumn, _ values: [Value]) throws -> String {
    let fitting = values.filter { !FetchSQL.isMissing($0) && FetchSQL.kind(of: $0) == column.kind }
    var parts: [String] = []
    if !fitting.isEmpty { parts.append("\(column.sql) IN (\(try list(fitting.map { [$0] }, width: 1)))") }
    if values.contains(where: { FetchSQL.isMissing($0) }) { parts.append("\(column.sql) IS NULL") }
    return parts.isEmpty ? "0" : parts.joined(separator: " OR ")
  }

  private mutating func tupleMembership(
    _ keyPaths: [StoreInterface.Predicate.KeyPath], _ tuples: [[Value]], _ entity: Entity
  ) throws -> String {
    let columns = try keyPaths.map { try attributeColumn($0, entity) }
    // Tuples that lack the same elements share a list of what they have.
    var groups: [[Bool]: [[Value]]] = [:]
    for tuple in tuples {
      guard tuple.count == columns.count else {
        throw StoreError.failure("a tuple of \(tuple.count) values does not fit \(columns.count) key paths")
      }
      let presence = tuple.map { !FetchSQL.isMissing($0) }
      let isPossible = zip(columns, tuple).allSatisfy { FetchSQL.isMissing($1) || FetchSQL.kind(of: $1) == $0.kind }
      if isPossible { groups[presence, default: []].append(tuple.filter { !FetchSQL.isMissing($0) }) }
    }
    var parts: [String] = []
    for (presence, rows) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) { !$0 && $1 } }) {
      let present = zip(columns, presence).filter(\.1).map(\.0.sql)
      var conditions = zip(columns, presence).filter { !$0.1 }.map { "\($0.0.sql) IS NULL" }
      if !present.isEmpty {
        let left = present.count == 1 ? present[0] : "(\(present.joined(separator: ", ")))"
        conditions.append("\(left) IN (\(try list(rows, width: present.count)))")
      }
      parts.append("(\(conditions.joined(separator: " AND ")))")
    }
    return parts.isEmpty ? "0" : parts.joined(separator: " OR ")
  }

  private mutating func reference(_ keyPath: StoreInterface.Predicate.KeyPath, _ objectID: ObjectID?, _ entity: Entity)
    throws -> String
  {
    guard let name = keyPath.last else { throw StoreError.failure("an empty key path on \(entity.name)") }
    let (alias, owner) = try follow(Array(keyPath.dropLast()), from: entity)
    guard let relationship = owner.relationship(name), !relationship.isToMany,
      let column = layout.foreignKeyColumn(of: relationship)
    else { throw StoreError.failure("\(owner.name) has no stored to-one relationship \"\(name)\"") }
    guard let objectID else { return "\(alias).\(column.name) IS NULL" }
    guard let key = store.primaryKey(of: objectID), objectID.entity.isKind(of: relationship.destination) else {
      return "0"
    }
    return "\(alias).\(column.name) IS \(bind(.integer(key)))"
  }

  private mutating func identity(_ objectIDs: [ObjectID], _ entity: Entity) throws -> String {
    var keysByNumber: [Int: [Value]] = [:]
    for objectID in objectIDs where objectID.entity.root == entity.root {
      guard let key = store.primaryKey(of: objectID) else { continue }
      keysByNumber[layout.number(of: objectID.entity), default: []].append(.integer(key))
    }
    if keysByNumber.isEmpty { return "0" }
    let isAlone = entity.root.subentities.isEmpty
    let parts = try keysByNumber.sorted { $0.key < $1.key }.map { number, keys in
      let list = "t0.Z_PK IN (\(try list(keys.map { [$0] }, width: 1)))"
      return isAlone ? list : "(t0.Z_ENT = \(number) AND \(list))"
    }
    return "(" + parts.joined(separator: " OR ") + ")"
  }

  // MARK: lists and parameters

  /// The inside of an `IN (…)`. Short lists are padded to a power of two by repeating the last element, so that few
  /// different statements have to be prepared.
  private mutating func list(_ tuples: [[Value]], width: Int) throws -> String {
    if tuples.count * width > FetchSQL.longestInlineList {
      let name = try store.fillList(tuples, width: width, number: lists.count)
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

  private mutating func bind(_ value: Value) -> String {
    parameters.append(value)
    return "?\(parameters.count)"
  }

  // MARK: columns

  /// What values of a column compare with.
  enum Kind {
    case number, text, bytes
  }

  struct AttributeColumn {
    var sql: String
    var kind: Kind
  }

  static func kind(of value: Value) -> Kind? {
    switch value {
    case .null: nil
    case .integer, .boolean, .double, .decimal, .date: .number
    case .string, .uri: .text
    case .data, .uuid: .bytes
    }
  }

  /// A double that is not a number is stored as null.
  static func isMissing(_ value: Value) -> Bool {
    switch value {
    case .null: true
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  private static func text(of value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .uri(let url): url.absoluteString
    default: nil
    }
  }

  private mutating func attributeColumn(
    _ keyPath: StoreInterface.Predicate.KeyPath, _ entity: Entity
  ) throws -> AttributeColumn {
    let (name, attribute) = try selectedColumn(keyPath, entity)
    let kind: Kind =
      switch attribute.type {
      case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .decimal: .number
      case .string, .uri, .undefined, .objectID, .composite: .text
      case .uuid, .binary, .transformable: .bytes
      }
    if attribute.allowsExternalBinaryDataStorage {
      throw StoreError.unsupported(
        "\(keyPath.joined(separator: ".")) may be stored outside and cannot be compared")
    }
    return AttributeColumn(sql: name, kind: kind)
  }

  /// The column at a key path, with its table's alias, and its attribute.
  mutating func selectedColumn(
    _ keyPath: StoreInterface.Predicate.KeyPath, _ entity: Entity
  ) throws -> (sql: String, attribute: AttributeDescription) {
    var keyPath = keyPath
    var leaf: [String] = []
    // The tail of a path into a composite attribute belongs to the attribute.
    while let last = keyPath.popLast() {
      leaf.insert(last, at: 0)
      if keyPath.isEmpty { break }
      if (try? toOne(keyPath, from: entity)) != nil { break }
    }
    let (alias, owner) = try follow(keyPath, from: entity)
    let name = leaf.joined(separator: ".")
    guard let column = layout.column(for: name, of: owner), case .attribute(_, let attribute) = column.role else {
      throw StoreError.failure("\(owner.name) has no stored attribute \"\(name)\"")
    }
    return ("\(alias).\(column.name)", attribute)
  }

  private func toOne(_ path: [String], from entity: Entity) throws -> Entity {
    var here = entity
    for name in path {
      guard let relationship = here.relationship(name), !relationship.isToMany else {
        throw StoreError.failure("\(here.name) has no to-one relationship \"\(name)\"")
      }
      here = relationship.destination
    }
    return here
  }

  /// Joins the tables along a path of to-one relationships.
  private mutating func follow(_ path: [String], from entity: Entity) throws -> (alias: String, entity: Entity) {
    var here = entity
    var alias = "t0"
    for length in path.indices.map({ $0 + 1 }) {
      let name = path[length - 1]
      guard let relationship = here.relationship(name), !relationship.isToMany,
        let column = layout.foreignKeyColumn(of: relationship)
      else { throw StoreError.failure("\(here.name) has no stored to-one relationship \"\(name)\"") }
      here = relationship.destination
      let prefix = Array(path[..<length])
      if let known = aliasByPath[prefix] {
        alias = known
        continue
      }
      let joined = "t\(aliasByPath.count)"
      joins.append(
        "LEFT JOIN \(layout.table(for: here).name) AS \(joined) ON \(joined).Z_PK = \(alias).\(column.name)")
      aliasByPath[prefix] = joined
      alias = joined
    }
    return (alias, here)
  }
}
