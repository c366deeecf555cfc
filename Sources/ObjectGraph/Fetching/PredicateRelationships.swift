import ObjectModel
import Predicates

/// The relationships that a predicate follows.
struct PredicateRelationships {
  /// Those that are to-many.
  private(set) var toMany: Set<Relationship> = []
  /// The destinations of the relationships.
  private(set) var destinations: Set<Entity> = []

  /// The relationships of a predicate about objects of the entity.
  init(_ predicate: FetchPredicate, of entity: Entity) {
    collect(predicate, ExpressionScope(entity))
  }

  private mutating func collect(_ predicate: FetchPredicate, _ scope: ExpressionScope) {
    switch predicate {
    case .all, .none, .selfIsIn, .block: break
    case .comparison(let path, _, _), .isIn(let path, _), .refersTo(let path, _): follow(path, from: scope.entity)
    case .tupleIsIn(let paths, _):
      for path in paths { follow(path, from: scope.entity) }
    case .compare(let comparison):
      collect(comparison.left, scope)
      collect(comparison.right, scope)
    case .and(let parts), .or(let parts):
      for part in parts { collect(part, scope) }
    case .not(let part): collect(part, scope)
    }
  }

  private mutating func collect(_ expression: FetchExpression, _ scope: ExpressionScope) {
    for operand in expression.operands { collect(operand, scope) }
    switch expression {
    case .keyPath(let path): follow(path, from: scope.entity)
    case .path(let base, let path), .collection(_, let base, let path):
      if let entity = Self.entity(of: base, scope) { follow(path, from: entity) }
    case .subquery(let base, let variable, let predicate):
      if let entity = Self.entity(of: base, scope) {
        collect(predicate, scope.binding(variable, to: OperandType(.object(entity))))
      }
    case .conditional(let predicate, _, _): collect(predicate, scope)
    default: break
    }
  }

  /// The entity of the objects that an expression gives; nil for one that gives none, or that a fetch refuses.
  private static func entity(of expression: FetchExpression, _ scope: ExpressionScope) -> Entity? {
    guard case .object(let entity)? = try? expression.type(in: scope).element else { return nil }
    return entity
  }

  private mutating func follow(_ path: FetchPredicate.KeyPath, from start: Entity) {
    var here = start
    for name in path {
      guard let relationship = here.relationship(name) else { return }
      here = relationship.destination
      if relationship.isToMany { toMany.insert(relationship) }
      destinations.insert(here)
    }
  }
}
