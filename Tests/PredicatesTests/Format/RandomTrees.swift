import Foundation
import ObjectModel
import Predicates
import TestSupport

/// Random predicates in the form in which the parser makes them.
struct RandomTrees {
  var random: SeededGenerator
  /// Objects to compare with; none leaves them out.
  var objectIDs: [ObjectID] = []

  mutating func pick<Element>(_ list: [Element]) -> Element {
    list[Int.random(in: 0..<list.count, using: &random)]
  }

  mutating func name() -> String {
    pick(["a", "b1", "_c", "größe", "size", "first", "in", "SELF", "count", "now", "order"])
  }

  mutating func path() -> [String] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in name() }
  }

  mutating func value() -> Value {
    switch Int.random(in: 0..<11, using: &random) {
    case 0: return .null
    case 1: return .integer(pick([0, 1, -5, .max, .min]))
    case 2: return .boolean(Bool.random(using: &random))
    case 3: return .double(pick([0.5, -1e300, 1e-7, 3, 0.1]))
    case 4: return .decimal(pick([Decimal(string: "0.1") ?? 0, -3, Decimal(string: "12345678901234567890.5") ?? 0]))
    case 5, 6:
      return .string(
        pick([
          "", "a", "it's \"x\"", "back\\slash", "line\nend\t\r", "\u{301}x\u{FE0F}", "\u{200D}\r\n", "é😀", "%@ $x #y",
        ]))
    case 7: return .date(Date(timeIntervalSinceReferenceDate: pick([0, -1.5, 1e9, 0.1])))
    case 8: return .data(pick([Data(), Data([0, 255, 7])]))
    case 9: return pick([.uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))])
    default: return URL(string: "https://example.org/a?b=c%20d").map { .uri($0) } ?? .null
    }
  }

  mutating func expression(_ depth: Int) -> FetchExpression {
    switch Int.random(in: 0..<(depth == 0 ? 5 : 15), using: &random) {
    case 0: return .constant(value())
    case 1: return .keyPath(path())
    case 2: return .variable(name())
    case 3: return .selfObject
    case 4: return objectIDs.isEmpty ? .constant(value()) : .object(pick(objectIDs))
    case 5: return .aggregate((0..<Int.random(in: 0...3, using: &random)).map { _ in expression(depth - 1) })
    case 6:
      return .path(of: pick([.variable(name()), .element(of: expression(depth - 1), .first)]), path())
    case 7:
      let base = expression(depth - 1)
      let path = Bool.random(using: &random) ? path() : []
      return .collection(pick(FetchExpression.CollectionOperator.allCases), of: base, path)
    case 8:
      return .element(of: expression(depth - 1), pick([.first, .last, .size, .at(expression(depth - 1))]))
    case 9, 10:
      let function = pick(FetchExpression.Function.allCases)
      return .function(function, (0..<function.operandCount).map { _ in expression(depth - 1) })
    case 11: return .subquery(of: expression(depth - 1), variable: name(), predicate(depth - 1))
    case 12: return .conditional(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
    case 13: return .cast(expression(depth - 1), pick(FetchExpression.CastType.allCases))
    default: return .set(pick(FetchExpression.SetOperation.allCases), expression(depth - 1), expression(depth - 1))
    }
  }

  mutating func predicate(_ depth: Int) -> FetchPredicate {
    switch Int.random(in: 0..<(depth == 0 ? 6 : 9), using: &random) {
    case 0: return pick([.all, FetchPredicate.none])
    case 6: return .and((0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth - 1) })
    case 7: return .or((0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth - 1) })
    case 8: return .not(predicate(depth - 1))
    default:
      let sign = pick(FetchPredicate.Comparison.Operator.allCases)
      let inner = Swift.max(depth - 1, 0)
      let right: FetchExpression =
        sign == .between ? .aggregate([expression(inner), expression(inner)]) : expression(inner)
      return .compare(
        FetchPredicate.Comparison(
          expression(inner), sign, right, modifier: pick(FetchPredicate.Comparison.Modifier.allCases),
          options: FetchPredicate.Comparison.Options(rawValue: UInt8.random(in: 0..<16, using: &random))))
    }
  }
}
