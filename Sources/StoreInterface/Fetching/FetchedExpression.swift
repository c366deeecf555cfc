public import Predicates

/// A named expression that a request for dictionaries fetches.
///
/// A function that is an aggregate (`Function.isAggregate`) and does not stand inside a subquery works on the rows of
/// the group: `count:(name)` counts the rows of the group that have a name. A collection operator (`stops.@count`)
/// always works on the one object's collection.
public struct FetchedExpression: Sendable, Hashable {
  /// The key in the dictionaries; unique in the request.
  public var name: String
  /// The expression whose value is fetched.
  public var expression: FetchExpression

  /// An expression with a name.
  public init(_ name: String, _ expression: FetchExpression) {
    self.name = name
    self.expression = expression
  }

  /// The property at a key path through to-one relationships, under the key path's own text: `parent.name`.
  public init(keyPath: FetchPredicate.KeyPath) {
    self.init(keyPath.joined(separator: "."), .keyPath(keyPath))
  }
}
