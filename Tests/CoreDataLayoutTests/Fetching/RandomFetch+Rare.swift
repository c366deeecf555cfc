import ObjectModel
import Predicates

extension RandomFetch {
  /// Numbers that few programs ask for.
  mutating func rareNumber(_ root: Entity, depth: Int) -> FetchExpression? {
    switch below(9) {
    case 0: return .function(.power, [number(root, depth: 0), .constant(.integer(Int64(below(4))))])
    case 1:
      let function = pick([FetchExpression.Function.squareRoot, .naturalLogarithm, .logarithm, .exponential])
      return .function(function, [number(root, depth: depth - 1)])
    case 2:
      let function = pick([FetchExpression.Function.bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift])
      return .function(function, [number(root, depth: depth - 1), .constant(.integer(Int64(below(6))))])
    case 3: return .function(.onesComplement, [number(root, depth: depth - 1)])
    case 4: return .cast(number(root, depth: depth - 1), pick([.number, .decimalNumber]))
    case 5:
      if below(2) == 0 { return .cast(text(root, depth: 0), .number) }
      return value(root, .text).map { extended($0, ["length"]) }
    case 6: return value(root, .number).map { .function(.noIndex, [$0]) }
    case 7:
      guard let (left, _) = objects(root), let (right, _) = objects(root) else { return nil }
      return .collection(.count, of: .set(pick(FetchExpression.SetOperation.allCases), left, right), [])
    default:
      guard let (list, entity) = objects(root), let name = Self.attributes(entity, .number).first else { return nil }
      let union = FetchExpression.collection(pick([.unionOfObjects, .distinctUnionOfObjects]), of: list, name)
      return .collection(pick([.count, .sum, .maximum]), of: union, [])
    }
  }
}
