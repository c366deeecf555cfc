extension FetchExpression {
  /// The expression of a column of groups, with the aggregate function for each collection operator that stands alone:
  /// `@sum.price` is then `sum:(price)`, `@count` is `count:(SELF)`, and `@distinctUnionOfObjects.price.@count` is
  /// `count:(distinct:(price))`.
  package var aggregatingRows: FetchExpression {
    if case .collection(let collector, .selfObject, let path) = self, let function = collector.function {
      return .function(function, [path.isEmpty ? .selfObject : .keyPath(path)])
    }
    if case .collection(let collector, .collection(let inner, .selfObject, let path), []) = self,
      let function = collector.function, !path.isEmpty
    {
      switch inner {
      case .distinctUnionOfObjects: return .function(function, [.function(.distinct, [.keyPath(path)])])
      case .unionOfObjects: return .function(function, [.keyPath(path)])
      default: break
      }
    }
    return mappingParts({ $0.aggregatingRows }, predicates: { $0.aggregatingRows })
  }
}

extension FetchPredicate {
  /// The same for a having predicate in its general form.
  package var aggregatingRows: FetchPredicate {
    switch self {
    case .and(let parts): return .and(parts.map(\.aggregatingRows))
    case .or(let parts): return .or(parts.map(\.aggregatingRows))
    case .not(let part): return .not(part.aggregatingRows)
    case .compare(var comparison):
      comparison.left = comparison.left.aggregatingRows
      comparison.right = comparison.right.aggregatingRows
      return .compare(comparison)
    default: return self
    }
  }
}
