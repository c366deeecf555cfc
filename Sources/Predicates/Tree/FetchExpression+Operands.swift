extension FetchExpression {
  /// Whether an aggregate function occurs outside of subqueries.
  package var hasAggregate: Bool {
    if case .function(let function, _) = self, function.isAggregate { return true }
    return operands.contains(where: \.hasAggregate)
  }

  /// The direct operands; predicates are left out.
  package var operands: [FetchExpression] {
    switch self {
    case .constant, .object, .selfObject, .variable, .keyPath: []
    case .aggregate(let elements): elements
    case .path(let base, _), .collection(_, let base, _), .subquery(let base, _, _): [base]
    case .element(let base, .at(let index)): [base, index]
    case .element(let base, _): [base]
    case .function(_, let operands): operands
    case .conditional(_, let first, let second): [first, second]
    case .cast(let operand, _): [operand]
    case .set(_, let left, let right): [left, right]
    }
  }
}
