/// Predicates made of others, as `NSCompoundPredicate` makes them.
public typealias CompoundPredicate = FetchPredicate
/// Comparisons of two expressions, as `NSComparisonPredicate` makes them.
public typealias ComparisonPredicate = FetchPredicate

extension FetchPredicate {
  /// What a comparison says of its operands.
  public typealias Operator = Comparison.Operator
  /// How a comparison compares texts.
  public typealias Options = Comparison.Options
  /// How a comparison takes text; empty for a predicate that is no comparison.
  public var options: Comparison.Options { comparison?.options ?? [] }
  /// How many elements of the left list a comparison must hold for.
  public typealias Modifier = Comparison.Modifier

  /// How a compound predicate combines others.
  public enum LogicalType: Sendable, Hashable, CaseIterable {
    case not, and, or
  }

  /// Others combined; `not` takes one.
  public init(type: LogicalType, subpredicates: [FetchPredicate]) {
    switch type {
    case .and: self = .and(subpredicates)
    case .or: self = .or(subpredicates)
    case .not:
      guard let first = subpredicates.first, subpredicates.count == 1 else {
        preconditionFailure("not takes one predicate, and was given \(subpredicates.count)")
      }
      self = .not(first)
    }
  }

  /// All of these; true without any.
  public init(andPredicateWithSubpredicates subpredicates: [FetchPredicate]) { self = .and(subpredicates) }
  /// At least one of these; false without any.
  public init(orPredicateWithSubpredicates subpredicates: [FetchPredicate]) { self = .or(subpredicates) }
  /// The negation of a predicate.
  public init(notPredicateWithSubpredicate predicate: FetchPredicate) { self = .not(predicate) }

  /// A comparison of two expressions.
  public init(
    leftExpression left: FetchExpression, rightExpression right: FetchExpression,
    modifier: Comparison.Modifier = .direct, type: Comparison.Operator, options: Comparison.Options = []
  ) {
    self = .compare(Comparison(left, type, right, modifier: modifier, options: options))
  }
}

/// What compound predicates and comparisons are made of.
extension FetchPredicate {
  /// How it combines others; nil for a predicate that combines none.
  public var compoundPredicateType: LogicalType? {
    switch self {
    case .and: .and
    case .or: .or
    case .not: .not
    default: nil
    }
  }
  /// What it combines; empty for a predicate that combines none.
  public var subpredicates: [FetchPredicate] {
    switch self {
    case .and(let parts), .or(let parts): parts
    case .not(let part): [part]
    default: []
    }
  }

  /// The comparison that it is, whatever form it has; nil for anything else.
  public var comparison: Comparison? { if case .compare(let comparison) = generalized { comparison } else { nil } }
  /// The operand of a comparison that stands before the operator.
  public var leftExpression: FetchExpression? { comparison?.left }
  /// The operand of a comparison that stands after the operator.
  public var rightExpression: FetchExpression? { comparison?.right }
  /// What a comparison says of its operands.
  public var predicateOperatorType: Comparison.Operator? { comparison?.comparisonOperator }
  /// How many elements of the left list the comparison must hold for.
  public var comparisonPredicateModifier: Comparison.Modifier? { comparison?.modifier }
}

/// Core Data's names of the operators.
extension FetchPredicate.Comparison.Operator {
  /// `<`
  public static var lessThan: Self { .less }
  /// `<=`
  public static var lessThanOrEqualTo: Self { .lessOrEqual }
  /// `>`
  public static var greaterThan: Self { .greater }
  /// `>=`
  public static var greaterThanOrEqualTo: Self { .greaterOrEqual }
  /// `==`
  public static var equalTo: Self { .equal }
  /// `!=`
  public static var notEqualTo: Self { .notEqual }
  /// `IN`
  public static var `in`: Self { .isIn }
}
