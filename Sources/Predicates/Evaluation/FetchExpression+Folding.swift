package import Foundation
import ObjectModel

extension FetchExpression {
  /// The value of an expression that is the same for every object; nil when it depends on the object or on variables.
  package func fixedValue(now: Date) -> ExpressionValue? {
    isFixed ? ExpressionEvaluator<NoSubject>(now: now).value(self) : nil
  }

  /// The expression for a value.
  package init(_ value: ExpressionValue) {
    switch value {
    case .value(let value): self = .constant(value)
    case .object(let objectID): self = .object(objectID)
    case .list(let elements): self = .aggregate(elements.map { FetchExpression($0) })
    }
  }

  /// Whether no key path, no variable and no predicate occurs.
  private var isFixed: Bool {
    switch self {
    case .constant, .object: true
    case .aggregate(let elements): elements.allSatisfy(\.isFixed)
    case .selfObject, .variable, .keyPath, .path, .subquery, .conditional: false
    case .collection(_, let base, let path): path.isEmpty && base.isFixed
    case .element(let base, let position):
      if case .at(let index) = position { base.isFixed && index.isFixed } else { base.isFixed }
    case .function(let function, let operands):
      function != .indexed && function != .noIndex && operands.allSatisfy(\.isFixed)
    case .cast(let operand, _): operand.isFixed
    case .set(_, let left, let right): left.isFixed && right.isFixed
    }
  }
}

/// No object at all.
private struct NoSubject: PredicateSubject {
  let objectID: ObjectID
  func value(at keyPath: FetchPredicate.KeyPath) -> Value { .null }
  func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? { nil }
  func members(of relationship: String) -> [ObjectID] { [] }
  func subject(for objectID: ObjectID) -> NoSubject? { nil }
}
