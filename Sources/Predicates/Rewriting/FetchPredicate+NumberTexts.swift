import ObjectModel

extension FetchPredicate {
  /// The same condition with numbers in place of the texts of digits that are compared with numbers, as in `year ==
  /// "1999"`: Core Data gives its SQLite store such a text as the attribute's type. Other texts stay, and equal no
  /// number.
  package func withNumbersForTexts(in scope: ExpressionScope) -> FetchPredicate {
    switch self {
    case .and(let parts): return .and(parts.map { $0.withNumbersForTexts(in: scope) })
    case .or(let parts): return .or(parts.map { $0.withNumbersForTexts(in: scope) })
    case .not(let part): return .not(part.withNumbersForTexts(in: scope))
    case .comparison(let path, let sign, let value):
      guard value.text != nil, sign != .beginsWith, sign != .contains, sign != .endsWith,
        FetchExpression.keyPath(path).isNumber(in: scope)
      else { return self }
      return .comparison(path, sign, value.numberOfText)
    case .isIn(let path, let values):
      guard values.contains(where: { $0.text != nil }), FetchExpression.keyPath(path).isNumber(in: scope) else {
        return self
      }
      return .isIn(path, values.map(\.numberOfText))
    case .compare(let comparison): return .compare(comparison.withNumbersForTexts(in: scope))
    case .all, .none, .selfIsIn, .tupleIsIn, .refersTo, .block: return self
    }
  }
}

extension FetchPredicate.Comparison {
  fileprivate func withNumbersForTexts(in scope: ExpressionScope) -> FetchPredicate.Comparison {
    var changed = self
    changed.left = left.withNumbersForTexts(in: scope)
    changed.right = right.withNumbersForTexts(in: scope)
    switch comparisonOperator {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between:
      if changed.right.hasText && left.isNumber(in: scope) { changed.right = changed.right.numberOfText }
      if changed.left.hasText && right.isNumber(in: scope) { changed.left = changed.left.numberOfText }
    default: break
    }
    return changed
  }
}

extension FetchExpression {
  /// The same with such numbers in the conditions inside.
  fileprivate func withNumbersForTexts(in scope: ExpressionScope) -> FetchExpression {
    switch self {
    case .constant, .object, .selfObject, .variable, .keyPath, .aggregate: return self
    case .subquery(let base, let variable, let predicate):
      guard let type = try? base.type(in: scope) else { return self }
      let inner = scope.binding(variable, to: OperandType(type.element))
      return .subquery(
        of: base.withNumbersForTexts(in: scope), variable: variable, predicate.withNumbersForTexts(in: inner))
    default:
      return mappingParts({ $0.withNumbersForTexts(in: scope) }, predicates: { $0.withNumbersForTexts(in: scope) })
    }
  }

  fileprivate var hasText: Bool {
    switch self {
    case .constant(let value): value.text != nil
    case .aggregate(let elements): elements.contains(where: \.hasText)
    default: false
    }
  }

  fileprivate func isNumber(in scope: ExpressionScope) -> Bool {
    guard case .attribute(let type) = try? type(in: scope).element else { return false }
    return type.isNumber && type != .date
  }

  fileprivate var numberOfText: FetchExpression {
    switch self {
    case .constant(let value): .constant(value.numberOfText)
    case .aggregate(let elements): .aggregate(elements.map(\.numberOfText))
    default: self
    }
  }
}

extension Value {
  /// The number that a text of digits names; any other value as it is.
  fileprivate var numberOfText: Value {
    guard case .string = self else { return self }
    let number = FetchExpression.CastType.number.convert(self)
    return number == .null ? self : number
  }
}
