public import Predicates

extension ManagedObject: PredicateArgument {
  /// The object by its id.
  public var predicateExpression: FetchExpression { .object(objectID) }
}
