public import ObjectModel
import Synchronization

/// Which coordinators have a class, so that `Recipe.entity()` can be asked of the class alone.
enum ClassRegistry {
  private struct Entry {
    weak var coordinator: PersistentStoreCoordinator?
  }
  private static let coordinators = Mutex<[ObjectIdentifier: [Entry]]>([:])
  private static let all = Mutex<[Entry]>([])

  static func note(_ coordinator: PersistentStoreCoordinator) {
    all.withLock { entries in
      entries.removeAll { $0.coordinator == nil }
      entries.append(Entry(coordinator: coordinator))
    }
  }

  static func note(_ objectClass: ManagedObject.Type, of coordinator: PersistentStoreCoordinator) {
    coordinators.withLock { known in
      var entries = known[ObjectIdentifier(objectClass), default: []].filter { $0.coordinator != nil }
      if !entries.contains(where: { $0.coordinator === coordinator }) {
        entries.append(Entry(coordinator: coordinator))
      }
      known[ObjectIdentifier(objectClass)] = entries
    }
  }

  /// The entities of a class in all models that are in use; of one that no coordinator has yet, those of its name.
  static func entities(of objectClass: ManagedObject.Type) -> [Entity] {
    let entries = coordinators.withLock { $0[ObjectIdentifier(objectClass)] ?? [] }
    let known = entries.compactMap { $0.coordinator?.entity(of: objectClass) }
    if !known.isEmpty { return known }
    return all.withLock { $0 }.compactMap { $0.coordinator?.entity(namedAs: objectClass) }
  }
}

extension ManagedObject {
  /// The entity of the class: in the model of the context inside whose `perform` this is called, otherwise in the model
  /// whose container has the class, or an entity of its name. Where there is none, or containers with different models
  /// have it, it is a mistake of the program: ask the model, or a context.
  @_disfavoredOverload public class func entity() -> Entity {
    if let context = ManagedObjectContext.current, context.confinement.isHeldByCurrentThread,
      let entity = context.coordinator.entity(of: self)
    {
      return entity
    }
    let entities = ClassRegistry.entities(of: self)
    guard let first = entities.first, entities.allSatisfy({ $0.model == first.model }) else {
      preconditionFailure(
        entities.isEmpty
          ? "no container has an entity of the class \(self)" : "containers of different models have the class \(self)")
    }
    return first
  }
}
