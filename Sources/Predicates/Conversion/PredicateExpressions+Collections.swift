import Foundation
import ObjectModel

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .predicate(.compare(.init(try converter.expression(element), .isIn, try converter.expression(sequence))))
  }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let found = try converter.subquery(sequence, variable.key, test)
    return .predicate(.compare(.init(.collection(.count, of: found, []), .greater, .constant(.integer(0)))))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let others = try converter.subquery(sequence, variable.key, test, isNegated: true)
    return .predicate(.compare(.init(.collection(.count, of: others, []), .equal, .constant(.integer(0)))))
  }
}

extension PredicateExpressions.Filter: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .expression(try converter.subquery(sequence, variable.key, filter))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .expression(.element(of: try converter.expression(wrapped), .at(try converter.expression(index))))
  }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .expression(.function(.minimum, [try converter.expression(elements)]))
  }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .expression(.function(.maximum, [try converter.expression(elements)]))
  }
}

// MARK: - Ranges

extension PredicateExpressions.Range: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .range(lower: try converter.expression(lower), upper: try converter.expression(upper), includesUpper: false)
  }
}

extension PredicateExpressions.ClosedRange: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .range(lower: try converter.expression(lower), upper: try converter.expression(upper), includesUpper: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    guard case .range(let lower, let upper, let includesUpper) = try converter.convert(range) else {
      throw PredicateConversionError(message: "contains of \(RangeExpression.self) has no meaning for a store")
    }
    let value = try converter.expression(element)
    if let lower, let upper, includesUpper {
      return .predicate(.compare(.init(value, .between, .aggregate([lower, upper]))))
    }
    var parts: [FetchPredicate] = []
    if let lower { parts.append(.compare(.init(value, .greaterOrEqual, lower))) }
    if let upper { parts.append(.compare(.init(value, includesUpper ? .lessOrEqual : .less, upper))) }
    return .predicate(parts.count == 1 ? parts[0] : .and(parts))
  }
}

/// A captured range.
protocol ConvertibleRange {
  var convertedRange: ConvertedExpression { get }
}

extension Range: ConvertibleRange where Bound: PredicateArgument {
  var convertedRange: ConvertedExpression {
    .range(lower: lowerBound.predicateExpression, upper: upperBound.predicateExpression, includesUpper: false)
  }
}

extension ClosedRange: ConvertibleRange where Bound: PredicateArgument {
  var convertedRange: ConvertedExpression {
    .range(lower: lowerBound.predicateExpression, upper: upperBound.predicateExpression, includesUpper: true)
  }
}

extension PartialRangeFrom: ConvertibleRange where Bound: PredicateArgument {
  var convertedRange: ConvertedExpression {
    .range(lower: lowerBound.predicateExpression, upper: nil, includesUpper: false)
  }
}

extension PartialRangeUpTo: ConvertibleRange where Bound: PredicateArgument {
  var convertedRange: ConvertedExpression {
    .range(lower: nil, upper: upperBound.predicateExpression, includesUpper: false)
  }
}

extension PartialRangeThrough: ConvertibleRange where Bound: PredicateArgument {
  var convertedRange: ConvertedExpression {
    .range(lower: nil, upper: upperBound.predicateExpression, includesUpper: true)
  }
}
