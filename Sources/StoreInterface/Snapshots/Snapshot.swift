public import ObjectModel

/// An object's persisted values at one moment.
public struct Snapshot: Sendable, Hashable {
  /// Permanent.
  public var objectID: ObjectID
  /// The optimistic-lock counter (`Z_OPT`), 1 on insert.
  public var version: Int64
  /// One value per attribute, in the order of `Entity.attributes` of the object's own entity. Transient attributes
  /// are `.null`.
  public var attributes: [Value]
  /// One entry per relationship, in the order of `Entity.relationships`: the destination of a to-one relationship;
  /// always nil for a to-many relationship.
  public var toOne: [ObjectID?]

  /// A snapshot with a value for every attribute and an entry for every relationship of the id's entity.
  public init(objectID: ObjectID, version: Int64, attributes: [Value], toOne: [ObjectID?]) {
    self.objectID = objectID
    self.version = version
    self.attributes = attributes
    self.toOne = toOne
  }
}
