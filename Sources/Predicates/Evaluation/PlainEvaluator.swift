package import Foundation
import ObjectModel

extension FetchPredicate {
  /// Whether a value, a list or a dictionary meets the predicate, in which `SELF` is what is given and key paths begin
  /// at it. A key that is not there stops the program.
  /// - Parameter object: what closures are asked about.
  /// - Precondition: no variable is left.
  package func evaluate(withPlain item: PlainItem, object: Any?, now: Date = Date()) -> Bool {
    PlainEvaluator(subject: item, object: object, now: now).holds(self)
  }
}

/// Computes predicates for what is no object of a store, by the rules of `ExpressionEvaluator`.
private struct PlainEvaluator {
  let subject: PlainItem
  /// The same, as closures see it.
  let object: Any?
  let now: Date
  /// The values of the variables of enclosing subqueries.
  var variables: [String: PlainItem] = [:]

  func holds(_ predicate: FetchPredicate) -> Bool {
    switch predicate {
    case .all: true
    case .none: false
    case .compare(let comparison): comparison.holds(value(comparison.left), value(comparison.right))
    case .and(let parts): parts.allSatisfy { holds($0) }
    case .or(let parts): parts.contains { holds($0) }
    case .not(let part): !holds(part)
    case .block(let block): block.holds(for: object)
    case .comparison, .isIn, .tupleIsIn, .refersTo, .selfIsIn: holds(predicate.generalized)
    }
  }

  private func value(_ expression: FetchExpression) -> ExpressionValue { item(expression).expressionValue }

  private func item(_ expression: FetchExpression) -> PlainItem {
    switch expression {
    case .constant(let value): return .value(.value(value))
    case .object(let objectID): return .value(.object(objectID))
    case .aggregate(let elements): return .list(elements.flatMap { item($0).elements })
    case .selfObject: return subject
    case .variable(let name): return variables[name] ?? .missing
    case .keyPath(let path): return subject.item(at: path)
    case .path(let base, let path): return item(base).item(at: path)
    case .collection(let collector, let base, let path):
      let list = item(base).item(at: path).elements
      guard let function = collector.function else { return .list(list.filter { !$0.isMissing }) }
      return PlainItem(function.apply(to: [.list(list.flatMap(\.expressionValue.elements))]))
    case .element(let base, let position): return element(item(base).elements, position)
    case .function(.now, _): return .value(.value(.date(now)))
    case .function(let function, let operands): return PlainItem(function.apply(to: operands.map { value($0) }))
    case .subquery(let base, let variable, let predicate):
      var inner = self
      return .list(
        item(base).elements.filter { element in
          inner.variables[variable] = element
          return inner.holds(predicate)
        })
    case .conditional(let predicate, let first, let second): return item(holds(predicate) ? first : second)
    case .cast(let operand, let type): return .value(.value(type.convert(value(operand).plainValue)))
    case .set(let operation, let left, let right):
      return PlainItem(.list(operation.combine(value(left).elements, value(right).elements)))
    }
  }

  private func element(_ elements: [PlainItem], _ position: FetchExpression.Position) -> PlainItem {
    position.element(of: elements, index: { value($0) }, count: { .value(.value(.integer(Int64($0)))) }) ?? .missing
  }
}
