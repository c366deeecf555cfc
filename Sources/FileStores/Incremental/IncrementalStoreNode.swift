public import ObjectModel
public import StoreInterface

/// The values of one object as an incremental store gives them.
public struct IncrementalStoreNode: Sendable, Hashable {
  /// The values by position, as stores and contexts exchange them.
  public let snapshot: Snapshot
  /// The id of the object whose values these are.
  public var objectID: ObjectID { snapshot.objectID }
  /// A number that grows with every change of the object, from 1. A save compares it to find out that its values are
  /// old.
  public var version: Int64 { snapshot.version }

  /// The values of a snapshot.
  public init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
  }

  /// Values by name; what is not named is null, or leads nowhere.
  /// - Parameters:
  ///   - values: by attribute, each of its attribute's type.
  ///   - destinations: by to-one relationship.
  /// - Throws: `StoreError.failure` for a name that the entity does not have, or a value that does not fit.
  public init(
    objectID: ObjectID, version: Int64 = 1, values: [String: Value] = [:], destinations: [String: ObjectID] = [:]
  ) throws(StoreError) {
    let entity = objectID.entity
    var snapshot = Snapshot(
      objectID: objectID, version: version, attributes: entity.attributes.map { values[$0.name] ?? .null },
      toOne: entity.relationships.map { destinations[$0.name] })
    if let name = values.keys.first(where: { entity.attribute($0) == nil }) {
      throw .failure("\(entity.name) has no attribute \"\(name)\"")
    }
    if let name = destinations.keys.first(where: { entity.relationship($0)?.isToMany != false }) {
      throw .failure("\(entity.name) has no to-one relationship \"\(name)\"")
    }
    try snapshot.normalizeValues()
    self.snapshot = snapshot
  }

  /// The value of an attribute; null where there is none of that name.
  public subscript(attribute name: String) -> Value {
    objectID.entity.attributes.firstIndex { $0.name == name }.map { snapshot.attributes[$0] } ?? .null
  }

  /// Where a to-one relationship leads.
  public subscript(destination name: String) -> ObjectID? {
    objectID.entity.relationships.firstIndex { $0.name == name }.flatMap { snapshot.toOne[$0] }
  }
}
