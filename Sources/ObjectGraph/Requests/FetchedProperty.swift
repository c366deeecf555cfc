public import ObjectModel
public import Predicates
public import StoreInterface

/// What a request for dictionaries can fetch and group by: the name or key path of a property as text, a key path of a
/// generated class such as `\Recipe.title`, an `ExpressionDescription`, a `PropertyDescription`, an
/// `AttributeDefinition`, a `Relationship`.
public protocol FetchedProperty {
  /// What is fetched, and under which name.
  var fetchedExpression: FetchedExpression { get }
}

extension String: FetchedProperty {
  /// The property at a key path with dots.
  public var fetchedExpression: FetchedExpression { FetchedExpression(keyPath: FetchPredicate.keyPath(self)) }
}

extension AnyKeyPath: FetchedProperty {
  /// The property that a key path of a generated class stands for; see `propertyKeyPath`.
  public var fetchedExpression: FetchedExpression { propertyKeyPath.fetchedExpression }
}

extension AttributeDefinition: FetchedProperty {
  /// The attribute's value, under the attribute's name.
  public var fetchedExpression: FetchedExpression { FetchedExpression(keyPath: [name]) }
}

extension PropertyDescription: FetchedProperty {
  /// The property's value, under its name.
  public var fetchedExpression: FetchedExpression { FetchedExpression(keyPath: [name]) }
}

extension Relationship: FetchedProperty {
  /// The relationship's destination, under the relationship's name.
  public var fetchedExpression: FetchedExpression { FetchedExpression(keyPath: [name]) }
}

extension FetchedExpression: FetchedProperty {
  /// The expression itself.
  public var fetchedExpression: FetchedExpression { self }
}

/// A named expression that a request for dictionaries fetches, with Core Data's shape:
/// `let total = ExpressionDescription(); total.name = "total"; total.expression = …`.
public final class ExpressionDescription {
  /// The key in the dictionaries; unique in the request.
  public var name = ""
  /// What is fetched; nil until it is set.
  public var expression: FetchExpression?
  /// The type that the values in the dictionaries have; undefined: the type that the store finds out. A number becomes
  /// a number of another type, a date or a text, and what cannot be of the type stays as it is.
  public var expressionResultType = AttributeType.undefined
  /// `expressionResultType`
  public var resultType: AttributeType {
    get { expressionResultType }
    set { expressionResultType = newValue }
  }

  /// An expression that is still to be set.
  public init() {}

  /// An expression with a name.
  public convenience init(_ name: String, _ expression: FetchExpression) {
    self.init()
    self.name = name
    self.expression = expression
  }
}

extension ExpressionDescription: FetchedProperty {
  /// The expression, which must be set.
  public var fetchedExpression: FetchedExpression {
    guard let expression else { preconditionFailure("the expression description \"\(name)\" has no expression") }
    return FetchedExpression(name, expression)
  }
}
