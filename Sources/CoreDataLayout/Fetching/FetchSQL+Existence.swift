import ObjectModel
import Predicates

extension FetchSQL {
  /// A count that is compared such that the first element decides, as `EXISTS`, which stops there.
  mutating func existence(_ comparison: Comparison) throws -> String? {
    let comparison = comparison.withConstantOnTheRight
    guard comparison.modifier == .direct, case .constant(let value) = comparison.right, let limit = value.wholeLimit,
      let collection = FetchSQL.countedCollection(comparison.left),
      let isWanted = FetchSQL.existence(comparison.comparisonOperator, limit)
    else { return nil }
    guard case .list(let list) = try operand(collection.list) else { throw Untranslatable() }
    // Rows of a group are counted otherwise.
    if isGrouped && variables.isEmpty && collection.isFunction { throw Untranslatable() }
    let isObjectItself = list.element.kind.isObject && list.element.step == nil
    let present = isObjectItself || collection.countsMissing ? [] : ["\(text(list.element)) IS NOT NULL"]
    return (isWanted ? "EXISTS" : "NOT EXISTS") + " (\(select("1", from: list, where: present)))"
  }

  private static func countedCollection(
    _ expression: FetchExpression
  ) -> (list: FetchExpression, countsMissing: Bool, isFunction: Bool)? {
    switch expression {
    case .collection(.count, let base, []): (base, false, false)
    case .collection(.count, .keyPath(let start), let path): (.keyPath(start + path), false, false)
    case .element(let base, .size): (base, true, false)
    case .function(.count, let operands) where operands.count == 1: (operands[0], false, true)
    default: nil
    }
  }

  /// Whether the comparison asks for at least one (true) or none (false); nil for another question.
  private static func existence(_ sign: Comparison.Operator, _ limit: Int64) -> Bool? {
    switch (sign, limit) {
    case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): true
    case (.equal, 0), (.less, 1), (.lessOrEqual, 0): false
    default: nil
    }
  }
}

extension Value {
  /// The integer that a count is compared with.
  fileprivate var wholeLimit: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }
}
