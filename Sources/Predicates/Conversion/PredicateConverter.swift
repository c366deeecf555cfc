public import Foundation
import ObjectModel

extension FetchPredicate {
  /// The predicate that a `#Predicate` of Foundation says.
  ///
  /// Text compares by its bytes, where Swift's `==` takes texts that differ only in Unicode normalisation as equal.
  /// - Throws: `PredicateConversionError` that names what has no meaning for a store.
  public init<Root>(_ predicate: Predicate<Root>) throws(PredicateConversionError) {
    var converter = PredicateConverter()
    converter.bindings[predicate.variable.key] = .selfObject
    self = try converter.predicate(predicate.expression)
  }
}

/// The state of the conversion while it descends into a `#Predicate`.
struct PredicateConverter {
  /// The values of the variables of closures.
  var bindings: [PredicateExpressions.VariableID: FetchExpression] = [:]
  private var variableCount = 0

  /// Converts an expression that conforms to `ConvertibleExpression`, and refuses any other.
  mutating func convert(_ expression: Any) throws(PredicateConversionError) -> ConvertedExpression {
    guard let convertible = expression as? any ConvertibleExpression else {
      let name = String(describing: type(of: expression)).prefix { $0 != "<" }
      throw PredicateConversionError(
        message: "\(name) in a #Predicate has no meaning for a store", hint: "use FetchPredicate(parsing:)")
    }
    return try convertible.convert(&self)
  }

  mutating func expression(_ expression: Any) throws(PredicateConversionError) -> FetchExpression {
    try convert(expression).asExpression()
  }

  mutating func predicate(_ expression: Any) throws(PredicateConversionError) -> FetchPredicate {
    try convert(expression).asPredicate()
  }

  /// The elements of a list for which a closure holds.
  mutating func subquery(
    _ sequence: Any, _ variable: PredicateExpressions.VariableID, _ test: Any, isNegated: Bool = false
  ) throws(PredicateConversionError) -> FetchExpression {
    let sequence = try expression(sequence)
    variableCount += 1
    let name = "x\(variableCount)"
    bindings[variable] = .variable(name)
    let predicate = try self.predicate(test)
    return .subquery(of: sequence, variable: name, isNegated ? .not(predicate) : predicate)
  }
}

/// An expression of Foundation's `#Predicate` that has a meaning for a store.
protocol ConvertibleExpression {
  func convert(_ converter: inout PredicateConverter) throws(PredicateConversionError) -> ConvertedExpression
}

/// The converted form of an expression of a `#Predicate`.
enum ConvertedExpression {
  case expression(FetchExpression)
  case predicate(FetchPredicate)
  /// A predicate that is only asked where the expression is not missing, and is missing itself otherwise.
  case guarded(FetchExpression, FetchPredicate)
  /// Which of two texts comes first.
  case ordering(FetchExpression, FetchExpression, FetchPredicate.Comparison.Options)
  case comparisonResult(ComparisonResult)
  /// From the lower bound on, up to the upper one, which is part of the range or not.
  case range(lower: FetchExpression?, upper: FetchExpression?, includesUpper: Bool)
  case pattern(String)

  func asPredicate() throws(PredicateConversionError) -> FetchPredicate {
    switch self {
    case .predicate(let predicate): return predicate
    case .expression(.constant(.boolean(let flag))): return flag ? .all : .none
    case .expression(let expression): return .compare(.init(expression, .equal, .constant(.boolean(true))))
    case .guarded(let expression, let predicate): return .and([expression.isPresent, predicate])
    default: throw Self.misplaced
    }
  }

  func asExpression() throws(PredicateConversionError) -> FetchExpression {
    switch self {
    case .expression(let expression): return expression
    case .predicate(let predicate): return predicate.asFlag
    case .guarded(let expression, let predicate):
      return .conditional(expression.isPresent, predicate.asFlag, .constant(.null))
    default: throw Self.misplaced
    }
  }

  /// The constant flag that this is, if it is one.
  var flag: Bool? {
    if case .expression(.constant(.boolean(let flag))) = self { return flag }
    return nil
  }

  private static let misplaced = PredicateConversionError(
    message: "a range, an order of texts or a regular expression stands alone in a #Predicate",
    hint: "use it in contains or compare it with a ComparisonResult")
}

extension FetchExpression {
  var isPresent: FetchPredicate { .compare(.init(self, .notEqual, .constant(.null))) }
  var isMissing: FetchPredicate { .compare(.init(self, .equal, .constant(.null))) }
}

extension FetchPredicate {
  fileprivate var asFlag: FetchExpression { .conditional(self, .constant(.boolean(true)), .constant(.boolean(false))) }
}
