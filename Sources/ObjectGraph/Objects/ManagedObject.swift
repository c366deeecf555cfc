public import ObjectModel

/// An object of a context: its entity's attributes and relationships, loaded when they are first asked for.
///
/// Managed objects belong to the queue of their context and are not `Sendable`; pass an `objectID` instead. Subclasses
/// are registered with the container and override the hooks below, calling `super`.
open class ManagedObject: CustomStringConvertible, CustomDebugStringConvertible {
  /// What makes an object: only contexts can.
  public struct Registration {
    let entityContext: EntityContext
    let objectID: ObjectID
    let isInserted: Bool
  }

  private let entityContext: EntityContext
  final private(set) var currentID: ObjectID
  // Safety: only the context's queue comes here, and while `ManagedObject+Values.swift` or `ManagedObject+Status.swift`
  // reads or sets these, it calls nothing that could come here again. A check at run time of every read and write of a
  // property costs a tenth of a save.
  @exclusivity(unchecked) private final var uncheckedStorage: ObjectStorage
  @exclusivity(unchecked) private final var uncheckedLifecycle: ObjectLifecycle
  /// What the context's lists of changes keep here.
  final var marks = ObjectMarks()

  enum Status {
    /// Nothing loaded.
    case fault
    case loaded
    case inserted
    /// To be deleted by the next save; a new object, which has no `stored`, is forgotten when changes are processed.
    case deleted
    /// Deleted by a save, or its row was gone when the fault fired.
    case gone
    /// Its context was reset or the insertion was taken back.
    case detached
  }

  /// Contexts call this; subclasses that have stored properties of their own give them defaults.
  public required init(_ registration: Registration) {
    entityContext = registration.entityContext
    currentID = registration.objectID
    unsafe uncheckedStorage = ObjectStorage()
    unsafe uncheckedLifecycle = ObjectLifecycle(isInserted: registration.isInserted)
    if registration.isInserted {
      unsafe uncheckedStorage.becomeNew(of: entityContext.runtime)
      if entityContext.runtime.hasToMany { entityContext.hasLists = true }
    }
  }

  /// A new object of the class's entity, with the model's defaults. The class must be that of an entity of the
  /// container that is not abstract.
  public required convenience init(context: ManagedObjectContext) {
    guard let entity = context.coordinator.entity(of: Self.self) else {
      // Core Data raises an exception here too.
      preconditionFailure(
        "\(Self.self) is the class of none, or of several, entities of the container, or its entity had objects before "
          + "(classes:)")
    }
    self.init(context.registration(of: entity, as: Self.self))
    context.adopt(self)
  }

  /// A new object of an entity, with the model's defaults. The entity's class must be this one.
  public required convenience init(entity: EntityDescription, insertInto context: ManagedObjectContext) {
    self.init(entity: entity.handle, insertInto: context)
  }

  /// A new object of an entity, with the model's defaults. The entity's class must be this one: `context.insert(_:)`
  /// makes an object of the class that the container has for the entity.
  public convenience init(entity: Entity, insertInto context: ManagedObjectContext) {
    if context.coordinator.runtime(entity).objectClass == ManagedObject.self {
      _ = context.coordinator.entity(of: Self.self)
    }
    self.init(context.registration(of: entity, as: Self.self))
    context.adopt(self)
  }

  /// What the object is: see `ManagedObject+Status.swift`.
  final var lifecycle: ObjectLifecycle {
    _read { yield unsafe uncheckedLifecycle }
    _modify { yield unsafe &uncheckedLifecycle }
  }

  /// Values and row: see `ManagedObject+Values.swift`.
  final var storage: ObjectStorage {
    _read { yield unsafe uncheckedStorage }
    _modify { yield unsafe &uncheckedStorage }
  }

  final var runtime: EntityRuntime { entityContext.runtime }

  /// To be called before the object gets a list of members.
  final func noteLists() { entityContext.hasLists = true }
  final var context: ManagedObjectContext? { entityContext.context }
  /// Whether there is no `context` any more, without following the reference.
  final var isContextGone: Bool { entityContext.isContextGone }

  // MARK: - Identity and state

  // The first three are the same on every thread, as in Core Data; what changes with the object is not.

  /// Temporary until the object is first saved.
  public var objectID: ObjectID { currentID }
  /// The object's own entity.
  @_disfavoredOverload public var entity: Entity { runtime.entity }
  /// The context that the object belongs to; nil after a reset, after its insertion was taken back, and after its
  /// deletion was saved.
  public var managedObjectContext: ManagedObjectContext? {
    status == .detached || isDeletionSaved ? nil : context
  }
  /// Whether the values are not loaded. Also true of a new object that was refreshed, until it is used.
  public var isFault: Bool { isUnloaded || isEmptied }
  /// 0 for an object whose values are loaded, 1 for a fault.
  public var faultingState: Int { isFault ? 1 : 0 }
  /// Whether the next save inserts the object.
  public var isInserted: Bool { currentStatus == .inserted }
  /// Whether the next save deletes the object, or its row was found to be gone. False again once a save of its context
  /// has deleted it.
  public var isDeleted: Bool { isDeletedHere && !isDeletionSaved }
  /// Whether the next save writes new values of the object, or raises its version because a to-many relationship has
  /// other members, whichever side was set. In a child context transient attributes count, as the save takes them to
  /// the parent's object.
  public var isUpdated: Bool {
    checkConfinement()
    return hasOwnChanges || hasMemberChanges
  }
  /// Whether the next save does anything with the object.
  public var hasChanges: Bool { isInserted || status == .deleted || isUpdated }
  /// Whether a persisted property differs from what is stored: what a new object was given, what was changed since.
  /// Transient attributes do not count, and neither do deletions.
  public var hasPersistentChangedValues: Bool {
    if isInserted { return !changedPropertyValues().isEmpty }
    return status == .loaded && isMaybeUpdated && differsFromStored() || hasMemberChanges
  }

