public import ObjectModel

/// The value of an expression for an object.
public indirect enum ExpressionValue: Sendable, Hashable {
  /// A plain value; `.null` when it is missing, also where an object could have been.
  case value(Value)
  case object(ObjectID)
  /// Elements in order, never lists themselves.
  case list([ExpressionValue])

  /// The value of a missing attribute or destination: null.
  public static let missing = ExpressionValue.value(.null)

  /// Whether it is nothing. An empty list is something.
  public var isMissing: Bool {
    if case .value(let value) = self { return value.isMissing }
    return false
  }
}
