import Foundation
import ObjectModel

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    guard Base.Output.self is any StringProtocol.Type else {
      throw PredicateConversionError(
        message: "contains of one \(Base.Output.self) in another has no meaning for a store")
    }
    return .predicate(.compare(.init(try converter.expression(base), .contains, try converter.expression(other))))
  }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    guard Base.Output.self is any StringProtocol.Type else {
      throw PredicateConversionError(message: "starts(with:) of \(Base.Output.self) has no meaning for a store")
    }
    return .predicate(.compare(.init(try converter.expression(base), .beginsWith, try converter.expression(prefix))))
  }
}

extension PredicateExpressions.StringContainsRegex: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    guard case .pattern(let pattern) = try converter.convert(regex) else {
      throw PredicateConversionError(message: "a computed regular expression has no meaning for a store")
    }
    // It treats ends of lines as Swift does, not as `MATCHES` does.
    let anywhere = FetchExpression.constant(.string("(?s:.*)(?-ms:\(pattern))(?s:.*)"))
    return .predicate(.compare(.init(try converter.expression(subject), .matches, anywhere)))
  }
}

#if canImport(Darwin)
  extension PredicateExpressions.StringLocalizedStandardContains: ConvertibleExpression {
    func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
      .predicate(
        .compare(
          .init(
            try converter.expression(root), .contains, try converter.expression(other),
            options: [.caseInsensitive, .diacriticInsensitive, .localized])))
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: ConvertibleExpression {
    func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
      .ordering(try converter.expression(root), try converter.expression(other), .caseInsensitive)
    }
  }

  extension PredicateExpressions.StringLocalizedCompare: ConvertibleExpression {
    func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
      .ordering(try converter.expression(root), try converter.expression(other), .localized)
    }
  }
#endif
