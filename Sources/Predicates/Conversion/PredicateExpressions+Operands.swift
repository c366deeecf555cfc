import Foundation
import ObjectModel

extension PredicateExpressions.Variable: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    guard let expression = converter.bindings[key] else {
      throw PredicateConversionError(message: "a variable of a #Predicate comes from outside of it")
    }
    return .expression(expression)
  }
}

extension PredicateExpressions.Value: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    switch value {
    case let result as ComparisonResult: return .comparisonResult(result)
    case let pattern as PredicateExpressions.PredicateRegex: return .pattern(pattern.stringRepresentation)
    case let range as any ConvertibleRange: return range.convertedRange
    case let argument as any PredicateArgument: return .expression(argument.predicateExpression)
    case let value as any RawRepresentable:
      if let argument = value.rawValue as? any PredicateArgument { return .expression(argument.predicateExpression) }
    default: break
    }
    throw PredicateConversionError(
      message: "a captured value of type \(Output.self) has no meaning for a store",
      hint: "conform the type to PredicateArgument")
  }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let base = try converter.expression(root)
    if let naming = Root.Output.self as? any PropertyNaming.Type {
      guard let name = naming.propertyName(for: keyPath) else {
        throw PredicateConversionError(
          message: "\(keyPath) is no property of the model", hint: "add it to \(Root.Output.self).propertyName(for:)")
      }
      return .expression(base.appending([name]))
    }
    let isText = Root.Output.self is any StringProtocol.Type
    switch kind {
    case .collectionIsEmpty:
      if isText { return .predicate(.compare(.init(base, .equal, .constant(.string(""))))) }
      return .predicate(.compare(.init(base.memberCount, .equal, .constant(.integer(0)))))
    case .collectionCount where !isText: return .expression(base.memberCount)
    case .collectionFirst where !isText: return .expression(.element(of: base, .first))
    case .bidirectionalCollectionLast where !isText: return .expression(.element(of: base, .last))
    default:
      throw PredicateConversionError(
        message: "\(keyPath) of \(Root.Output.self) has no meaning for a store",
        hint: isText ? "length: in FetchPredicate(parsing:) counts Unicode scalars" : nil)
    }
  }
}

extension FetchExpression {
  fileprivate var memberCount: FetchExpression { .collection(.count, of: self, []) }
}

// MARK: - Arithmetic

extension PredicateExpressions.Arithmetic: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let function: FetchExpression.Function
    switch op {
    case .add: function = .add
    case .subtract: function = .subtract
    case .multiply: function = .multiply
    @unknown default: throw PredicateConversionError(message: "the arithmetic \(op) has no meaning for a store")
    }
    return .expression(.function(function, [try converter.expression(lhs), try converter.expression(rhs)]))
  }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    let negated = FetchExpression.function(.subtract, [.constant(.integer(0)), try converter.expression(wrapped)])
    return .expression(negated.fixedValue(now: .distantPast).map { FetchExpression($0) } ?? negated)
  }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .expression(.function(.divide, [try converter.expression(lhs), try converter.expression(rhs)]))
  }
}

extension PredicateExpressions.IntDivision: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .expression(.function(.divide, [try converter.expression(lhs), try converter.expression(rhs)]))
  }
}

extension PredicateExpressions.IntRemainder: ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression {
    .expression(.function(.modulus, [try converter.expression(lhs), try converter.expression(rhs)]))
  }
}
