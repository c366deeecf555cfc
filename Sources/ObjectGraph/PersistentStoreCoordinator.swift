public import ObjectModel
public import StoreInterface

/// Stands between contexts and a store: knows the model's classes and rules, and hands out permanent ids.
public final class PersistentStoreCoordinator: Sendable {
  /// The model of the store and of every object of its contexts.
  public let model: ManagedObjectModel
  /// Where objects are kept.
  public let store: any PersistentStore
  private let runtimes: [EntityRuntime]

  /// - Parameter classes: subclasses of `ManagedObject` by `managedObjectClassName` or entity name. Only these are ever
  ///   instantiated; an entity without one has plain managed objects.
  /// - Throws: `StoreError.failure` when the store has another model instance, `ModelError` when a regular expression
  ///   of the model is invalid.
  public init(model: ManagedObjectModel, store: any PersistentStore, classes: [String: ManagedObject.Type] = [:]) throws
  {
    guard store.model === model else {
      throw StoreError.failure("the store was opened with another model than the container's")
    }
    self.model = model
    self.store = store
    runtimes = try ModelLayout(model).layouts.map { try EntityRuntime($0, classes: classes) }
  }

  func runtime(_ entity: Entity) -> EntityRuntime { runtimes[entity.index] }

  /// Permanent ids for new objects, by entity in the given order: keys follow that order within each root entity.
  func permanentIDs(for entities: [Entity]) throws -> [ObjectID] {
    var counts: [Int: Int] = [:]
    for entity in entities { counts[entity.root.index, default: 0] += 1 }
    var nextKeys: [Int: Int64] = [:]
    for (root, count) in counts.sorted(by: { $0.key < $1.key }) {
      nextKeys[root] = try store.reservePrimaryKeys(count, for: Entity(root, of: model))
    }
    return entities.map { entity in
      let root = entity.root.index
      let key = nextKeys[root, default: 1]
      nextKeys[root] = key + 1
      return ObjectID(entity: entity, reference: .permanent(store: store.identifier, primaryKey: key))
    }
  }
}

extension Entity {
  fileprivate init(_ index: Int, of model: ManagedObjectModel) {
    self = model.entities[index]
  }
}
