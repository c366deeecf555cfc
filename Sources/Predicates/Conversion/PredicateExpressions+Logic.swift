import Foundation
import ObjectModel

extension PredicateExpressions.Conjunction: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .predicate(.and([try converter.predicate(lhs), try converter.predicate(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .predicate(.or([try converter.predicate(lhs), try converter.predicate(rhs)]))
  }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .predicate(.not(try converter.predicate(wrapped)))
  }
}

extension PredicateExpressions.Equal: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .predicate(try converter.equality(lhs, rhs))
  }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    switch try converter.equality(lhs, rhs) {
    case .compare(var comparison) where comparison.comparisonOperator == .equal:
      comparison.comparisonOperator = .notEqual
      return .predicate(.compare(comparison))
    case let equality: return .predicate(.not(equality))
    }
  }
}

extension PredicateConverter {
  fileprivate mutating func equality(_ left: Any, _ right: Any) throws(PredicateConversionError) -> FetchPredicate {
    let left = try convert(left)
    let right = try convert(right)
    switch (left, right) {
    case (.ordering(let first, let second, let options), .comparisonResult(let result)):
      let comparison: FetchPredicate.Comparison.Operator =
        switch result {
        case .orderedAscending: .less
        case .orderedDescending: .greater
        case .orderedSame: .equal
        }
      return .compare(.init(first, comparison, second, options: options))
    case (.predicate(let predicate), _):
      if let flag = right.flag { return flag ? predicate : .not(predicate) }
    case (.guarded(let expression, let predicate), _):
      if let flag = right.flag { return .and([expression.isPresent, flag ? predicate : .not(predicate)]) }
    default: break
    }
    return .compare(.init(try left.asExpression(), .equal, try right.asExpression()))
  }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let comparison: FetchPredicate.Comparison.Operator
    switch op {
    case .lessThan: comparison = .less
    case .lessThanOrEqual: comparison = .lessOrEqual
    case .greaterThan: comparison = .greater
    case .greaterThanOrEqual: comparison = .greaterOrEqual
    @unknown default: throw PredicateConversionError(message: "the comparison \(op) has no meaning for a store")
    }
    return .predicate(.compare(.init(try converter.expression(lhs), comparison, try converter.expression(rhs))))
  }
}

extension PredicateExpressions.Conditional: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let test = try converter.predicate(test)
    let first = try converter.convert(trueBranch)
    let second = try converter.convert(falseBranch)
    if case .predicate(let first) = first, case .predicate(let second) = second {
      return .predicate(.or([.and([test, first]), .and([.not(test), second])]))
    }
    return .expression(.conditional(test, try first.asExpression(), try second.asExpression()))
  }
}

// MARK: - Optionals

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .expression(.constant(.null))
  }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    try converter.convert(inner)
  }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let left = try converter.convert(lhs)
    let right = try converter.convert(rhs)
    if case .guarded(let expression, let predicate) = left {
      switch right.flag {
      case false: return .predicate(.and([expression.isPresent, predicate]))
      case true: return .predicate(.or([expression.isMissing, predicate]))
      default:
        let other = try right.asPredicate()
        return .predicate(.or([.and([expression.isPresent, predicate]), .and([expression.isMissing, other])]))
      }
    }
    let value = try left.asExpression()
    return .expression(.conditional(value.isMissing, try right.asExpression(), value))
  }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let value = try converter.expression(wrapped)
    converter.bindings[variable.key] = value
    switch try converter.convert(transform) {
    case .predicate(let predicate): return .guarded(value, predicate)
    case .guarded(let inner, let predicate):
      return .guarded(inner.guarded(by: value), predicate)
    case let result: return .expression(try result.asExpression().guarded(by: value))
    }
  }
}

extension FetchExpression {
  /// The expression where the other one is present, and missing where it is not.
  fileprivate func guarded(by value: FetchExpression) -> FetchExpression {
    switch self {
    // A property of something missing is missing by itself.
    case .keyPath, .path: self
    default: .conditional(value.isPresent, self, .constant(.null))
    }
  }
}
