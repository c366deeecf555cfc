package import Foundation
import ObjectModel

/// A predicate made ready for many subjects: the same answers as `FetchPredicate.evaluate(with:)`, with lists as hash
/// sets.
package struct PredicateMatcher {
  private indirect enum Node {
    case constant(Bool)
    case comparison(FetchPredicate.KeyPath, FetchPredicate.PlainOperator, Value)
    case tupleIsIn([FetchPredicate.KeyPath], Set<ValueTuple>)
    case refersTo(FetchPredicate.KeyPath, ObjectID?)
    case selfIsIn(Set<ObjectID>)
    /// A comparison with something that is the same for every subject.
    case fixed(FetchPredicate.Comparison, right: ExpressionValue)
    /// A comparison with a regular expression, compiled.
    case pattern(FetchExpression, TextPattern.Matcher)
    case general(FetchPredicate)
    case and([Node])
    case or([Node])
    case not(Node)
  }

  private let node: Node
  private let now: Date
  private let hasPatterns: Bool

  /// - Parameter now: what `now()` stands for.
  /// - Complexity: linear in the size of the predicate.
  package init(_ predicate: FetchPredicate, now: Date = Date()) {
    self.now = now
    hasPatterns = predicate.hasPatterns
    node = Self.node(for: predicate, now)
  }

  private static func node(for predicate: FetchPredicate, _ now: Date) -> Node {
    switch predicate {
    case .all: .constant(true)
    case .none: .constant(false)
    case .comparison(let keyPath, let comparison, let constant): .comparison(keyPath, comparison, constant)
    case .isIn(let keyPath, let values): .tupleIsIn([keyPath], Set(values.map { ValueTuple([$0]) }))
    case .tupleIsIn(let keyPaths, let tuples): .tupleIsIn(keyPaths, Set(tuples.map { ValueTuple($0) }))
    case .refersTo(let keyPath, let objectID): .refersTo(keyPath, objectID)
    case .selfIsIn(let objectIDs): .selfIsIn(Set(objectIDs))
    case .compare(let comparison): node(for: comparison, now)
    case .block: .general(predicate)
    case .and(let parts): .and(parts.map { node(for: $0, now) })
    case .or(let parts): .or(parts.map { node(for: $0, now) })
    case .not(let part): .not(node(for: part, now))
    }
  }

  private static func node(for comparison: FetchPredicate.Comparison, _ now: Date) -> Node {
    guard let right = comparison.right.fixedValue(now: now) else { return .general(.compare(comparison)) }
    if comparison.comparisonOperator == .matches, comparison.modifier == .direct, let pattern = right.text {
      return TextPattern.Matcher(pattern, options: comparison.options).map { .pattern(comparison.left, $0) }
        ?? .constant(false)
    }
    return .fixed(comparison, right: right)
  }

  /// - Throws: `UndecidedMatchError`.
  /// - Complexity: independent of the length of the lists of compact cases.
  package func matches(_ subject: some PredicateSubject) throws -> Bool {
    hasPatterns ? try UndecidedMatches.rethrowing { matches(node, subject) } : matches(node, subject)
  }

  private func matches(_ node: Node, _ subject: some PredicateSubject) -> Bool {
    switch node {
    case .constant(let value): value
    case .comparison(let keyPath, let comparison, let constant):
      comparison.holds(subject.value(at: keyPath), constant)
    case .tupleIsIn(let keyPaths, let tuples):
      tuples.contains(ValueTuple(keyPaths.map { subject.value(at: $0) }))
    case .refersTo(let keyPath, let objectID): subject.destination(at: keyPath) == objectID
    case .selfIsIn(let objectIDs): objectIDs.contains(subject.objectID)
    case .fixed(let comparison, let right):
      comparison.holds(ExpressionEvaluator(subject, now: now).value(comparison.left), right)
    case .pattern(let left, let pattern):
      ExpressionEvaluator(subject, now: now).value(left).text.map { pattern.matches($0) } ?? false
    case .general(let predicate): ExpressionEvaluator(subject, now: now).holds(predicate)
    case .and(let parts): parts.allSatisfy { matches($0, subject) }
    case .or(let parts): parts.contains { matches($0, subject) }
    case .not(let part): !matches(part, subject)
    }
  }
}

extension FetchPredicate {
  /// Whether a comparison by `MATCHES` is in it.
  var hasPatterns: Bool {
    switch self {
    case .compare(let comparison):
      comparison.comparisonOperator == .matches || comparison.left.hasPatterns || comparison.right.hasPatterns
    case .and(let parts), .or(let parts): parts.contains(where: \.hasPatterns)
    case .not(let part): part.hasPatterns
    case .all, .none, .comparison, .isIn, .tupleIsIn, .refersTo, .selfIsIn, .block: false
    }
  }
}

extension FetchExpression {
  fileprivate var hasPatterns: Bool {
    switch self {
    case .subquery(_, _, let predicate) where predicate.hasPatterns: true
    case .conditional(let predicate, _, _) where predicate.hasPatterns: true
    default: operands.contains(where: \.hasPatterns)
    }
  }
}
