import ObjectModel

import struct Foundation.Date

extension ModelPredicate {
  /// Parses a condition in the predicate format language.
  /// - Throws: `Refusal` for a text that is no predicate and for one that says more than a schema can.
  package init(parsing text: String) throws(Refusal) {
    let predicate: FetchPredicate
    do {
      predicate = try FetchPredicate(parsing: text)
    } catch {
      throw Refusal(message: "column \(error.column): \(error.message)")
    }
    try self.init(predicate.generalized)
  }

  private init(_ predicate: FetchPredicate) throws(Refusal) {
    switch predicate {
    case .all: self = .constant(true)
    case .none: self = .constant(false)
    case .not(let part): self = .not(try Self(part))
    case .and(let parts): self = .and(try Self.conditions(parts))
    case .or(let parts): self = .or(try Self.conditions(parts))
    case .compare(let comparison): try self.init(comparison)
    default: throw Refusal(message: "\(predicate) has no meaning in a schema")
    }
  }

  private static func conditions(_ parts: [FetchPredicate]) throws(Refusal) -> [ModelPredicate] {
    var conditions: [ModelPredicate] = []
    for part in parts { conditions.append(try Self(part)) }
    return conditions
  }

  private init(_ comparison: FetchPredicate.Comparison) throws(Refusal) {
    guard comparison.modifier == .direct, comparison.options.isEmpty else {
      throw Refusal(message: "a comparison with options or a quantifier has no meaning in a schema")
    }
    var comparison = comparison
    if case .keyPath = comparison.right, let mirrored = Self.mirrored[comparison.comparisonOperator] {
      comparison = FetchPredicate.Comparison(comparison.right, mirrored, comparison.left)
    }
    guard case .keyPath(let path) = comparison.left else {
      throw Refusal(message: "a comparison has a property on one of its sides")
    }
    let keyPath = path.joined(separator: ".")
    switch comparison.comparisonOperator {
    case .isIn: self = .isIn(keyPath: keyPath, try Self.list(comparison.right))
    case .between:
      let bounds = try Self.list(comparison.right)
      guard bounds.count == 2 else { throw Refusal(message: "BETWEEN needs two bounds") }
      self = .between(keyPath: keyPath, bounds[0], bounds[1])
    default:
      guard let sign = Self.signs[comparison.comparisonOperator] else {
        throw Refusal(
          message: "the comparison \(comparison.comparisonOperator.word) has no meaning in a schema")
      }
      let literal = try Literal(comparison.right)
      if literal == .null, sign != "=", sign != "<>" {
        throw Refusal(message: "nil is neither less nor greater than \(keyPath)")
      }
      self = .comparison(keyPath: keyPath, sign: sign, literal: literal)
    }
  }

  private typealias Operator = FetchPredicate.Comparison.Operator

  private static let signs: [Operator: String] = [
    .equal: "=", .notEqual: "<>", .less: "<", .lessOrEqual: "<=", .greater: ">", .greaterOrEqual: ">=",
  ]
  private static let mirrored: [Operator: Operator] = [
    .equal: .equal, .notEqual: .notEqual, .less: .greater, .lessOrEqual: .greaterOrEqual, .greater: .less,
    .greaterOrEqual: .lessOrEqual,
  ]

  private static func list(_ expression: FetchExpression) throws(Refusal) -> [Literal] {
    guard case .aggregate(let elements) = expression else { throw Refusal(message: "\(expression) is no list") }
    var literals: [Literal] = []
    for element in elements {
      let literal = try Literal(element)
      if literal == .null { throw Refusal(message: "a list has constants only, and not nil") }
      literals.append(literal)
    }
    return literals
  }
}

extension ModelPredicate.Literal {
  /// A constant of the format language; a date is its seconds since 2001, which is what a column holds.
  fileprivate init(_ expression: FetchExpression) throws(ModelPredicate.Refusal) {
    switch expression {
    case .constant(.null): self = .null
    case .constant(.integer(let number)): self = .number("\(number)")
    case .constant(.boolean(let flag)): self = .number(flag ? "1" : "0")
    case .constant(.double(let number)): self = .number("\(number)")
    case .constant(.date(let date)): self = .number("\(date.timeIntervalSinceReferenceDate)")
    case .constant(.string(let text)) where !text.unicodeScalars.contains("\0"): self = .text(text)
    default: throw ModelPredicate.Refusal(message: "\(expression) is no constant that can stand in a schema")
    }
  }
}
