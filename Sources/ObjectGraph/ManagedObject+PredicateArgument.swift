public import StoreInterface

extension ManagedObject: PredicateArgument {
  /// The object by its id.
  public var predicateExpression: FetchExpression { .object(objectID) }
}
