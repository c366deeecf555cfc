import ObjectModel

extension FetchPredicate {
  /// The same condition with `compare` instead of the compact cases, without empty or needless `and` and `or`.
  public var generalized: FetchPredicate {
    switch self {
    case .all, .none, .block: self
    case .comparison(let keyPath, let comparison, let constant):
      .compare(Comparison(.keyPath(keyPath), comparison.general, .constant(constant)))
    case .isIn(let keyPath, let values):
      .compare(Comparison(.keyPath(keyPath), .isIn, .aggregate(values.map { .constant($0) })))
    case .tupleIsIn(let keyPaths, let tuples):
      FetchPredicate.or(
        tuples.map { tuple in
          .and(zip(keyPaths, tuple).map { .compare(Comparison(.keyPath($0), .equal, .constant($1))) })
        }
      ).generalized
    case .refersTo(let keyPath, let objectID):
      .compare(Comparison(.keyPath(keyPath), .equal, objectID.map { .object($0) } ?? .constant(.null)))
    case .selfIsIn(let objectIDs):
      .compare(Comparison(.selfObject, .isIn, .aggregate(objectIDs.map { .object($0) })))
    case .compare(let comparison):
      .compare(comparison.mapped { $0.generalized })
    case .and(let parts):
      parts.isEmpty ? .all : parts.count == 1 ? parts[0].generalized : .and(parts.map(\.generalized))
    case .or(let parts):
      parts.isEmpty ? .none : parts.count == 1 ? parts[0].generalized : .or(parts.map(\.generalized))
    case .not(let part): .not(part.generalized)
    }
  }
}

extension FetchPredicate.PlainOperator {
  /// The operator of the general form.
  public var general: FetchPredicate.Comparison.Operator {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .beginsWith: .beginsWith
    case .contains: .contains
    case .endsWith: .endsWith
    }
  }
}

extension FetchPredicate.Comparison.Operator {
  /// The operator of the compact form, where there is one.
  var compact: FetchPredicate.PlainOperator? { FetchPredicate.PlainOperator.allCases.first { $0.general == self } }

  /// The operator that says the same with the operands exchanged; nil for those that have none.
  var mirrored: Self? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .isIn: nil
    case .between, .contains, .beginsWith, .endsWith, .like, .matches: nil
    }
  }
}

extension FetchPredicate.Comparison {
  /// The same comparison with the operands exchanged where only the left one is a constant.
  package var withConstantOnTheRight: Self {
    guard modifier == .direct, case .constant = left, let mirrored = comparisonOperator.mirrored else { return self }
    if case .constant = right { return self }
    return Self(right, mirrored, left, options: options)
  }

  /// The same comparison with every predicate inside its expressions replaced.
  func mapped(_ transform: (FetchPredicate) -> FetchPredicate) -> Self {
    var copy = self
    copy.left = left.mappingPredicates(transform)
    copy.right = right.mappingPredicates(transform)
    return copy
  }
}

extension FetchExpression {
  /// The same expression with its direct operands replaced, and the predicates of subqueries and conditionals too.
  package func mappingParts<Failure: Error>(
    _ transform: (FetchExpression) throws(Failure) -> FetchExpression,
    predicates: (FetchPredicate) throws(Failure) -> FetchPredicate
  ) throws(Failure) -> FetchExpression {
    switch self {
    case .constant, .object, .selfObject, .variable, .keyPath: return self
    case .aggregate(let elements):
      var mapped: [FetchExpression] = []
      for element in elements { mapped.append(try transform(element)) }
      return .aggregate(mapped)
    case .path(let base, let path): return .path(of: try transform(base), path)
    case .collection(let collector, let base, let path): return .collection(collector, of: try transform(base), path)
    case .element(let base, .at(let index)): return .element(of: try transform(base), .at(try transform(index)))
    case .element(let base, let position): return .element(of: try transform(base), position)
    case .function(let function, let operands):
      var mapped: [FetchExpression] = []
      for operand in operands { mapped.append(try transform(operand)) }
      return .function(function, mapped)
    case .subquery(let base, let variable, let predicate):
      return .subquery(of: try transform(base), variable: variable, try predicates(predicate))
    case .conditional(let predicate, let first, let second):
      return .conditional(try predicates(predicate), try transform(first), try transform(second))
    case .cast(let operand, let type): return .cast(try transform(operand), type)
    case .set(let operation, let left, let right): return .set(operation, try transform(left), try transform(right))
    }
  }

  fileprivate func mappingPredicates(_ transform: (FetchPredicate) -> FetchPredicate) -> FetchExpression {
    mappingParts({ $0.mappingPredicates(transform) }, predicates: transform)
  }
}
