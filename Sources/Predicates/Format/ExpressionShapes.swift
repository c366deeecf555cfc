public import ObjectModel

/// What expressions are made of, and how code makes them, as `NSExpression` has it.
extension FetchExpression {
  /// The kinds of expressions that Core Data tells apart. What it has no kind for, an element of a list, a collection
  /// operator or a cast, is a function there and here.
  public enum ExpressionType: Sendable, Hashable, CaseIterable {
    case constantValue, evaluatedObject, variable, keyPath, function, unionSet, intersectSet, minusSet, subquery
    case aggregate, conditional
  }

  /// The kind.
  public var expressionType: ExpressionType {
    switch self {
    case .constant, .object: .constantValue
    case .aggregate: .aggregate
    case .selfObject: .evaluatedObject
    case .variable: .variable
    case .keyPath, .path: .keyPath
    case .collection, .element, .function, .cast: .function
    case .subquery: .subquery
    case .conditional: .conditional
    case .set(.union, _, _): .unionSet
    case .set(.intersect, _, _): .intersectSet
    case .set(.minus, _, _): .minusSet
    }
  }
  /// The operands of a function; nil for anything else.
  public var arguments: [FetchExpression]? { if case .function(_, let arguments) = self { arguments } else { nil } }
  /// The name of a function in the format language; nil for anything else.
  public var function: String? { if case .function(let function, _) = self { function.rawValue } else { nil } }
  /// The name of a variable, or of a subquery's; nil for anything else.
  public var variable: String? {
    switch self {
    case .variable(let name), .subquery(_, let name, _): name
    default: nil
    }
  }
  /// The elements of a list; nil for anything else.
  public var collection: [FetchExpression]? { if case .aggregate(let elements) = self { elements } else { nil } }
  /// The predicate of a subquery or a conditional expression; nil for anything else.
  public var predicate: FetchPredicate? {
    switch self {
    case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
    default: nil
    }
  }

  /// The object itself: `SELF`.
  public static func expressionForEvaluatedObject() -> FetchExpression { .selfObject }
  /// A key path, with dots; nil for anything else.
  public var keyPath: String? { if case .keyPath(let path) = self { path.joined(separator: ".") } else { nil } }
  /// A constant; nil for anything else.
  public var constantValue: Value? { if case .constant(let value) = self { value } else { nil } }
  /// The property at a key path with dots: `owner.name`. Operators stand in it as in the format language: `@sum.price`.
  public init(forKeyPath keyPath: String) {
    if keyPath == "SELF" {
      self = .expressionForEvaluatedObject()
    } else {
      self = keyPath.contains("@") ? FetchExpression(format: keyPath) : .keyPath(FetchPredicate.keyPath(keyPath))
    }
  }
  /// A constant; nil is null.
  public init(forConstantValue value: (any PredicateArgument)?) {
    self = value?.predicateExpression ?? .constant(.null)
  }
  /// The variable `$NAME`, given without the dollar sign.
  public init(forVariable name: String) { self = .variable(name) }
  /// A list of these expressions.
  public init(forAggregate elements: [FetchExpression]) { self = .aggregate(elements) }

  /// A function by its name in the format language, such as `sum:` or `add:to:`. A name that is not known and a wrong
  /// number of arguments are mistakes of the program and stop it.
  public init(forFunction name: String, arguments: [FetchExpression]) {
    guard let function = Function(rawValue: name) else {
      let known = Function.allCases.map(\.rawValue).joined(separator: ", ")
      preconditionFailure("no function is called \"\(name)\"; there are \(known)")
    }
    precondition(
      arguments.count == function.operandCount,
      "\(name) takes \(function.operandCount) arguments, and was given \(arguments.count)")
    self = .function(function, arguments)
  }

  /// The elements of both lists.
  public init(forUnionSet left: FetchExpression, with right: FetchExpression) { self = .set(.union, left, right) }
  /// The elements of the first list that the second has.
  public init(forIntersectSet left: FetchExpression, with right: FetchExpression) {
    self = .set(.intersect, left, right)
  }
  /// The elements of the first list that the second has not.
  public init(forMinusSet left: FetchExpression, with right: FetchExpression) { self = .set(.minus, left, right) }

  /// `SUBQUERY(collection, $variable, predicate)`.
  public init(
    forSubquery collection: FetchExpression, usingIteratorVariable variable: String, predicate: FetchPredicate
  ) {
    self = .subquery(of: collection, variable: variable, predicate)
  }

  /// `TERNARY(predicate, true, false)`.
  public init(
    forConditional predicate: FetchPredicate, trueExpression: FetchExpression, falseExpression: FetchExpression
  ) {
    self = .conditional(predicate, trueExpression, falseExpression)
  }
}
