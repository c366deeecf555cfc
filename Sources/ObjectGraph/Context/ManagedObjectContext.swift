import Foundation
public import ObjectModel
import StoreInterface
import Synchronization

/// A scratch pad of objects with a queue: what is changed here reaches the store, or the parent context, with `save`.
///
/// Everything but `perform`, `performAndWait` and what is said to be callable from anywhere is to be called inside
/// these two, and so are all members of the objects; that is what makes the unchecked `Sendable` sound. For a context
/// of the main queue, code of the main actor is inside too. Debug builds trap when it is not so, release builds when
/// `SEEDBED_CONCURRENCY_DEBUG=1` is in the environment. Before its first work, a context may be set up anywhere.
///
/// Objects that have changes are kept alive by the context, others only by the program.
///
/// **Events.** Changes are collected until they are *processed*: at the end of every `perform` and outermost
/// `performAndWait`, by a save, and by `processPendingChanges`; those that code of the main actor makes outside of all
/// these, in the main queue's next turn. Then deletions are propagated by the delete rules, the undo manager learns of
/// the changes as one group, and `didChangeObjectsNotification` is posted.
///
/// **Children.** A context with a parent reads the parent's objects with their pending changes, and its save changes
/// the parent's objects, one level up; only the save of the topmost context writes to the store and makes temporary ids
/// permanent. Dropping a child discards its changes. Children keep their parent alive.
public final class ManagedObjectContext: CustomStringConvertible, @unchecked Sendable {
  /// Which queue a context works on.
  public enum ConcurrencyType: Sendable, Hashable {
    /// A serial queue of its own.
    case privateQueue
    /// The context works on the main queue.
    case mainQueue

    /// `privateQueue` under Core Data's older name.
    public static let privateQueueConcurrencyType = privateQueue
    /// `mainQueue` under Core Data's older name.
    public static let mainQueueConcurrencyType = mainQueue
  }

  private let ownName: Mutex<String?>
  /// Which queue the context works on.
  public let concurrencyType: ConcurrencyType
  private var attachedCoordinator: PersistentStoreCoordinator?
  private var attachedParent: ManagedObjectContext?
  let confinement: QueueConfinement
  /// How many `perform` and `performAndWait` of this context the current work is inside.
  private(set) var eventDepth = 0
  /// How many events with changes were processed.
  var eventCount = 0
  /// The objects that were prefetched last, held until the next prefetching or the end of the event.
  private var prefetched: [ManagedObject] = []
  /// Objects of the parent context that are kept alive, until the end of the event, for objects of this context that
  /// are not made yet.
  var retainedParents: [ObjectID: ManagedObject] = [:]

  /// The generation that the context reads; nil for the newest rows. Children read it without this context's queue.
  let pinned = Mutex<QueryGenerationToken?>(nil)
  /// Whether loads read the newest rows in spite of the generation.
  var readsNewest = false

  /// What the program keeps with the context.
  public var userInfo: [AnyHashable: Any] = [:]
  /// The public settings of the same names, for code that is inside the queue.
  var settings = Settings()
  /// Whether some work of the context has begun. Until then it may be set up on any thread.
  private let hasBegun = Atomic(false)

  /// One object per id.
  let registry = ObjectTable()
  /// What the context has of each entity, by `Entity.index`.
  private var entityContexts: [EntityContext?] {
    _read { yield unsafe uncheckedEntityContexts }
    _modify { yield unsafe &uncheckedEntityContexts }
  }
  // Safety: only the context's queue comes here, and nothing that is done to the list calls anything. A check at run
  // time costs as much as the look.
  @exclusivity(unchecked) private var uncheckedEntityContexts: [EntityContext?] = []
  private var temporaryIDs = TemporaryIDs()

