public import ObjectModel
public import StoreInterface
import Synchronization

/// Which coordinator has a store, so that the store can be asked.
enum StoreRegistry {
  private struct Entry {
    weak var coordinator: PersistentStoreCoordinator?
  }
  /// In the order in which the stores were added.
  private static let entries = Mutex<[(store: ObjectIdentifier, entry: Entry)]>([])

  static func note(_ store: any PersistentStore, of coordinator: PersistentStoreCoordinator) {
    entries.withLock { entries in
      entries.removeAll { $0.entry.coordinator == nil || $0.store == ObjectIdentifier(store) }
      entries.append((ObjectIdentifier(store), Entry(coordinator: coordinator)))
    }
  }

  static func forget(_ store: any PersistentStore) {
    entries.withLock { entries in entries.removeAll { $0.store == ObjectIdentifier(store) } }
  }

  static func coordinator(of store: any PersistentStore) -> PersistentStoreCoordinator? {
    entries.withLock { entries in entries.first { $0.store == ObjectIdentifier(store) }?.entry.coordinator }
  }

  /// The coordinators of a model that have stores; first that of the context inside whose `perform` this is called.
  static func coordinators(of model: ManagedObjectModel) -> [PersistentStoreCoordinator] {
    let all = entries.withLock { $0.compactMap(\.entry.coordinator) }
    return ([ManagedObjectContext.current?.coordinator].compactMap(\.self) + all).filter { $0.model === model }
  }
}

/// What Core Data's stores say of themselves, and coordinators have here.
extension PersistentStore {
  /// The coordinator that the store was added to and not taken from.
  public var persistentStoreCoordinator: PersistentStoreCoordinator? { StoreRegistry.coordinator(of: self) }

  /// What the store says of itself, as `PersistentStoreCoordinator.metadata(for:)` gives it. To set it is
  /// `setMetadata(_:for:)`, which a coordinator does.
  public var metadata: [String: Any]! {
    get { PersistentStoreCoordinator.metadata(of: self) }
    set {
      guard let coordinator = persistentStoreCoordinator else {
        preconditionFailure("the store \(identifier) belongs to no coordinator, which would write its metadata")
      }
      coordinator.setMetadata(newValue, for: self)
    }
  }

  /// The name of the configuration that says which entities the store holds; Core Data's name for all of them,
  /// `PF_DEFAULT_CONFIGURATION_NAME`, where none was named.
  public var configurationName: String {
    persistentStoreCoordinator?.configuration(of: self) ?? ManagedObjectModel.defaultConfigurationName
  }
}

extension PersistentStore {
  /// What the store was added with, by the keys of options: those of the description that say something else than a new
  /// one does, whether it may be migrated and by an inferred mapping, and options of the store's type. Nil of a store
  /// that the program opened itself, or that belongs to no coordinator. Types of stores that have options of their own
  /// under this name, such as `SQLiteStore`, give those where they are known as such: `any PersistentStore` gives
  /// these.
  public var options: [AnyHashable: Any]? {
    persistentStoreCoordinator?.options(of: self)?.compactMapValues(\.anyValue)
  }
}

extension ObjectID {
  /// The store that has the object, while a coordinator of the model has the store: that of the context inside whose
  /// `perform` this is asked, otherwise the first that opened it. Nil of a temporary id.
  public var persistentStore: (any PersistentStore)? {
    guard let identifier = space.store else { return nil }
    return StoreRegistry.coordinators(of: space.entity.model).lazy
      .compactMap { $0.persistentStore(identifier: identifier) }.first
  }
}
