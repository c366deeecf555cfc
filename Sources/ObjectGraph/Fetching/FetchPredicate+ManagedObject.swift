public import Foundation
import ObjectModel
public import Predicates

extension FetchPredicate {
  /// Does nothing: every predicate may be evaluated, also one that was decoded.
  public func allowEvaluation() {}

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

  /// As `evaluate(with:substitutionVariables:)`, with values of any type that key-value code has.
  @_disfavoredOverload
  public func evaluate(with object: ManagedObject, substitutionVariables values: [String: Any]) -> Bool {
    withSubstitutionVariables(values).evaluate(with: object)
  }

  /// As `evaluate(with:)`, for predicates that users write.
  /// - Throws: `StoreError.failure` for a key path that does not exist, and what the store throws.
  public func holds(for object: ManagedObject) throws -> Bool {
    try check(for: object)
    object.checkConfinement()
    let holds = try UndecidedMatches.rethrowing { evaluate(with: ObjectSubject(object: object)) }
    try object.context?.throwDeferredError()
    return holds
  }

  private func check(for object: ManagedObject) throws {
    try check(in: ExpressionScope(of: object))
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
    let value = try UndecidedMatches.rethrowing {
      ExpressionEvaluator(subject, variables: variables, now: Date()).value(self)
    }
    try object.context?.throwDeferredError()
    try otherContext?.throwDeferredError()
    return value
  }

  /// What the expression gives for the object, by its values now; see `FetchPredicate.holds(for:)`.
  /// - Throws: `StoreError.failure` for a key path that does not exist, and what the store throws.
  public func evaluate(with object: ManagedObject) throws -> ExpressionValue {
    _ = try type(in: ExpressionScope(of: object))
    object.checkConfinement()
    let value = try UndecidedMatches.rethrowing { evaluate(with: ObjectSubject(object: object)) }
    try object.context?.throwDeferredError()
    return value
  }

  /// What the expression gives for an object, or for none: values as `value(forKey:)` gives them, lists as arrays. A
  /// key path that does not exist, an object that is no managed object, and an expression that needs an object or a
  /// variable and is given none are mistakes of the program and stop it; an error of the store is thrown by the
  /// context's next fetch or save.
  /// - Parameter variables: values of the expression's variables, by their names.
  public func expressionValue(with object: Any?, context variables: NSMutableDictionary?) -> Any? {
    var values: [String: (any PredicateArgument)?] = [:]
    var context: ManagedObjectContext?
    for (name, value) in variables ?? [:] {
      values["\(name)"] = argument(of: value)
      context = context ?? (value as? ManagedObject)?.context
    }
    let expression = withSubstitutionVariables(values)
    guard let object else {
      guard let value = expression.fixedValue(now: Date()) else {
        let missing = expression.substitutionVariables.sorted().map { "$\($0)" }.joined(separator: ", ")
        preconditionFailure("\(expression) has no value without \(missing.isEmpty ? "an object" : missing)")
      }
      return value.plain(in: context)
    }
    guard let object = object as? ManagedObject else {
      preconditionFailure("expressions have values for managed objects, not for a \(Swift.type(of: object))")
    }
    do {
      _ = try expression.type(in: ExpressionScope(of: object))
    } catch {
      preconditionFailure("\(error)")
    }
    object.checkConfinement()
    return expression.evaluate(with: ObjectSubject(object: object)).plain(in: object.context)
  }
}

extension ExpressionValue {
  /// The same value as `anyValue`, with objects where there is a context for them.
  fileprivate func plain(in context: ManagedObjectContext?) -> Any? {
    switch self {
    case .value(let value): value.anyValue
    case .object(let id): context?.object(with: id) ?? id
    case .list(let elements): elements.map { $0.plain(in: context) ?? NSNull() }
    }
  }
}

extension ExpressionScope {
  /// What predicates and expressions can say of an object that is at hand: transient properties and closures count.
  fileprivate init(of object: ManagedObject) {
    self.init(object.entity)
    allowsTransients = true
    allowsBlocks = true
  }
}
