package import ObjectModel

extension ExpressionEvaluator {
  /// The part of an expression that has no result although all that it is made of has: a division by zero, the square
  /// root of a negative number, a text as a number. Nil where there is none. What is computed of a missing value is
  /// missing, and no failure.
  package func failure(in expression: FetchExpression) -> FetchExpression? {
    switch expression {
    case .function(let function, let operands):
      if function.isOfLists { return nil }
      return failure(of: expression, operands)
    case .cast(let operand, _): return failure(of: expression, [operand])
    case .conditional(let predicate, let first, let second): return failure(in: holds(predicate) ? first : second)
    default: return nil
    }
  }

  private func failure(of expression: FetchExpression, _ operands: [FetchExpression]) -> FetchExpression? {
    for operand in operands {
      if let failure = failure(in: operand) { return failure }
    }
    if operands.contains(where: { value($0).isMissing }) { return nil }
    return value(expression).isMissing ? expression : nil
  }
}

extension FetchExpression {
  /// Whether `ExpressionEvaluator.failure(in:)` may find anything for objects of an entity. Sums, differences and
  /// products of integers always have a result.
  package func mayFail(of entity: Entity) -> Bool {
    switch self {
    case .function(let function, _): !function.isOfLists && !isInteger(of: entity)
    case .cast: true
    case .conditional(_, let first, let second): first.mayFail(of: entity) || second.mayFail(of: entity)
    default: false
    }
  }

  private func isInteger(of entity: Entity) -> Bool {
    switch self {
    case .constant(.integer): true
    case .keyPath(let path):
      switch path.count == 1 ? entity.attribute(path[0])?.type : nil {
      case .integer16, .integer32, .integer64: true
      default: false
      }
    case .function(.add, let operands), .function(.subtract, let operands), .function(.multiply, let operands):
      operands.allSatisfy { $0.isInteger(of: entity) }
    default: false
    }
  }
}