  /// Class, id, entity and what is loaded of the values, as Core Data prints it but without addresses:
  /// `<Car: x-coredata://…/Car/p1> (entity: Car; data: {maker = FIAT; owner = x-coredata://…/Person/p2})`, with
  /// `data: <fault>` for a fault. Loads nothing: of to-many relationships that are not loaded it says so.
  open var description: String { printedText }
  /// The description.
  open var debugDescription: String { description }

  // MARK: - Hooks

  /// Called once, when the object was inserted into a context with its defaults.
  open func awakeFromInsert() {}
  /// Called when the object's values were loaded from the store.
  open func awakeFromFetch() {}
  /// Called when the values were replaced by those of another moment: by undo or redo, a rollback, a refresh that keeps
  /// changes, or a merge policy. Derived state of a subclass is to be computed anew.
  open func awake(fromSnapshotEvents events: SnapshotEvents) {}
  /// Called before the object is marked for deletion, while its relationships are still whole: once by `delete`, and
  /// once for every object that a delete rule reaches.
  open func prepareForDeletion() {}
  /// Called before the values are forgotten, while they can still be read.
  open func willTurnIntoFault() {}
  /// Called when the values are forgotten. Reading a property here would load them again.
  open func didTurnIntoFault() {}
  /// Called before validation on every object that a save writes or deletes, the owners of relationships whose members
  /// changed included; may change objects. Called again while the object changes, by itself or others: set a value only
  /// where it is another.
  open func willSave() {}
  /// Called when a save that wrote or deleted the object has succeeded.
  open func didSave() {}
  /// Checks a new object before it is saved. The default checks the model's rules.
  /// - Throws: `ValidationError` with all problems; any other error is one problem of code
  ///   `custom`, with the error as its `underlyingError`. A save whose only problem is an `NSError`, a `CocoaError` or
  ///   a `BridgedError` throws that itself.
  open func validateForInsert() throws { try validateProperties() }
  /// Checks a changed object before it is saved. The default checks the model's rules.
  /// - Throws: `ValidationError` with all problems; any other error is one problem of code
  ///   `custom`, with the error as its `underlyingError`. A save whose only problem is an `NSError`, a `CocoaError` or
  ///   a `BridgedError` throws that itself.
  open func validateForUpdate() throws { try validateProperties() }
  /// Checks a deleted object before the save. The default checks the delete rule `deny`.
  /// - Throws: `ValidationError` with all problems; any other error is one problem of code
  ///   `custom`, with the error as its `underlyingError`. A save whose only problem is an `NSError`, a `CocoaError` or
  ///   a `BridgedError` throws that itself.
  open func validateForDelete() throws { try validateDeleteRules() }
  /// Checks a value for an attribute of the entity, and may replace it by the one that should be there. The default
  /// checks the model's rules. Saves call it for every attribute of a new or changed object of a subclass.
  /// - Throws: `ValidationError` with all problems; any other error is one problem of code
  ///   `custom`, with the error as its `underlyingError`. A save whose only problem is an `NSError`, a `CocoaError` or
  ///   a `BridgedError` throws that itself.
  open func validateValue(_ value: inout Value, forKey key: String) throws {
    try validateByModel(value, forKey: key)
  }

  /// Checks what a relationship leads to, and may replace it by what should be there. The default checks the model's
  /// rules, as it does for a value in an attribute. Saves call it for every to-one relationship of a new or changed
  /// object of a subclass, and for its to-many relationships that are loaded. The key names a relationship with `toOne`
  /// or `toMany`, an attribute with `attribute`.
  /// - Throws: `ValidationError` with all problems; any other error is one problem of code
  ///   `custom`, with the error as its `underlyingError`. A save whose only problem is an `NSError`, a `CocoaError` or
  ///   a `BridgedError` throws that itself.
  open func validateValue(_ value: inout PropertyValue, forKey key: String) throws {
    try validateByModel(value, forKey: key)
  }

  /// Called by `setValue(_:forKey:)` where nil is set of an attribute that the model gives a scalar type, or of a
  /// number or boolean that it requires. A subclass sets there what stands for nothing, and calls `super` for other
  /// keys. The default makes the attribute null, where Core Data raises an exception.
  open func setNilValueForKey(_ key: String) { setAttributeValue(.null, key) }

  // MARK: - Internals

  /// Whether there is nothing but an id, and perhaps a row to load from.
  final var isUnloaded: Bool { currentStatus == .fault }
  /// Whether the object counts as deleted, before and after the save.
  final var isDeletedHere: Bool { currentStatus == .deleted || status == .gone }

  private var currentStatus: Status {
    checkConfinement()
    return status
  }

  /// Whether nothing of the object is saved any more.
  final var isInert: Bool { status == .gone || status == .detached }

  final func adopt(_ objectID: ObjectID) { currentID = objectID }

  @inline(__always) final func checkConfinement() {
    if ConcurrencyDebugging.isEnabled { context?.checkConfinement(of: self) }
  }
}

extension ManagedObject: Hashable {
  /// Whether the other is this object.
  public func isEqual(_ other: Any?) -> Bool { (other as? ManagedObject).map { self === $0 } ?? false }
  /// Identity: there is one object per id and context.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
