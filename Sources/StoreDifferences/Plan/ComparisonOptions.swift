/// Which objects are compared, and how they are identified.
public struct ComparisonOptions: Sendable {
  /// Attributes that together name an object, by entity; they hold for its sub-entities, too. Entities without any take
  /// their first uniqueness constraint that is made of attributes, and without one the primary key.
  public var keys: [String: [String]] = [:]
  /// The entities whose objects are compared, with their sub-entities; all where there are none.
  public var entities: [String] = []
  /// Properties that are not compared: `name` of every entity, or `Entity.name`.
  public var ignoredProperties: [String] = []

  /// Options that compare everything.
  public init() {}
}
