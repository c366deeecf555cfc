import ObjectModel
public import Predicates

extension FetchPredicate {
  /// Whether the object meets the predicate, by its values now; those that it needs are loaded. Transient properties, which
  /// fetches refuse, count. To be called on the queue of the object's context.
  /// - Throws: `StoreError.failure` for a key path that does not exist, and what the store throws.
  public func evaluate(with object: ManagedObject) throws -> Bool {
    var scope = ExpressionScope(object.entity)
    scope.allowsTransients = true
    try check(in: scope)
    object.checkConfinement()
    let holds = evaluate(with: ObjectSubject(object: object))
    try object.context?.throwDeferredError()
    return holds
  }
}

extension FetchExpression {
  /// What the expression gives for the object, by its values now; see `FetchPredicate.evaluate(with:)`.
  /// - Throws: `StoreError.failure` for a key path that does not exist, and what the store throws.
  public func evaluate(with object: ManagedObject) throws -> ExpressionValue {
    var scope = ExpressionScope(object.entity)
    scope.allowsTransients = true
    _ = try type(in: scope)
    object.checkConfinement()
    let value = evaluate(with: ObjectSubject(object: object))
    try object.context?.throwDeferredError()
    return value
  }
}
