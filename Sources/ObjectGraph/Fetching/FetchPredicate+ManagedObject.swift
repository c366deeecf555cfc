import Foundation
import ObjectModel
public import Predicates

extension FetchPredicate {
  /// Whether the object meets the predicate, by its values now; those that it needs are loaded. Transient properties,
  /// which fetches refuse, count. To be called on the queue of the object's context.
  /// A key path that does not exist is a mistake of the program and stops it, as Core Data raises an exception; an
  /// error of the store is thrown by the context's next fetch or save.
  public func evaluate(with object: ManagedObject) -> Bool {
    do {
      try check(for: object)
    } catch {
      preconditionFailure("\(error)")
    }
    object.checkConfinement()
    return evaluate(with: ObjectSubject(object: object))
  }

  /// As `evaluate(with:)`, with values for the predicate's variables.
  public func evaluate(
    with object: ManagedObject, substitutionVariables values: [String: (any PredicateArgument)?]
  ) -> Bool {
    withSubstitutionVariables(values).evaluate(with: object)
  }

  /// As `evaluate(with:)`, for predicates that users write.
  /// - Throws: `StoreError.failure` for a key path that does not exist, and what the store throws.
  public func holds(for object: ManagedObject) throws -> Bool {
    try check(for: object)
    object.checkConfinement()
    let holds = evaluate(with: ObjectSubject(object: object))
    try object.context?.throwDeferredError()
    return holds
  }

  private func check(for object: ManagedObject) throws {
    var scope = ExpressionScope(object.entity)
    scope.allowsTransients = true
    scope.allowsBlocks = true
    try check(in: scope)
  }
}

extension FetchExpression {
  /// What the expression gives for the object where variables stand for something; its key paths were checked.
  /// - Parameter otherContext: has the objects among the variables that are of another model.
  /// - Throws: what a store throws.
  package func evaluate(
    with object: ManagedObject, variables: [String: ExpressionValue], otherContext: ManagedObjectContext?
  ) throws -> ExpressionValue {
    object.checkConfinement()
    let subject = ObjectSubject(object: object, otherContext: otherContext)
    let value = ExpressionEvaluator(subject, variables: variables, now: Date()).value(self)
    try object.context?.throwDeferredError()
    try otherContext?.throwDeferredError()
    return value
  }

  /// What the expression gives for the object, by its values now; see `FetchPredicate.holds(for:)`.
  /// - Throws: `StoreError.failure` for a key path that does not exist, and what the store throws.
  public func evaluate(with object: ManagedObject) throws -> ExpressionValue {
    var scope = ExpressionScope(object.entity)
    scope.allowsTransients = true
    scope.allowsBlocks = true
    _ = try type(in: scope)
    object.checkConfinement()
    let value = evaluate(with: ObjectSubject(object: object))
    try object.context?.throwDeferredError()
    return value
  }
}
