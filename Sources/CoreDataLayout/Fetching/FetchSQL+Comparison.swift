import Foundation
import ObjectModel
import Predicates

extension FetchSQL {
  typealias Comparison = FetchPredicate.Comparison

  /// A general comparison as a condition.
  mutating func condition(_ comparison: Comparison, isNegated: Bool) throws -> String {
    if let existence = try existence(comparison) { return existence }
    let left = try operand(comparison.left)
    switch (comparison.modifier, left) {
    case (.direct, _), (_, .scalar):
      let right = try operand(comparison.right)
      return FetchSQL.definite(
        try direct(left, comparison.comparisonOperator, right, comparison.options), isNegated)
    case (let modifier, .list(let list)):
      let right = try operand(comparison.right)
      let condition = try direct(
        .scalar(list.element), comparison.comparisonOperator, right, comparison.options)
      if modifier == .any { return "EXISTS (\(select("1", from: list, where: ["(\(condition))"])))" }
      return "NOT EXISTS (\(select("1", from: list, where: ["NOT " + FetchSQL.definite(condition, true)])))"
    case (let modifier, .values(let values)):
      let right = try operand(comparison.right)
      let conditions = try values.map { value in
        FetchSQL.definite(
          try direct(.scalar(value), comparison.comparisonOperator, right, comparison.options), isNegated)
      }
      if conditions.isEmpty { return modifier == .any ? "0" : "1" }
      return FetchSQL.balanced(conditions[...], modifier == .any ? "OR" : "AND")
    }
  }

  // MARK: - Operands

  mutating func direct(
    _ left: Operand, _ sign: Comparison.Operator, _ right: Operand, _ options: Comparison.Options
  ) throws -> String {
    if let condition = try entityCondition(left, sign, right, options) { return condition }
    switch (left, sign, right) {
    case (.scalar(let left), .between, .values(let bounds)):
      guard bounds.count == 2 else { return "0" }
      let low = try compare(left, .greaterOrEqual, bounds[0], options: options)
      return "\(low) AND \(try compare(left, .lessOrEqual, bounds[1], options: options))"
    case (.scalar(let value), .isIn, .values(let elements)): return try isElement(value, of: elements, options)
    case (.values(let elements), .contains, .scalar(let value)): return try isElement(value, of: elements, options)
    case (.scalar(let value), .isIn, .list(let list)), (.list(let list), .contains, .scalar(let value)):
      let condition = try compare(list.element, .equal, value, options: options)
      return "EXISTS (\(select("1", from: list, where: ["(\(condition))"])))"
    case (.scalar(let part), .isIn, .scalar(let whole)):
      return try compare(whole, .contains, part, options: options)
    case (.scalar, .between, _): throw Untranslatable()
    case (.scalar(let left), _, .scalar(let right)): return try compare(left, sign, right, options: options)
    default: throw Untranslatable()
    }
  }

  private mutating func isElement(
    _ value: Scalar, of elements: [Scalar], _ options: Comparison.Options
  ) throws -> String {
    let keys = elements.compactMap { element -> Value? in
      guard element.kind.isObject, element.kind.fits(value.kind) else { return nil }
      return element.constant
    }
    if keys.count == elements.count, !keys.isEmpty {
      return "\(text(value)) IN (\(try list(keys.map { [$0] }, width: 1)))"
    }
    let constants = elements.compactMap { $0.kind == .nothing ? Value.null : $0.constant }
    if constants.count == elements.count, options.isEmpty || options.contains(.normalized) || !value.kind.isText,
      !elements.contains(where: \.kind.isObject), !value.kind.isObject
    {
      return try membership(value, constants)
    }
    let conditions = try elements.map { "(\(try compare(value, .equal, $0, options: options)))" }
    return conditions.isEmpty ? "0" : FetchSQL.balanced(conditions[...], "OR")
  }

  // MARK: - Scalars

  /// A comparison of two values. It may give NULL for a missing value, which counts as false.
  mutating func compare(
    _ left: Scalar, _ sign: Comparison.Operator, _ right: Scalar, options: Comparison.Options
  ) throws -> String {
    if left.kind != .nothing && right.kind != .nothing {
      try left.requireComparable()
      try right.requireComparable()
    }
    switch sign {
    case .equal, .notEqual: return equality(left, right, options, isEqual: sign == .equal)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return order(left, sign, right, options)
    case .contains, .beginsWith, .endsWith, .like, .matches:
      guard left.kind.isText, right.kind.isText else { return "0" }
      return try search(left, sign, right, options)
    case .isIn, .between: throw Untranslatable()
    }
  }

