/// A condition in Swift, of a predicate that is evaluated with objects in memory. Two are equal when they are the same.
public struct PredicateBlock: Sendable, Hashable {
  /// The closure, with an identity.
  private final class Closure: Sendable {
    let holds: @Sendable (Any?, [String: Any]?) -> Bool

    init(_ holds: @escaping @Sendable (Any?, [String: Any]?) -> Bool) { self.holds = holds }
  }

  private let closure: Closure

  init(_ holds: @escaping @Sendable (Any?, [String: Any]?) -> Bool) { closure = Closure(holds) }

  func holds(for object: Any) -> Bool { closure.holds(object, nil) }

  /// Whether they are the same closure, made once.
  public static func == (left: Self, right: Self) -> Bool { left.closure === right.closure }

  /// Hashes the identity.
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
  package var hasBlocks: Bool {
    switch self {
    case .block: true
    case .and(let parts), .or(let parts): parts.contains(where: \.hasBlocks)
    case .not(let part): part.hasBlocks
    case .compare(let comparison): comparison.left.hasBlocks || comparison.right.hasBlocks
    case .all, .none, .comparison, .isIn, .tupleIsIn, .refersTo, .selfIsIn: false
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
  fileprivate var hasBlocks: Bool {
    switch self {
    case .subquery(let base, _, let predicate): base.hasBlocks || predicate.hasBlocks
    case .conditional(let predicate, let first, let second):
      predicate.hasBlocks || first.hasBlocks || second.hasBlocks
    default: operands.contains(where: \.hasBlocks)
    }
  }
}
