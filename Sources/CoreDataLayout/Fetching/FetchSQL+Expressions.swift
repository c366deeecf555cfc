import Foundation
import ObjectModel
import Predicates

extension FetchSQL {
  /// An expression, seen from the row that the predicate or the group is about.
  mutating func operand(_ expression: FetchExpression) throws -> Operand {
    try enter()
    defer { leave() }
    switch expression {
    case .constant(let value): return .scalar(constant(value))
    case .object(let objectID):
      guard let key = reader.file.primaryKey(of: objectID) else { throw Untranslatable() }
      return .scalar(Scalar(constant: .integer(key), kind: .object(objectID.entity)))
    case .aggregate(let elements):
      return .values(
        try elements.map { element in
          guard case .scalar(let scalar) = try operand(element) else { throw Untranslatable() }
          return scalar
        })
    case .selfObject: return .scalar(try object(at: root))
    case .variable(let name):
      guard let variable = variables[name] else { throw Untranslatable() }
      return .scalar(variable)
    case .keyPath(let path):
      return try operand(at: path, from: root)
    case .path(let base, let path):
      guard case .scalar(let scalar) = try operand(base), let place = scalar.place else { throw Untranslatable() }
      return try operand(at: (scalar.step.map { [$0] } ?? []) + path, from: place)
    case .collection(let collector, let base, let path): return try collection(collector, base, path)
    case .element(let base, let position): return .scalar(try element(base, position))
    case .function(let function, let operands): return try self.function(function, operands)
    case .subquery(let base, let variable, let predicate):
      return .list(try subquery(base, variable, predicate))
    case .conditional(let predicate, let first, let second):
      let condition = try condition(predicate, isNegated: true)
      let (first, second) = (try scalar(first), try scalar(second))
      try first.requireComparable()
      try second.requireComparable()
      guard first.kind == second.kind || first.kind == .nothing || second.kind == .nothing else {
        throw Untranslatable()
      }
      let kind = first.kind == .nothing ? second.kind : first.kind
      return .scalar(Scalar(sql: "CASE WHEN \(condition) THEN \(text(first)) ELSE \(text(second)) END", kind: kind))
    case .cast(let operand, let type): return .scalar(try cast(try scalar(operand), type))
    case .set: throw Untranslatable()
    }
  }

  /// An expression that has one value.
  mutating func scalar(_ expression: FetchExpression) throws -> Scalar {
    guard case .scalar(let scalar) = try operand(expression) else { throw Untranslatable() }
    return scalar
  }

  /// The SQL of a scalar; constants become parameters.
  mutating func text(_ scalar: Scalar) -> String {
    if let constant = scalar.constant { return bind(constant) }
    return scalar.sql ?? "NULL"
  }

  func constant(_ value: Value) -> Scalar {
    if value.isMissing { return .nothing }
    return Scalar(constant: value, kind: FetchSQL.valueKind(of: value))
  }

  static func valueKind(of value: Value) -> Kind {
    switch value {
    // No stored value compares with a composite.
    case .null, .composite: .nothing
    case .integer: .number(.integer)
    case .boolean: .number(.boolean)
    case .double: .number(.real)
    case .date: .number(.date)
    case .decimal: .number(.decimal)
    case .string: .text(.string)
    case .uri: .text(.uri)
    case .data: .bytes(.data)
    case .uuid: .bytes(.uuid)
    }
  }

  // MARK: - Lists

  /// The elements of a list for which a predicate holds.
  private mutating func subquery(
    _ base: FetchExpression, _ variable: String, _ predicate: FetchPredicate
  ) throws -> List {
    // A SELECT leaves more symbols open than an operation.
    try enter(2)
    defer { leave(2) }
    guard case .list(var list) = try operand(base) else { throw Untranslatable() }
    let outer = variables[variable]
    defer { variables[variable] = outer }
    variables[variable] = list.element
    list.conditions.append(try condition(predicate, isNegated: false))
    return list
  }

