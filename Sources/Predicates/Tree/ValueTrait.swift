package import ObjectModel

/// What a key path may say of a text after its attribute: `name.length`, `name.lowercaseString`,
/// `name.uppercaseString`.
///
/// A property of the model with such a name comes first.
package enum ValueTrait {
  /// The path to the attribute and the function of its value; nil for a path that ends otherwise.
  package static func end(
    of path: FetchPredicate.KeyPath, from start: Entity
  ) -> (owner: FetchPredicate.KeyPath, function: FetchExpression.Function)? {
    guard path.count > 1, let function = function(named: path[path.count - 1]) else { return nil }
    let owner = Array(path.dropLast())
    guard let attribute = start.attribute(at: owner), [.string, .uri, .undefined].contains(attribute.type) else {
      return nil
    }
    return (owner, function)
  }

  private static func function(named name: String) -> FetchExpression.Function? {
    switch name {
    case "length": .length
    case "lowercaseString": .lowercase
    case "uppercaseString": .uppercase
    default: nil
    }
  }
}