  /// What was changed since the last save.
  let pending = PendingChanges()
  /// Objects that have, or had, a loaded list of a to-many relationship without inverse.
  private(set) var inverselessOwners = InverselessOwners()
  /// Ids of objects that saves of this context, and those it merged, deleted: the latest, at most 65,536.
  private(set) var deletedIDs: Set<ObjectID> = []
  /// An error that came up where nothing can be thrown: the next fetch or save throws it.
  private(set) var deferredError: (any Error)?
  /// What changed objects were when the event began.
  var event = ContextEvent() {
    didSet { if concurrencyType == .mainQueue { processInNextTurn() } }
  }
  /// The event before, while its notification is being posted.
  var postedEvent: PostedEvent?
  /// Whether the main queue is going to process changes that were made outside of `perform`.
  var isNextTurnExpected = false
  let saves = SaveState()
  /// How many fetched snapshots were newer than their objects.
  private(set) var staleSnapshotCount = 0
  /// While they are collected, the newer snapshots by their ids; otherwise nil.
  private var newerSnapshots: [ObjectID: NewerSnapshot]?
  var isProcessing = false
  let merge = MergeState()

  /// Contexts whose parent this is and that merge what is saved here.
  let followers = ContextFollowers()
  /// Ids that became permanent here.
  let permanentIDs = PermanentIDs()
  /// How many of the ids that became permanent in each ancestor, from the parent upwards, this context has taken over.
  var seenIDChangeCounts: [Int] = []
  /// Counts the states that children were given (`ParentState`). The rows that children read have it as their version.
  private(set) var stateVersion: Int64 = 0
  /// The parent's `stateVersion` when it last answered.
  var versionOfLastAnswer: Int64 = 0
  /// Whether the current event is only a merge of another context's save.
  var isMergeEvent = false
  /// The questions to the parent that a fetch left out, because it must not wait for the parent.
  let deferredRequests = DeferredParentRequests()

  /// A context that is to be given its `persistentStoreCoordinator` or its `parent` before it is used.
  public init(concurrencyType: ConcurrencyType, name: String? = nil) {
    self.concurrencyType = concurrencyType
    ownName = Mutex(name)
    switch concurrencyType {
    case .privateQueue: confinement = QueueConfinement(label: "seedbed.context" + (name.map { "." + $0 } ?? ""))
    case .mainQueue: confinement = QueueConfinement.mainQueue()
    }
  }

  /// A context that is to be given its `persistentStoreCoordinator` or its `parent` before it is used.
  public convenience init(_ concurrencyType: ConcurrencyType) { self.init(concurrencyType: concurrencyType) }

  /// A context that reads from and saves to the coordinator's store.
  public convenience init(
    _ concurrencyType: ConcurrencyType = .privateQueue, coordinator: PersistentStoreCoordinator, name: String? = nil
  ) {
    self.init(concurrencyType: concurrencyType, name: name)
    attach(to: coordinator)
  }

  /// A scratch pad over another context's objects. May be called from anywhere.
  public convenience init(
    _ concurrencyType: ConcurrencyType = .privateQueue, parent: ManagedObjectContext, name: String? = nil
  ) {
    self.init(concurrencyType: concurrencyType, name: name)
    attach(to: parent)
  }

  // MARK: - Where it reads from

  /// What the context shares with the other contexts of its container. It is set once, before the context is used,
  /// unless the context was made with one. Implicitly unwrapped, as asking a context that has none is a mistake of the
  /// program.
  public var persistentStoreCoordinator: PersistentStoreCoordinator! {
    get { attachedCoordinator }
    set {
      if newValue === attachedCoordinator { return }
      guard let newValue else { preconditionFailure("a context cannot lose its coordinator") }
      attach(to: newValue)
    }
  }

  /// The context that this one reads from and saves to; nil when that is the store. It is set once, before the context
  /// is used, unless the context was made with one.
  public var parent: ManagedObjectContext? {
    get { attachedParent }
    set {
      if newValue === attachedParent { return }
      guard let newValue else { preconditionFailure("a context cannot lose its parent") }
      attach(to: newValue)
    }
  }

