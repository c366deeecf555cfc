public import ObjectModel
import Predicates

/// What a property of an object holds: an attribute's value, or the ids that a relationship leads to.
public enum PropertyValue: Sendable, Hashable {
  case attribute(Value)
  /// Nil: the relationship leads nowhere.
  case toOne(ObjectID?)
  /// In the relationship's order; without an order of its own, as `ManagedObject.objectIDs(for:)` gives them.
  case toMany([ObjectID])

  /// The value of an attribute; nil for a relationship.
  public var value: Value? {
    if case .attribute(let value) = self { return value }
    return nil
  }
}

extension PropertyValue: CustomStringConvertible {
  /// The value as the format language of predicates writes it; objects by entity and primary key.
  public var description: String {
    switch self {
    case .attribute(let value): FetchExpression.constant(value).expressionFormat
    case .toOne(let id): id.map { FetchExpression.object($0).expressionFormat } ?? "nil"
    case .toMany(let ids): FetchExpression.aggregate(ids.map { .object($0) }).expressionFormat
    }
  }
}