  /// `SELECT … FROM … WHERE …` of a list.
  func select(_ what: String, from list: List, where more: [String] = []) -> String {
    let conditions = list.conditions + more
    return "SELECT \(what) FROM \(scopes[list.scope].from) WHERE \(conditions.joined(separator: " AND "))"
  }

  private mutating func collection(
    _ collector: FetchExpression.CollectionOperator, _ base: FetchExpression, _ path: [String]
  ) throws -> Operand {
    let expression = path.isEmpty ? base : try extended(base, path)
    if let function = collector.function, function != .distinct {
      return .scalar(try reduced(function, try operand(expression)))
    }
    guard case .list(var list) = try operand(expression), collector == .unionOfObjects else { throw Untranslatable() }
    list.conditions.append("\(text(list.element)) IS NOT NULL")
    return .list(list)
  }

  /// The key path continued; a path over a subquery's objects goes on in the subquery's own scope.
  private func extended(_ base: FetchExpression, _ path: [String]) throws -> FetchExpression {
    switch base {
    case .keyPath(let start): .keyPath(start + path)
    case .path(let inner, let start): .path(of: inner, start + path)
    default: .path(of: base, path)
    }
  }

  /// A list made into one value by a correlated subquery.
  mutating func reduced(_ function: Function, _ operand: Operand) throws -> Scalar {
    guard case .list(let list) = operand else { throw Untranslatable() }
    if function != .count { try list.element.requireComparable() }
    let value = text(list.element)
    let (sql, kind) = try FetchSQL.aggregate(function, value, list.element.kind)
    return Scalar(sql: "(\(select(sql, from: list)))", kind: kind)
  }

  /// The SQL aggregate of a value, and what comes out of it.
  static func aggregate(
    _ function: Function, _ value: String, _ kind: Kind, isDistinct: Bool = false
  ) throws -> (sql: String, kind: Kind) {
    let distinct = isDistinct ? "DISTINCT " : ""
    switch function {
    case .count: return ("count(\(distinct)\(value))", .number(.integer))
    case .minimum, .maximum:
      if kind.isObject { throw Untranslatable() }
      return (function == .minimum ? "min(\(value))" : "max(\(value))", kind)
    case .sum:
      if !kind.isNumber { return ("0 * count(*)", .number(.computed)) }
      // `sum` is NULL of nothing, and also where infinities cancel: only the first makes 0.
      let sum = "sum(\(distinct)\(real(value, kind)))"
      return ("CASE count(\(value)) WHEN 0 THEN 0 ELSE \(sum) END", .number(.computed))
    case .average, .median, .standardDeviation:
      guard kind.isNumber else { return ("NULL", .nothing) }
      let name =
        switch function {
        case .average: "avg"
        case .median: FetchFunctions.median
        default: FetchFunctions.standardDeviation
        }
      return ("\(name)(\(distinct)\(value))", .number(.real))
    default: throw Untranslatable()
    }
  }

  /// A number as a real where the attribute's type is one: dates and decimals without a fraction are kept as integers.
  static func real(_ value: String, _ kind: Kind) -> String {
    switch kind {
    case .number(.date), .number(.decimal), .number(.real): "CAST(\(value) AS REAL)"
    default: value
    }
  }

  private mutating func element(
    _ base: FetchExpression, _ position: FetchExpression.Position
  ) throws -> Scalar {
    guard case .list(let list) = try operand(base) else { throw Untranslatable() }
    if case .size = position {
      return Scalar(sql: "(\(select("count(*)", from: list)))", kind: .number(.integer))
    }
    try list.element.requireComparable()
    let value = text(list.element)
    let order: String
    var offset = ""
    switch position {
    case .last: order = list.order.map { $0 + " DESC" }.joined(separator: ", ")
    case .at(.constant(.integer(let index))):
      if index < 0 { return .nothing }
      order = list.order.joined(separator: ", ")
      offset = " OFFSET \(index)"
    case .first: order = list.order.joined(separator: ", ")
    default: throw Untranslatable()
    }
    return Scalar(sql: "(\(select(value, from: list)) ORDER BY \(order) LIMIT 1\(offset))", kind: list.element.kind)
  }
}
