public import Diagnostics
public import Foundation
public import ObjectModel
public import StoreInterface
import Synchronization

/// Stands between contexts and stores: has the model's classes and rules, finds the stores that hold an entity, and
/// hands out permanent ids.
public final class PersistentStoreCoordinator: Sendable {
  /// The model of the stores and of every object of their contexts.
  public let managedObjectModel: ManagedObjectModel
  package var model: ManagedObjectModel { managedObjectModel }
  private let runtimes: [EntityRuntime]
  /// Kept, so that programs find the same descriptions each time they ask.
  private let entityDescriptions: [EntityDescription]
  let router: StoreRouter
  /// Rows that contexts read or saved last.
  let snapshotCache = SnapshotCache()
  private let migrator = Mutex<(any StoreMigrating)?>(nil)
  /// For the program's own work in several steps; see `performAndWait(_:)`.
  let confinement = QueueConfinement(label: "seedbed.coordinator")
  /// Taken while several stores are written to together, or read together as they are at one moment.
  let severalStores = NSLock()
  /// What contexts asked of the stores. It begins with nothing, and adds to `PerformanceCounters.process`.
  public let counters = PerformanceCounters()
  /// What its stores did since they were opened, as far as they count it (`StoreCounting`): SQLite stores do. Stores
  /// that were taken away are not among them.
  public var storeWork: StoreCounts {
    persistentStores.compactMap { $0 as? any StoreCounting }.reduce(StoreCounts()) { $0 + $1.work }
  }
  /// The contexts that merge saves of other contexts.
  let followers = ContextFollowers()
  /// Why no store can be added: something is wrong with the model.
  private let obstacle = Mutex<(any Error)?>(nil)
  /// What went wrong where nothing could be thrown: the next save throws it.
  private let saveObstacle = Mutex<(any Error)?>(nil)
  private let ownName = Mutex<String?>(nil)
  /// A name for the program's own use.
  public var name: String? {
    get { ownName.withLock { $0 } }
    set { ownName.withLock { $0 = newValue } }
  }

