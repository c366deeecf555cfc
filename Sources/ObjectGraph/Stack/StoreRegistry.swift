public import ObjectModel
public import StoreInterface
import Synchronization

/// Which coordinator has a store, so that the store can be asked.
enum StoreRegistry {
  private struct Entry {
    weak var coordinator: PersistentStoreCoordinator?
  }
  private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  static func note(_ store: any PersistentStore, of coordinator: PersistentStoreCoordinator) {
    entries.withLock { entries in
      entries = entries.filter { $0.value.coordinator != nil }
      entries[ObjectIdentifier(store)] = Entry(coordinator: coordinator)
    }
  }

  static func forget(_ store: any PersistentStore) { entries.withLock { $0[ObjectIdentifier(store)] = nil } }

  static func coordinator(of store: any PersistentStore) -> PersistentStoreCoordinator? {
    entries.withLock { $0[ObjectIdentifier(store)]?.coordinator }
  }

  /// The coordinators of a model that have stores.
  static func coordinators(of model: ManagedObjectModel) -> [PersistentStoreCoordinator] {
    entries.withLock { $0.values.compactMap(\.coordinator) }.filter { $0.model === model }
  }
}

/// What Core Data's stores say of themselves, and its coordinators know.
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
    persistentStoreCoordinator?.configuration(of: self) ?? "PF_DEFAULT_CONFIGURATION_NAME"
  }
}

extension ObjectID {
  /// The store that has the object, while a coordinator of the model has the store. Nil of a temporary id.
  public var persistentStore: (any PersistentStore)? {
    guard let identifier = space.store else { return nil }
    return StoreRegistry.coordinators(of: space.entity.model).lazy
      .compactMap { $0.persistentStore(identifier: identifier) }.first
  }
}
