package import ObjectModel
package import StoreInterface

/// A store that leaves to another one whatever it does not do itself.
package protocol ForwardingStore: PersistentStore {
  /// The other one.
  var base: any PersistentStore { get }
}

extension ForwardingStore {
  package var identifier: String { base.identifier }
  package var type: any PersistentStoreType { base.type }
  package var model: ManagedObjectModel { base.model }
  package func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try base.snapshots(request) }
  package func count(_ request: FetchSpecification) throws -> Int { try base.count(request) }
  package func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try base.members(of: owner, relationship: relationship)
  }
  package func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64 {
    try base.reservePrimaryKeys(count, for: entity)
  }
  package func save(_ request: SaveRequest) throws { try base.save(request) }
}
