public import Foundation
public import ObjectModel
public import StoreInterface
import Synchronization

/// A model, its stores, and the contexts that work on them.
///
/// Make it, set `persistentStoreDescriptions`, call `loadPersistentStores`, then use `viewContext` on the main queue
/// and background contexts elsewhere. A fetch before the stores are loaded throws.
open class PersistentContainer: @unchecked Sendable {
  /// Names the default store's file.
  public let name: String
  /// What all contexts of the container share.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The model of every object.
  public var managedObjectModel: ManagedObjectModel { persistentStoreCoordinator.model }

  /// The context of the main queue. It does not follow saves of other contexts until
  /// `automaticallyMergesChangesFromParent` is set.
  open var viewContext: ManagedObjectContext { mainContext }
  private let mainContext: ManagedObjectContext

  private struct State {
    var descriptions: [PersistentStoreDescription] = []
  }
  private let state = Mutex(State())

  /// A container whose stores are still to be loaded. Classes are subclasses of `ManagedObject` by
  /// `managedObjectClassName` or entity name. The module `Seedbed` has initialisers that describe `<name>.sqlite` in
  /// `defaultDirectoryURL` by themselves.
  public init(
    name: String, managedObjectModel: ManagedObjectModel, persistentStoreDescriptions: [PersistentStoreDescription],
    classes: [String: ManagedObject.Type] = [:]
  ) {
    self.name = name
    persistentStoreCoordinator = PersistentStoreCoordinator(managedObjectModel: managedObjectModel, classes: classes)
    mainContext = ManagedObjectContext(.mainQueue, coordinator: persistentStoreCoordinator)
    self.persistentStoreDescriptions = persistentStoreDescriptions
  }

  /// A container with one store that is open already. Classes are subclasses of `ManagedObject` by
  /// `managedObjectClassName` or entity name.
  /// - Throws: `StoreError.failure` when the store has another model instance, `ModelError` when a regular expression
  ///   of the model is invalid.
  public convenience init(
    name: String, model: ManagedObjectModel, store: any PersistentStore, classes: [String: ManagedObject.Type] = [:]
  ) throws {
    self.init(name: name, managedObjectModel: model, persistentStoreDescriptions: [], classes: classes)
    try persistentStoreCoordinator.add(store)
  }

  /// Where stores go that are given no folder: the user's application support folder. Subclasses override it.
  open class func defaultDirectoryURL() -> URL {
    FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? FileManager.default.homeDirectoryForCurrentUser
  }

  /// Where a model is looked for by name before the main bundle: the bundle of the class. A subclass whose model is a
  /// resource of a Swift package says `.module`.
  open class var modelBundle: Bundle { Bundle(for: self) }

  // MARK: - Stores

  /// The stores that `loadPersistentStores` opens, in this order.
  open var persistentStoreDescriptions: [PersistentStoreDescription] {
    get { state.withLock { $0.descriptions } }
    set { state.withLock { $0.descriptions = newValue } }
  }

  /// Opens every store that is described, and calls back once for each, with the error when it could not be opened.
  /// When the container has no store and none is described, that is the one error called back with. Descriptions that
  /// are to be loaded asynchronously come last and call back later, one after the other on a thread of the system's: a
  /// handler for them must not use what belongs to an actor.
  open func loadPersistentStores(
    completionHandler: @escaping (PersistentStoreDescription, (any Error)?) -> Void
  ) {
    let descriptions = descriptionsToLoad
    for description in descriptions where !description.shouldAddStoreAsynchronously {
      load(description, completionHandler)
    }
    let later = descriptions.filter(\.shouldAddStoreAsynchronously)
    if later.isEmpty { return }
    // Safety: it is called by one thread at a time, after the calls above. That another thread calls it, the
    // description asked for, as in Core Data.
    nonisolated(unsafe) let completion = completionHandler
    DispatchQueue.global().async {
      for description in later { unsafe self.load(description, completion) }
    }
  }

  /// Opens every store that is described, one after the other.
  /// - Throws: the error of the first that could not be opened; those before it are open then. `StoreError.failure`
  ///   when the container has no store and none is described; `ModelError` when the container found no model, or one
  ///   with mistakes.
  public func loadPersistentStores() throws {
    for description in descriptionsToLoad {
      try persistentStoreCoordinator.addPersistentStore(with: description)
    }
  }

  private var descriptionsToLoad: [PersistentStoreDescription] {
    let descriptions = persistentStoreDescriptions
    if !descriptions.isEmpty || !persistentStoreCoordinator.persistentStores.isEmpty { return descriptions }
    return [PersistentStoreDescription(type: UndescribedStoreType(containerName: name))]
  }

  private func load(
    _ description: PersistentStoreDescription, _ completion: (PersistentStoreDescription, (any Error)?) -> Void
  ) {
    do {
      try persistentStoreCoordinator.addPersistentStore(with: description)
      completion(description, nil)
    } catch {
      completion(description, error)
    }
  }

  // MARK: - Contexts

  /// A context with a serial queue of its own. `performBackgroundTask` asks for one, too.
  open func newBackgroundContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator: persistentStoreCoordinator)
  }

  /// A context with a serial queue of its own and a name.
  public func newBackgroundContext(name: String) -> ManagedObjectContext {
    ManagedObjectContext(coordinator: persistentStoreCoordinator, name: name)
  }

  /// Runs work on the queue of a new context.
  public func performBackgroundTask<Result, Failure: Error>(
    _ work: sending @escaping (ManagedObjectContext) throws(Failure) -> sending Result
  ) async throws(Failure) -> sending Result {
    let context = newBackgroundContext()
    return try await context.perform { () throws(Failure) -> Result in try work(context) }
  }

  /// Runs work on the queue of a new context, some time from now. Returns at once.
  open func performBackgroundTask(_ work: sending @escaping (ManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { work(context) }
  }
}

/// Stands for the missing description of a container without stores: loading it throws.
private struct UndescribedStoreType: PersistentStoreType {
  let containerName: String

  var name: String { "None" }

  private var error: StoreError {
    .failure(
      "the container \"\(containerName)\" has no store and describes none: set persistentStoreDescriptions before loading, or "
        + "make it with Seedbed's PersistentContainer(name:managedObjectModel:), which describes \(containerName).sqlite"
    )
  }

  func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
    throw error
  }
  func destroy(at url: URL) throws { throw error }
  func replace(at url: URL, with source: URL) throws { throw error }
}
