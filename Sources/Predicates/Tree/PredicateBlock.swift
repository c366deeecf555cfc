/// A condition in Swift, of a predicate that is evaluated with objects in memory. Two are equal when they are the same.
public struct PredicateBlock: Sendable, Hashable {
  /// The closure, with an identity.
  private final class Closure: Sendable {
    let holds: @Sendable (Any?, [String: Any]?) -> Bool

    init(_ holds: @escaping @Sendable (Any?, [String: Any]?) -> Bool) { self.holds = holds }
  }

  private let closure: Closure

  init(_ holds: @escaping @Sendable (Any?, [String: Any]?) -> Bool) { closure = Closure(holds) }

  func holds(for object: Any?) -> Bool { closure.holds(object, nil) }

  /// Whether they are the same closure, made once.
  public static func == (left: Self, right: Self) -> Bool { left.closure === right.closure }

  /// Hashes the identity of the closure, by which blocks are equal.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(closure)) }
}

extension FetchPredicate {
  /// A condition in Swift on the object, a `ManagedObject` where a context evaluates the predicate. The second argument
  /// is nil: there are no substitution variables.
  ///
  /// A context fetches with it from stores that are in memory: it has the store find what meets the rest of the
  /// predicate, and asks the closure for each object. SQLite stores refuse it. A second pass over what a fetch found is
  /// what it is made for, such as the exact distance of places that a box found: `found.filter {
  /// predicate.evaluate(with: $0) }`.
  public init(block: @escaping @Sendable (Any?, [String: Any]?) -> Bool) { self = .block(PredicateBlock(block)) }

  /// Whether a part of it is a closure.
  package var hasBlocks: Bool { contains(\.isBlock) { _ in false } }

  /// Whether it says the same of an object as long as the object stays as it is. Closures and `now()` may not.
  package var isRepeatable: Bool { !contains(\.isBlock, \.isNow) }

  private var isBlock: Bool { if case .block = self { true } else { false } }

  /// Whether a part of it, itself included, is such a predicate or such an expression.
  fileprivate func contains(_ predicate: (Self) -> Bool, _ expression: (FetchExpression) -> Bool) -> Bool {
    if predicate(self) { return true }
    return switch self {
    case .and(let parts), .or(let parts): parts.contains { $0.contains(predicate, expression) }
    case .not(let part): part.contains(predicate, expression)
    case .compare(let comparison):
      comparison.left.contains(predicate, expression) || comparison.right.contains(predicate, expression)
    case .all, .none, .comparison, .isIn, .tupleIsIn, .refersTo, .selfIsIn, .block: false
    }
  }

  /// The part of a predicate that a store can evaluate: the conditions that must all hold, without those that have
  /// closures.
  package var withoutBlocks: FetchPredicate {
    if case .and(let parts) = self { return .and(parts.map(\.withoutBlocks)) }
    return hasBlocks ? .all : self
  }
}

extension FetchExpression {
  fileprivate var isNow: Bool { if case .function(.now, _) = self { true } else { false } }

  fileprivate func contains(_ predicate: (FetchPredicate) -> Bool, _ expression: (FetchExpression) -> Bool) -> Bool {
    if expression(self) { return true }
    switch self {
    case .subquery(_, _, let condition), .conditional(let condition, _, _):
      if condition.contains(predicate, expression) { return true }
    default: break
    }
    return operands.contains { $0.contains(predicate, expression) }
  }
}
