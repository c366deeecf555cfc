public import Predicates

extension FetchPredicate {
  /// Whether something meets the predicate: a managed object, as with its own method; a dictionary, whose entries are
  /// its values by name; a value or a list, which `SELF` is. Elements of lists and entries may be any of these. `nil`
  /// is a missing value. What has no values by name, such as a structure, stops the program, as a key does that a
  /// managed object or a value does not have. A dictionary has nothing under such a key.
  @_disfavoredOverload
  public func evaluate(with object: Any?) -> Bool {
    if let object = object as? ManagedObject { return evaluate(with: object) }
    if let name = substitutionVariables.min() { preconditionFailure("$\(name) has no value in \(self)") }
    return evaluate(withPlain: PlainItem(object), object: object)
  }

  /// As `evaluate(with:)`, with values for the predicate's variables.
  @_disfavoredOverload
  public func evaluate(with object: Any?, substitutionVariables values: [String: Any]?) -> Bool {
    withSubstitutionVariables(values ?? [:]).evaluate(with: object)
  }
}

extension ManagedObject: PlainKeyed {
  package var expressionValue: ExpressionValue { .object(objectID) }
  package func item(forKey key: String) -> PlainItem { PlainItem(value(forKey: key)) }
}
