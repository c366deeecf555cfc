public import ObjectModel
import Synchronization

/// Which coordinators know a class, so that `Recipe.entity()` can be asked of the class alone.
enum ClassRegistry {
  private struct Entry {
    weak var coordinator: PersistentStoreCoordinator?
  }
  private static let coordinators = Mutex<[ObjectIdentifier: [Entry]]>([:])

  static func note(_ objectClass: ManagedObject.Type, of coordinator: PersistentStoreCoordinator) {
    coordinators.withLock { known in
      var entries = known[ObjectIdentifier(objectClass), default: []].filter { $0.coordinator != nil }
      if !entries.contains(where: { $0.coordinator === coordinator }) {
        entries.append(Entry(coordinator: coordinator))
      }
      known[ObjectIdentifier(objectClass)] = entries
    }
  }

  /// The entities of a class in all models that are in use.
  static func entities(of objectClass: ManagedObject.Type) -> [Entity] {
    let entries = coordinators.withLock { $0[ObjectIdentifier(objectClass)] ?? [] }
    return entries.compactMap { $0.coordinator?.entity(of: objectClass) }
  }
}

extension ManagedObject {
  /// The entity of the class: in the model of the context inside whose `perform` this is called, otherwise in the one
  /// model whose container has the class. Where there is none, or containers with several models have it, it is a
  /// mistake of the program: ask the model, or a context.
  @_disfavoredOverload public class func entity() -> Entity {
    if let context = ManagedObjectContext.current, context.confinement.isHeldByCurrentThread,
      let entity = context.coordinator.entity(of: self)
    {
      return entity
    }
    let entities = ClassRegistry.entities(of: self)
    guard let first = entities.first, entities.allSatisfy({ $0.model === first.model }) else {
      preconditionFailure(
        entities.isEmpty
          ? "no container has an entity of the class \(self)" : "containers of several models have the class \(self)")
    }
    return first
  }
}
