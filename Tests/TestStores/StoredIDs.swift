package import ObjectModel
package import StoreInterface

extension PersistentStore {
  /// The id of an object of the store by its primary key.
  package func id(of entity: Entity, _ primaryKey: Int64) -> ObjectID {
    ObjectID(entity: entity, reference: .permanent(store: identifier, primaryKey: primaryKey))
  }
}
