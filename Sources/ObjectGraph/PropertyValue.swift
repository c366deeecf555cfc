public import ObjectModel

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

  /// The ids that a relationship leads to; nil for an attribute.
  public var objectIDs: [ObjectID]? {
    switch self {
    case .attribute: nil
    case .toOne(let id): id.map { [$0] } ?? []
    case .toMany(let ids): ids
    }
  }
}