  private mutating func equality(
    _ left: Scalar, _ right: Scalar, _ options: Comparison.Options, isEqual: Bool
  ) -> String {
    let yes = isEqual ? "IS" : "IS NOT"
    if left.kind == .nothing { return "\(text(right)) \(yes) NULL" }
    if right.kind == .nothing { return "\(text(left)) \(yes) NULL" }
    guard left.kind.fits(right.kind) else {
      // Of different kinds: equal only when both are missing.
      if left.constant != nil || right.constant != nil { return isEqual ? "0" : "1" }
      let both = "\(text(left)) IS NULL AND \(text(right)) IS NULL"
      return isEqual ? "(\(both))" : "NOT (\(both))"
    }
    let (first, second) = prepared(left, right, options, isSearch: false)
    let hasConstant = left.constant != nil || right.constant != nil
    // With a constant a plain `=` is enough, and says NULL for a missing value, which is false.
    return "\(first) \(isEqual ? (hasConstant ? "=" : "IS") : "IS NOT") \(second)"
  }

  private mutating func order(
    _ left: Scalar, _ sign: Comparison.Operator, _ right: Scalar, _ options: Comparison.Options
  ) -> String {
    guard left.kind.fits(right.kind), !left.kind.isObject else { return "0" }
    let mark =
      switch sign {
      case .less: "<"
      case .lessOrEqual: "<="
      case .greater: ">"
      default: ">="
      }
    if left.kind.isText, options.contains(.localized), !options.contains(.normalized) {
      return "\(FetchFunctions.compared(text(left), text(right), options)) \(mark) 0"
    }
    let (first, second) = prepared(left, right, options, isSearch: false)
    return "\(first) \(mark) \(second)"
  }

  /// Both sides folded as the options say: constants here, columns by an SQL function.
  private mutating func prepared(
    _ left: Scalar, _ right: Scalar, _ options: Comparison.Options, isSearch: Bool
  ) -> (String, String) {
    (prepared(left, options, isSearch: isSearch), prepared(right, options, isSearch: isSearch))
  }

  private mutating func prepared(_ scalar: Scalar, _ options: Comparison.Options, isSearch: Bool) -> String {
    guard scalar.kind.isText, let folding = FetchFunctions.folding(options, isSearch: isSearch) else {
      return text(scalar)
    }
    if let constant = scalar.constant?.text {
      return bind(.string(TextFolding.fold(constant, options: folding)))
    }
    return FetchFunctions.folded(text(scalar), folding)
  }

  // MARK: - Text in text

  private mutating func search(
    _ left: Scalar, _ sign: Comparison.Operator, _ right: Scalar, _ options: Comparison.Options
  ) throws -> String {
    switch sign {
    case .matches: return FetchFunctions.matched(text(left), text(right), options)
    case .like:
      let (first, second) = prepared(left, right, options, isSearch: true)
      return FetchFunctions.liked(first, second)
    default: break
    }
    let whole = prepared(left, options, isSearch: true)
    guard let constant = right.constant?.text else {
      return searched(whole, sign, prepared(right, options, isSearch: true))
    }
    let folding = FetchFunctions.folding(options, isSearch: true)
    let part = folding.map { TextFolding.fold(constant, options: $0) } ?? constant
    if part.isEmpty { return "\(whole) IS NOT NULL" }
    if sign == .beginsWith, let end = FetchSQL.successor(of: part) {
      // A range, which an index answers.
      return "\(whole) >= \(bind(.string(part))) AND \(whole) < \(bind(.string(end)))"
    }
    // As blobs, so that lengths and positions count bytes.
    let count = part.utf8.count
    let bytes = "CAST(\(whole) AS BLOB)"
    let bound = bind(.data(Data(part.utf8)))
    switch sign {
    case .beginsWith: return "substr(\(bytes), 1, \(count)) = \(bound)"
    case .endsWith: return "length(\(bytes)) >= \(count) AND substr(\(bytes), -\(count)) = \(bound)"
    default: return "instr(\(bytes), \(bound)) > 0"
    }
  }

  private func searched(_ whole: String, _ sign: Comparison.Operator, _ part: String) -> String {
    let (bytes, wanted) = ("CAST(\(whole) AS BLOB)", "CAST(\(part) AS BLOB)")
    // SQLite finds no part in an empty blob, not even an empty one.
    let empty = "(\(whole) IS NOT NULL AND length(\(wanted)) = 0"
    switch sign {
    case .beginsWith: return "\(empty) OR substr(\(bytes), 1, length(\(wanted))) = \(wanted))"
    case .endsWith:
      return "\(empty) OR length(\(bytes)) >= length(\(wanted)) "
        + "AND substr(\(bytes), -length(\(wanted))) = \(wanted))"
    default: return "instr(\(bytes), \(wanted)) > 0"
    }
  }

  /// The least text that comes after every text with this beginning, in the order of UTF-8 bytes, which is that of
  /// scalars; nil when there is none.
  static func successor(of text: String) -> String? {
    var scalars = Array(text.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        var result = ""
        result.unicodeScalars.append(contentsOf: scalars)
        return result
      }
    }
    return nil
  }
}
