import ObjectModel

extension FetchPredicate {
  /// The predicate with variables replaced by values. Those that no value is given for stay, and `checkKeyPaths(for:)`
  /// refuses them; the loop variables of subqueries are never replaced.
  public func withSubstitutionVariables(_ values: [String: (any PredicateArgument)?]) -> FetchPredicate {
    substituting(values.mapValues { $0?.predicateExpression ?? .constant(.null) })
  }

  /// The variables that need a value, without the loop variables of subqueries.
  public var substitutionVariables: Set<String> {
    var names: Set<String> = []
    collectVariables(into: &names, bound: [])
    return names
  }

  /// The predicate with the paths behind a variable, such as `$FETCH_SOURCE.name`, replaced by what they lead to; those
  /// that the closure gives nothing for stay.
  package func replacingPaths(
    of variable: String, _ value: (FetchPredicate.KeyPath) -> FetchExpression?
  ) -> FetchPredicate {
    mappingExpressions { $0.replacingPaths(of: variable, value) }
  }

  func substituting(_ values: [String: FetchExpression]) -> FetchPredicate {
    mappingExpressions { $0.substituting(values) }
  }

  /// The predicate with both sides of every comparison replaced by what the closure makes of them.
  package func mappingExpressions<Failure: Error>(
    _ map: (FetchExpression) throws(Failure) -> FetchExpression
  ) throws(Failure) -> FetchPredicate {
    func mapped(_ parts: [FetchPredicate]) throws(Failure) -> [FetchPredicate] {
      var mapped: [FetchPredicate] = []
      for part in parts { mapped.append(try part.mappingExpressions(map)) }
      return mapped
    }
    switch self {
    case .compare(var comparison):
      comparison.left = try map(comparison.left)
      comparison.right = try map(comparison.right)
      return .compare(comparison)
    case .and(let parts): return .and(try mapped(parts))
    case .or(let parts): return .or(try mapped(parts))
    case .not(let part): return .not(try part.mappingExpressions(map))
    default: return self
    }
  }

  fileprivate func collectVariables(into names: inout Set<String>, bound: Set<String>) {
    switch self {
    case .compare(let comparison):
      comparison.left.collectVariables(into: &names, bound: bound)
      comparison.right.collectVariables(into: &names, bound: bound)
    case .and(let parts), .or(let parts):
      for part in parts { part.collectVariables(into: &names, bound: bound) }
    case .not(let part): part.collectVariables(into: &names, bound: bound)
    default: break
    }
  }
}

extension FetchExpression {
  /// The variables that need a value, without the loop variables of subqueries.
  package var substitutionVariables: Set<String> {
    var names: Set<String> = []
    collectVariables(into: &names, bound: [])
    return names
  }

  /// The expression with variables replaced by values; see `FetchPredicate.withSubstitutionVariables(_:)`.
  public func withSubstitutionVariables(_ values: [String: (any PredicateArgument)?]) -> FetchExpression {
    substituting(values.mapValues { $0?.predicateExpression ?? .constant(.null) })
  }

  fileprivate func substituting(_ values: [String: FetchExpression]) -> FetchExpression {
    switch self {
    case .variable(let name): return values[name] ?? self
    case .path(let base, let path): return base.substituting(values).appending(path)
    case .subquery(let base, let variable, let predicate):
      var inner = values
      inner[variable] = nil
      return .subquery(of: base.substituting(values), variable: variable, predicate.substituting(inner))
    default: return mappingParts({ $0.substituting(values) }, predicates: { $0.substituting(values) })
    }
  }

  fileprivate func replacingPaths(
    of variable: String, _ value: (FetchPredicate.KeyPath) -> FetchExpression?
  ) -> FetchExpression {
    switch self {
    case .path(of: .variable(variable), let path): return value(path) ?? self
    // The loop variable hides the other one.
    case .subquery(let base, variable: variable, let predicate):
      return .subquery(of: base.replacingPaths(of: variable, value), variable: variable, predicate)
    default:
      return mappingParts(
        { $0.replacingPaths(of: variable, value) }, predicates: { $0.replacingPaths(of: variable, value) })
    }
  }

  fileprivate func collectVariables(into names: inout Set<String>, bound: Set<String>) {
    switch self {
    case .variable(let name):
      if !bound.contains(name) { names.insert(name) }
    case .subquery(let base, let variable, let predicate):
      base.collectVariables(into: &names, bound: bound)
      predicate.collectVariables(into: &names, bound: bound.union([variable]))
    case .conditional(let predicate, _, _):
      predicate.collectVariables(into: &names, bound: bound)
      for operand in operands { operand.collectVariables(into: &names, bound: bound) }
    default:
      for operand in operands { operand.collectVariables(into: &names, bound: bound) }
    }
  }
}
