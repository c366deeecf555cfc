package import ObjectModel
import StoreInterface
import Synchronization

/// The facts about a store's file that are the same for all connections: path, model, layout and metadata.
package final class StoreFile: Sendable {
  /// The path of the main file.
  let path: String
  /// The model that the store was created or opened with.
  let model: ManagedObjectModel
  /// The tables and columns in which the model's entities and properties lie.
  let layout: StoreLayout
  /// Whether the store object that has it open has made it.
  let isCreator: Bool
  /// What ids have in common, by `Entity.index`. They keep the identifier that the store had when it was opened.
  let idSpaces: ObjectID.Spaces
  private let currentMetadata: Mutex<StoreMetadata>

  package init(path: String, model: ManagedObjectModel, layout: StoreLayout, metadata: StoreMetadata, isCreator: Bool) {
    self.path = path
    self.model = model
    self.layout = layout
    self.isCreator = isCreator
    idSpaces = model.idSpaces(store: metadata.uuid)
    currentMetadata = Mutex(metadata)
  }

  /// The metadata as they were read or written last.
  var metadata: StoreMetadata { currentMetadata.withLock { $0 } }

  /// The store's UUID.
  var identifier: String { currentMetadata.withLock { $0.uuid } }

  /// Takes up metadata that were written to the file.
  func replaceMetadata(with metadata: StoreMetadata) { currentMetadata.withLock { $0 = metadata } }

  // MARK: - Ids

  /// The primary key of an object of this store; nil for those of others.
  func primaryKey(of objectID: ObjectID) -> Int64? {
    let index = objectID.space.entityIndex
    if index < idSpaces.list.count && objectID.space === idSpaces[index] { return objectID.primaryKey }
    guard case .permanent(let store, let key) = objectID.reference, store == identifier,
      objectID.entity.model === model
    else { return nil }
    return key
  }

  /// The id of an object of this store.
  func objectID(_ entity: Entity, _ key: Int64) -> ObjectID {
    ObjectID(space: idSpaces[entity.index], primaryKey: key)
  }

  /// The entity with a stored number.
  func entity(numbered number: Int64) throws -> Entity {
    guard let entity = layout.entity(number: Int(number)) else {
      throw StoreError.notAStore(path: path, message: "a row has the unknown entity number \(number)")
    }
    return entity
  }

  // MARK: - Errors

  /// The conflict of the constraint whose unique index an error names.
  /// - Parameter message: says which columns are not unique, as SQLite does: "UNIQUE constraint failed:
  ///   ZSTOP.ZIDENTIFIER".
  func constraintConflict(_ message: String) -> StoreError {
    let list = message.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
    let columns = list.split(separator: ",").map { $0.trimmingPrefix(while: { $0 == " " }) }
    let table = columns.first?.split(separator: ".").first.map(String.init) ?? ""
    let names = columns.compactMap { $0.split(separator: ".").last.map(String.init) }
    for entity in layout.entitiesByNumber where layout.table(for: entity).name == table {
      for constraint in entity.definition.uniquenessConstraints
      where constraint.map({ layout.propertyColumn($0, of: entity) }) == names.map(Optional.some) {
        return .constraintConflict(entity: entity.name, constraint: constraint, message: message)
      }
    }
    let entity = layout.tables.first { $0.name == table }?.root.name ?? table
    return .constraintConflict(entity: entity, constraint: names, message: message)
  }
}
