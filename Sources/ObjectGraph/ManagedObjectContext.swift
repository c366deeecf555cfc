import Foundation
public import ObjectModel
import StoreInterface

/// A scratch pad of objects with a serial queue of its own: what is changed here reaches the store with `save`.
///
/// Everything but `perform` and `performAndWait` is to be called inside these two, and so are all members of the
/// objects; that is what makes the unchecked `Sendable` sound. Debug builds trap when it is not so, release builds when
/// `SEEDBED_CONCURRENCY_DEBUG=1` is in the environment.
///
/// Objects that have changes are kept alive by the context, others only by who uses them.
public final class ManagedObjectContext: @unchecked Sendable {
  /// For messages.
  public let name: String
  /// What the context shares with the other contexts of its container.
  public let coordinator: PersistentStoreCoordinator
  private let confinement: QueueConfinement

  /// One object per id.
  private var registry: [ObjectID: WeakObject] = [:]
  private var registrySweepCount = 1024
  private let temporaryIDBase = UUID()
  private var temporaryIDCount: UInt64 = 0

  /// New objects in the order of insertion.
  var inserted: [ManagedObject] = []
  /// Persisted objects that were changed at some time since the last save.
  var touched: [ManagedObject] = []
  /// Objects to be deleted, in order.
  var deleted: [ManagedObject] = []
  /// Objects with loaded member lists that were edited since the last save.
  var editedLists: [ManagedObject] = []
  /// Changes of to-many relationships that are not loaded.
  var deltas: [MemberKey: MemberDelta] = [:]
  /// An error that came up where nothing can be thrown: the next fetch or save throws it.
  var deferredError: (any Error)?

  /// A to-many relationship of an object, by position in the object's own entity.
  struct MemberKey: Hashable {
    var owner: ObjectID
    var relationship: Int
  }

  private struct WeakObject {
    weak var object: ManagedObject?
  }

  /// A context with a serial queue of its own.
  public init(coordinator: PersistentStoreCoordinator, name: String) {
    self.coordinator = coordinator
    self.name = name
    confinement = QueueConfinement(label: "seedbed.context." + name)
  }

  // MARK: Queue

  /// Runs work on the context's queue.
  public func perform<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
      confinement.async { continuation.resume(returning: Swift.Result(catching: work)) }
    }
    return try outcome.get()
  }

  /// Runs work on the context's queue and waits for it. May be called inside `perform` and inside itself.
  public func performAndWait<Result: Sendable, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try confinement.sync(work)
  }

  func checkConfinement(of object: ManagedObject? = nil) {
    if !ConcurrencyDebugging.isEnabled || confinement.isHeldByCurrentThread { return }
    let what = object.map { "\($0.entity.name) \($0.objectID.reference)" } ?? "the context"
    // Going on would be a data race; Core Data's concurrency debugging stops here too.
    fatalError("\(what) of context \"\(name)\" was used outside its queue; use perform or performAndWait")
  }

  // MARK: Objects

  /// Whether a save would write anything.
  public var hasChanges: Bool {
    checkConfinement()
    return !inserted.isEmpty || !deleted.isEmpty || touched.contains(where: \.isUpdated)
  }
  /// New objects, in the order of insertion.
  public var insertedObjects: [ManagedObject] { inserted }
  /// Persisted objects whose values differ from the store's.
  public var updatedObjects: [ManagedObject] { touched.filter(\.isUpdated) }
  /// Objects that the next save deletes.
  public var deletedObjects: [ManagedObject] { deleted }

  /// The object of that id, if the context has it.
  public func registeredObject(with objectID: ObjectID) -> ManagedObject? {
    checkConfinement()
    return registry[objectID]?.object
  }

  /// The object of that id, a fault if the context does not have it; whether it exists shows when it is used.
  public func object(with objectID: ObjectID) -> ManagedObject {
    if let object = registeredObject(with: objectID) { return object }
    let runtime = coordinator.runtime(objectID.entity)
    let object = runtime.objectClass.init(
      ManagedObject.Registration(runtime: runtime, objectID: objectID, context: self, isInserted: false))
    register(object)
    return object
  }

  /// Makes a new object with the entity's defaults. The entity must belong to the container's model and not be
  /// abstract.
  @discardableResult public func insert(_ entity: Entity) -> ManagedObject {
    checkConfinement()
    // Both are mistakes of the program; Core Data raises exceptions.
    precondition(entity.model === coordinator.model, "\(entity.name) belongs to another model than the container's")
    precondition(!entity.isAbstract, "\(entity.name) is abstract; it has no objects")
    let runtime = coordinator.runtime(entity)
    let id = ObjectID(entity: entity, reference: .temporary(nextTemporaryUUID()))
    let object = runtime.objectClass.init(
      ManagedObject.Registration(runtime: runtime, objectID: id, context: self, isInserted: true))
    register(object)
    inserted.append(object)
    object.awakeFromInsert()
    return object
  }

  func register(_ object: ManagedObject) {
    if registry.count >= registrySweepCount {
      registry = registry.filter { $0.value.object != nil }
      registrySweepCount = max(1024, registry.count * 2)
    }
    registry[object.objectID] = WeakObject(object: object)
  }

  func unregister(_ objectID: ObjectID) { registry[objectID] = nil }

  func forgetRegistry() {
    for entry in registry.values { entry.object?.makeInert(.detached) }
    registry = [:]
    registrySweepCount = 1024
  }

  /// Unique without asking the system for random bytes each time.
  private func nextTemporaryUUID() -> UUID {
    temporaryIDCount += 1
    var bytes = temporaryIDBase.uuid
    let count = temporaryIDCount
    bytes.8 = UInt8(truncatingIfNeeded: count >> 56)
    bytes.9 = UInt8(truncatingIfNeeded: count >> 48)
    bytes.10 = UInt8(truncatingIfNeeded: count >> 40)
    bytes.11 = UInt8(truncatingIfNeeded: count >> 32)
    bytes.12 = UInt8(truncatingIfNeeded: count >> 24)
    bytes.13 = UInt8(truncatingIfNeeded: count >> 16)
    bytes.14 = UInt8(truncatingIfNeeded: count >> 8)
    bytes.15 = UInt8(truncatingIfNeeded: count)
    return UUID(uuid: bytes)
  }
}
