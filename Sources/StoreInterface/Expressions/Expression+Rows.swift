extension Expression {
  /// The expression of a column of groups, with the aggregate function for each collection operator that stands alone:
  /// `@sum.price` is then `sum:(price)`, and `@count` is `count:(SELF)`.
  package var aggregatingRows: Expression {
    guard case .collection(let collector, .selfObject, let path) = self, let function = collector.function else {
      return mappingParts({ $0.aggregatingRows }, predicates: { $0.aggregatingRows })
    }
    return .function(function, [path.isEmpty ? .selfObject : .keyPath(path)])
  }
}

extension Predicate {
  /// The same of a having predicate in its general form.
  package var aggregatingRows: Predicate {
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