  package var coordinator: PersistentStoreCoordinator {
    guard let attachedCoordinator else {
      // Core Data raises an exception here too.
      preconditionFailure(
        "the context \"\(name ?? "")\" was used before its persistentStoreCoordinator or its parent was set")
    }
    return attachedCoordinator
  }

  private func attach(to coordinator: PersistentStoreCoordinator) {
    precondition(attachedCoordinator == nil, "the context \"\(name ?? "")\" has a coordinator already")
    attachedCoordinator = coordinator
    entityContexts = Array(repeating: nil, count: coordinator.model.definitions.count)
  }

  private func attach(to parent: ManagedObjectContext) {
    attach(to: parent.coordinator)
    attachedParent = parent
    var ancestor: ManagedObjectContext? = parent
    while let context = ancestor {
      seenIDChangeCounts.append(context.permanentIDs.keep())
      ancestor = context.parent
    }
  }

  /// The name that the program gave the context, for messages and the store's history; nil for none. May be used from
  /// anywhere.
  public var name: String? {
    get { ownName.withLock { $0 } }
    set { ownName.withLock { $0 = newValue } }
  }

  /// The class and the name.
  public var description: String {
    "<ManagedObjectContext: \(name.flatMap { $0.isEmpty ? nil : "\"\($0)\"" } ?? "without a name")>"
  }

  /// Runs work as part of an event, and processes changes when the outermost of such calls ends. They are counted
  /// because holding the queue does not tell: the main thread holds the main queue also outside all of them.
  func inEvent<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
    if eventDepth == 0 { hasBegun.store(true, ordering: .relaxed) }
    eventDepth += 1
    defer {
      // Changes of a hook or an observer are processed by the save, or the processing, that called it.
      if eventDepth == 1 && !saves.isUnderWay && !isProcessing { processPendingChanges() }
      if eventDepth == 1 {
        isMergeEvent = false
        registry.releaseUnused()
        prefetched = []
        retainedParents = [:]
      }
      eventDepth -= 1
    }
    return try work()
  }

  /// Keeps what was prefetched alive, instead of what was prefetched before.
  func keep(prefetched objects: [ManagedObject]) { prefetched = objects }

  /// The version of what is told to children now.
  func nextStateVersion() -> Int64 {
    stateVersion += 1
    return stateVersion
  }

  /// To be called by whatever reads or writes a setting.
  func checkSettingUp() {
    if hasBegun.load(ordering: .relaxed) { checkConfinement() }
  }

  // MARK: - Objects

  /// Whether a save would write anything.
  public var hasChanges: Bool {
    checkConfinement()
    return pending.isSaveNeeded
  }
  /// New objects.
  public var insertedObjects: Set<ManagedObject> {
    checkConfinement()
    return Set(pending.inserted.lazy.filter(\.isInserted))
  }
  /// Persisted objects whose values differ from the store's, owners of to-many relationships that have other members
  /// included; those are loaded for it.
  public var updatedObjects: Set<ManagedObject> {
    checkConfinement()
    noteOwners()
    return Set(pending.maybeUpdated.lazy.filter(\.isUpdated))
  }
  /// Objects that the next save deletes.
  public var deletedObjects: Set<ManagedObject> {
    checkConfinement()
    return Set(pending.deleted)
  }
  func entityContext(_ entityIndex: Int) -> EntityContext {
    if let known = entityContexts[entityIndex] { return known }
    let new = EntityContext(coordinator.runtime(coordinator.model.entities[entityIndex]), self)
    entityContexts[entityIndex] = new
    return new
  }

  deinit { for entityContext in entityContexts { entityContext?.noteContextGone() } }

  /// Whether an object with that id may be here that has the list of a to-many relationship. Most ids that objects
  /// refer to have none, and need not be looked for.
  func mayHaveLists(_ id: ObjectID) -> Bool { entityContexts[id.space.entityIndex]?.hasLists ?? false }

  /// Makes a new object with the entity's defaults. The entity must belong to the container's model and not be
  /// abstract.
  @discardableResult public func insert(_ entity: Entity) -> ManagedObject {
    checkConfinement()
    let entityContext = insertable(entity)
    let object = makeInserted(entityContext, temporaryIDs.next(in: entityContext.temporaryIDs))
    object.awakeFromInsert()
    return object
  }

  private func insertable(_ entity: Entity) -> EntityContext {
    // Both are mistakes of the program; Core Data raises exceptions.
    precondition(entity.model === coordinator.model, "\(entity.name) belongs to another model than the container's")
    let entityContext = entityContext(entity.index)
    precondition(!entityContext.runtime.isAbstract, "\(entity.name) is abstract; it has no objects")
    return entityContext
  }

  func makeInserted(_ entityContext: EntityContext, _ id: ObjectID) -> ManagedObject {
    let object = entityContext.runtime.classOfNewObject().init(
      ManagedObject.Registration(entityContext: entityContext, objectID: id, isInserted: true))
    if id.isTemporary {
      if eventDepth > 0 { registry.insertHolding(object, id) } else { registry.insertNew(object, id, isStrong: false) }
    } else {
      object.reserve(id)
      register(object)
    }
    pending.insert(object)
    noteInsertion(of: object)
    return object
  }

  /// Remembers what a save deleted, so that a relationship that is made to lead there is found out.
  func noteDeletion(of ids: [ObjectID]) {
    let greatestCount = 65_536
    if deletedIDs.count + ids.count > greatestCount { deletedIDs = [] }
    deletedIDs.formUnion(ids.suffix(greatestCount))
  }

  /// Remembers an object that has a loaded list of a to-many relationship without inverse.
  func noteInverselessOwner(_ object: ManagedObject) { inverselessOwners.insert(object) }

  /// Puts a new object of a subclass, which its initialiser made, into the context.
  func adopt(_ object: ManagedObject) {
    registry.insertNew(object, object.objectID, isStrong: eventDepth > 0)
    pending.insert(object)
    noteInsertion(of: object)
    object.awakeFromInsert()
  }

  /// What makes a new object of an entity, which must belong to the container's model and not be abstract.
  func registration(of entity: Entity, as objectClass: ManagedObject.Type) -> ManagedObject.Registration {
    checkConfinement()
    let entityContext = insertable(entity)
    let known = entityContext.runtime.classOfNewObject()
    precondition(known == objectClass, "\(entity.name) has the class \(known), not \(objectClass)")
    return ManagedObject.Registration(
      entityContext: entityContext, objectID: temporaryIDs.next(in: entityContext.temporaryIDs), isInserted: true)
  }

  /// Keeps an error that came up where nothing can be thrown: the next fetch or save throws it.
  func deferError(_ error: any Error) { deferredError = error }

  /// Forgets the error, where the next request to the store meets it again.
  func forgetDeferredError() { deferredError = nil }

  /// A snapshot was fetched that is newer than its object.
  func noteStale(_ id: ObjectID, _ block: SnapshotBlock, _ row: Int) {
    staleSnapshotCount += 1
    newerSnapshots?[id] = NewerSnapshot(block: block, row: row)
  }

  /// Fetches, and collects the rows that are newer than their objects.
  func collectingNewerSnapshots<Result>(_ fetch: () throws -> Result) rethrows -> (Result, [ObjectID: NewerSnapshot]) {
    newerSnapshots = [:]
    defer { newerSnapshots = nil }
    return (try fetch(), newerSnapshots ?? [:])
  }

  func forgetRegistry() {
    for object in registry.all { object.makeInert(.detached) }
    inverselessOwners = InverselessOwners()
    registry.removeAll()
  }
}