  /// A coordinator without stores. Classes are subclasses of `ManagedObject` by `managedObjectClassName` or entity
  /// name. One that is not listed is found by the name that the model has with its module (`App.Recipe`). Otherwise it
  /// is taken when the program first uses it (`Recipe(context:)`, `FetchRequest<Recipe>`) for the entity of its name,
  /// unless that has objects then, and the others that the model names are taken from its module; a generated class
  /// brings those of its model along. An entity without a class has plain managed objects. Where a regular expression
  /// of the model is invalid, adding a store throws that.
  public init(managedObjectModel model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:]) {
    managedObjectModel = model
    router = StoreRouter(model: model)
    _ = model.definitions
    entityDescriptions = model.entityDescriptions
    var problems: [ModelError.Problem] = []
    runtimes = ModelLayout(model).layouts.map { EntityRuntime($0, classes: classes, problems: &problems) }
    hasInverselessRelationships = runtimes.contains { $0.layout.inverses.contains { $0 == nil } }
    hasLimitedLists = runtimes.contains { $0.hasCountLimit.contains(true) }
    if !problems.isEmpty { refuseStores(ModelError(problems)) }
    for runtime in runtimes where runtime.objectClass != ManagedObject.self {
      ClassRegistry.note(runtime.objectClass, of: self)
    }
    ClassRegistry.note(self)
  }

  /// A coordinator with one store for all entities.
  /// - Throws: `StoreError.failure` when the store has another model instance, `ModelError` when a regular expression
  ///   or rule of the model is invalid.
  public convenience init(
    managedObjectModel model: ManagedObjectModel, store: any PersistentStore,
    classes: [String: ManagedObject.Type] = [:]
  ) throws {
    self.init(managedObjectModel: model, classes: classes)
    try add(store)
  }

  // MARK: - Stores

  /// Has adding a store fail from now on.
  package func refuseStores(_ error: any Error) { obstacle.withLock { $0 = error } }

  /// Has the next save fail.
  func refuseNextSave(_ error: any Error) { saveObstacle.withLock { $0 = error } }

  func requireNoSaveObstacle() throws {
    let error = saveObstacle.withLock { obstacle in
      defer { obstacle = nil }
      return obstacle
    }
    if let error { throw error }
  }

  private func requireNoObstacle() throws {
    if let error = obstacle.withLock({ $0 }) { throw error }
  }

  /// The stores, in the order in which they were added.
  public var persistentStores: [any PersistentStore] { router.attachedStores.map(\.store) }

  /// What contexts read from and write to: the store itself while there is one for all entities, otherwise all of
  /// them as one.
  public var store: any PersistentStore { router.storeForAll }

  /// What answers a request: only some stores where it names them.
  func store(for request: FetchSpecification) -> any PersistentStore {
    request.affectedStores == nil ? router.storeForAll : router
  }

  /// Opens the store of a description and adds it.
  /// - Throws: what the store's type throws, what a migration throws that it needs, and what `add` throws: for an
  ///   unknown configuration and mistakes of the model before the store's file is made.
  @discardableResult
  public func addPersistentStore(with description: PersistentStoreDescription) throws -> any PersistentStore {
    // Before the file is made.
    try requireNoObstacle()
    _ = try router.entities(inConfiguration: description.configuration)
    let store = try load(description)
    try add(
      store, configuration: description.configuration, url: description.url, isReadOnly: description.isReadOnly,
      postsRemoteChanges: description.postsRemoteChanges, options: description.optionValues)
    return store
  }

  func add(
    _ store: any PersistentStore, configuration: String?, url: URL?, isReadOnly: Bool, postsRemoteChanges: Bool,
    options: [String: Value]? = nil
  ) throws {
    try requireNoObstacle()
    let observation = postsRemoteChanges ? try observeRemoteChanges(of: store, url: url) : nil
    let entry = try router.entry(
      for: store, configuration: configuration, url: url, isReadOnly: isReadOnly, options: options,
      observation: observation)
    post(Self.storesWillChangeNotification, PersistentStoreChanges(addedStores: [store]))
    try router.add(entry)
    StoreRegistry.note(store, of: self)
    post(Self.storesDidChangeNotification, PersistentStoreChanges(addedStores: [store]))
  }

  /// Opens a store, and brings it to the model first when it was made with another and may be migrated.
  private func load(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    do {
      return try description.type.load(description, model: model)
    } catch let error as StoreError {
      guard case .incompatibleModel = error, description.shouldMigrateStoreAutomatically, !description.isReadOnly,
        let migrator = description.migrator ?? storeMigrator
      else { throw error }
      try migrator.migrateStore(description, to: model)
      return try description.type.load(description, model: model)
    }
  }

  /// What brings stores that were made with another model to this one when they are added, unless their descriptions
  /// have a migrator of their own or say that they are not to be migrated; nil for none.
  public var storeMigrator: (any StoreMigrating)? {
    get { migrator.withLock { $0 } }
    set { migrator.withLock { $0 = newValue } }
  }

  /// Adds a store that is open already.
  ///
  /// New objects of an entity go to the first store whose configuration has it and that can be written. Fetches ask
  /// every store that has it. The store holds the entities of a configuration of the model; nil for all of them.
  /// - Parameters:
  ///   - store: an open store, of the coordinator's model.
  ///   - configuration: the name of a configuration of the model.
  ///   - postsRemoteChanges: whether `remoteChangeNotification` is posted after every write to the store.
  /// - Throws: `StoreError.failure` for an unknown configuration, a store of another model instance, or a store that
  ///   is there already; `.unsupported` for a store that cannot be observed. `ModelError` when a regular expression or
  ///   rule of the model is invalid.
  public func add(
    _ store: any PersistentStore, configuration: String? = nil, postsRemoteChanges: Bool = false
  ) throws {
    try add(
      store, configuration: configuration, url: nil, isReadOnly: false, postsRemoteChanges: postsRemoteChanges)
  }

  /// Takes a store away and closes it, also one that the program opened itself and gave to `add`, so that its file can
  /// be destroyed or replaced. Objects of it that contexts still have cannot be loaded or saved any more.
  /// - Throws: `StoreError.failure` when it does not belong to the coordinator; what closing it throws, when it has
  ///   been taken away all the same.
  public func remove(_ store: any PersistentStore) throws {
    try router.require(store)
    let changes = PersistentStoreChanges(removedStores: [store])
    post(Self.storesWillChangeNotification, changes)
    let entry = try router.remove(store)
    StoreRegistry.forget(store)
    entry.observation?.cancel()
    snapshotCache.forgetAll()
    defer { post(Self.storesDidChangeNotification, changes) }
    try store.close()
  }

  /// The store with that identifier.
  public func persistentStore(identifier: String) -> (any PersistentStore)? {
    router.attachedStores.first { $0.identifier == identifier }?.store
  }

  /// The store whose file is there.
  public func persistentStore(for url: URL) -> (any PersistentStore)? {
    persistentStores.first { file(of: $0)?.standardizedFileURL == url.standardizedFileURL }
  }

  /// The name of the configuration that a store holds; nil where none was named.
  func configuration(of store: any PersistentStore) -> String? {
    router.attachedStores.first { $0.store === store }?.configuration
  }

  /// What a store was added with; nil where the program opened it.
  func options(of store: any PersistentStore) -> [String: Value]? {
    router.attachedStores.first { $0.store === store }?.options
  }

  /// Where a store has its file; for one without a file a URL that leads to none, `memory:` and its identifier. Its own
  /// `url` is nil then.
  public func url(for store: any PersistentStore) -> URL {
    guard let url = file(of: store) ?? URL(string: "memory:" + store.identifier) else {
      preconditionFailure("an identifier that cannot stand in a URL: \(store.identifier)")
    }
    return url
  }

  /// Where a store has its file; nil when it has none.
  func file(of store: any PersistentStore) -> URL? {
    store.url ?? router.attachedStores.first { $0.store === store }?.url
  }

  /// Removes a store with everything that belongs to it. One that is not there is no error.
  /// - Throws: `StoreError.busy` when it is in use.
  public static func destroyPersistentStore(at url: URL, type: some PersistentStoreType) throws {
    try type.destroy(at: url)
  }

  /// Puts a copy of the store at `source` in the place of the one at `url`, sidecars included, under the store's own
  /// locks; when there is none at `url`, the copy is made there.
  /// - Throws: `StoreError.missing` when there is no source, `.busy` when the destination is in use.
  public static func replacePersistentStore(
    at url: URL, withPersistentStoreFrom source: URL, type: some PersistentStoreType
  ) throws {
    try type.replace(at: url, with: source)
  }

  /// - Throws: `StoreError.unsupported` when the request changes a read-only store.
  func requireWritable(_ request: SaveRequest) throws { try router.requireWritable(request) }

  // MARK: - Objects

  func runtime(_ entity: Entity) -> EntityRuntime { runtimes[entity.index] }

  /// The entity whose objects are of a class; where none was stated for the entity of its name, the class is taken for
  /// that. Nil for the class of none, and of several that do not descend from one of them.
  func entity(of objectClass: ManagedObject.Type) -> Entity? {
    if let named = runtimes.first(where: { $0.objectClass == objectClass && $0.isNamed(objectClass) }) {
      return named.entity
    }
    let candidates = runtimes.filter { $0.objectClass == objectClass }.map(\.entity)
    if candidates.isEmpty { return adopt(objectClass) }
    return candidates.first { top in candidates.allSatisfy { $0.isKind(of: top) } }
  }

  /// The entity that has the name of a class which is of none yet; nil where there are several.
  func entity(namedAs objectClass: ManagedObject.Type) -> Entity? {
    let named = runtimes.filter { $0.objectClass == ManagedObject.self && $0.isNamed(objectClass) }
    return named.count == 1 ? named[0].entity : nil
  }

  /// Assigns a class to the entity of its name when the program first uses the class. Assigns the other classes of its
  /// model, too: those it lists (`ClassListing`), or those that the model names in the same module.
  /// - Returns: the entity; nil where there is none, or it has objects or a class already.
  private func adopt(_ objectClass: ManagedObject.Type) -> Entity? {
    let named = runtimes.filter { $0.isNamed(objectClass) }
    guard objectClass != ManagedObject.self, named.count == 1, let first = named.first else { return nil }
    first.choose(objectClass)
    guard first.objectClass == objectClass else { return nil }
    let listed = (objectClass as? any ClassListing.Type)?.modelClasses ?? [:]
    let fullName = String(reflecting: objectClass)
    let module = fullName.lastIndex(of: ".").map { fullName[..<$0] }
    for runtime in runtimes {
      let description = runtime.entity.definition
      let known = description.managedObjectClassName.flatMap { listed[$0] } ?? listed[description.name]
      if let known { runtime.choose(known) }
      if let module { runtime.chooseNamedClass(inModule: module) }
      if runtime.objectClass != ManagedObject.self { ClassRegistry.note(runtime.objectClass, of: self) }
    }
    return first.entity
  }

  /// Whether the number of members of some to-many relationship is limited.
  let hasLimitedLists: Bool
  /// Whether some relationship has no inverse.
  let hasInverselessRelationships: Bool

  /// Permanent ids for new objects, by entity in the given order: keys follow that order within each root entity of
  /// each store.
  /// - Parameter stores: the identifiers of the stores that objects were assigned to; nil, or an entry that is nil,
  ///   takes the first store that holds the entity and can be written.
  func permanentIDs(for entities: [Entity], stores: [String?]? = nil) throws -> [ObjectID] {
    struct Place: Hashable {
      var store: Int
      var root: Int
    }
    let attached = router.attachedStores
    // Objects of one entity mostly come one after the other.
    var runs: [(entity: Entity, place: Place, count: Int)] = []
    for position in entities.indices {
      if position > 0, entities[position] == entities[position - 1], stores?[position] == stores?[position - 1] {
        runs[runs.count - 1].count += 1
        continue
      }
      let entity = entities[position]
      let store = try StoreRouter.position(for: entity, assigned: stores?[position], among: attached)
      runs.append((entity, Place(store: store, root: entity.root.index), 1))
    }
    var counts: [Place: Int] = [:]
    for run in runs { counts[run.place, default: 0] += run.count }
    var nextKeys: [Place: Int64] = [:]
    for (place, count) in counts.sorted(by: { ($0.key.store, $0.key.root) < ($1.key.store, $1.key.root) }) {
      nextKeys[place] = try attached[place.store].store.reservePrimaryKeys(count, for: model.entities[place.root])
    }
    var ids: [ObjectID] = []
    ids.reserveCapacity(entities.count)
    for run in runs {
      let first = nextKeys[run.place, default: 1]
      let space = attached[run.place.store].idSpaces[run.entity.index]
      for key in first..<first + Int64(run.count) { ids.append(ObjectID(space: space, primaryKey: key)) }
      nextKeys[run.place] = first + Int64(run.count)
    }
    return ids
  }
}
