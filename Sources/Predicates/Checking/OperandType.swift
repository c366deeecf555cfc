public import ObjectModel

/// The type of an expression, as far as the model defines it.
public struct OperandType: Sendable, Hashable {
  /// The type of the value, or of each element of the list.
  public var element: Element
  /// Whether it gives a list.
  public var isList: Bool

  /// The type of one element, or of a list of such elements.
  public init(_ element: Element, isList: Bool = false) {
    self.element = element
    self.isList = isList
  }

  /// The type of a single value.
  public enum Element: Sendable, Hashable {
    /// A plain value as attributes of this type have it; dates that were calculated with are doubles.
    case attribute(AttributeType)
    /// An object of the entity or its sub-entities.
    case object(Entity)
    /// Always missing, or of different types.
    case unknown
  }

  static let number = OperandType(.attribute(.double))
  static let integer = OperandType(.attribute(.integer64))
  static let text = OperandType(.attribute(.string))
}

/// The meaning of the names in an expression.
public struct ExpressionScope: Sendable {
  /// Where key paths begin.
  public var entity: Entity
  /// The types of the variables of enclosing subqueries.
  public var variables: [String: OperandType]
  /// Whether transient properties may be asked for, which stores do not have: for what is evaluated with an object.
  public var allowsTransients = false
  /// Whether closures may be asked, which stores cannot do: for what is evaluated with an object.
  public var allowsBlocks = false
  /// Whether a key path may end at a composite itself: where it is only asked for being nil.
  var allowsComposites = false

  /// The scope of a whole predicate or expression about objects of the entity.
  public init(_ entity: Entity, variables: [String: OperandType] = [:]) {
    self.entity = entity
    self.variables = variables
  }

  /// The scope inside a subquery.
  public func binding(_ variable: String, to type: OperandType) -> ExpressionScope {
    var inner = self
    inner.variables[variable] = type
    return inner
  }
}
