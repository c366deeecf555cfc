extension ManagedObjectContext {
  /// The values of the properties of the same names.
  struct Settings {
    var mergePolicy: MergePolicy = .error
    var stalenessInterval = -1.0
    var shouldDeleteInaccessibleFaults = true
    var propagatesDeletesAtEndOfEvent = true
    var undoManager: ContextUndoManager?
    var automaticallyMergesChangesFromParent = false
    var updatesOwners = true
    var validatesBeforeSaving = true
    var transactionAuthor: String?
  }

  /// What the history of a store says of the context's saves: who made the changes, such as `"sync"`. A child's changes
  /// get the author of the context that saves to the store.
  public var transactionAuthor: String? {
    get { setting(\.transactionAuthor) }
    set { set(\.transactionAuthor, newValue) }
  }

  /// How a save treats rows that changed since they were read, and uniqueness constraints. `MergePolicy.error` at
  /// first.
  public var mergePolicy: MergePolicy {
    get { setting(\.mergePolicy) }
    set { set(\.mergePolicy, newValue) }
  }

  /// How long, in seconds, a fault may be filled from a row that the coordinator keeps in memory, counted from when it
  /// was read: a negative number for any time (the default), 0 to always ask the store.
  ///
  /// Fetches always ask the store. Saves of other contexts of the coordinator keep the rows in memory up to date;
  /// writes past the contexts do not. With 0 the context does not add to these rows either, which suits imports.
  public var stalenessInterval: Double {
    get { setting(\.stalenessInterval) }
    set { set(\.stalenessInterval, newValue) }
  }

  /// Whether objects that the program does not hold stay in the context, until they are deleted or it is reset. Objects
  /// with changes stay anyway. Off at first, so that a walk over many objects does not fill the memory.
  public var retainsRegisteredObjects: Bool {
    get {
      checkSettingUp()
      return registry.isRetaining
    }
    set {
      checkSettingUp()
      registry.isRetaining = newValue
    }
  }

  /// Whether an object whose row turns out to be gone when its fault fires counts as deleted, with null values: the
  /// default. Otherwise the next fetch or save throws `ContextError.objectGone`, and the object stays a fault.
  public var shouldDeleteInaccessibleFaults: Bool {
    get { setting(\.shouldDeleteInaccessibleFaults) }
    set { set(\.shouldDeleteInaccessibleFaults, newValue) }
  }

  /// Whether delete rules are applied when changes are processed (the default) or only by the save.
  public var propagatesDeletesAtEndOfEvent: Bool {
    get { setting(\.propagatesDeletesAtEndOfEvent) }
    set { set(\.propagatesDeletesAtEndOfEvent, newValue) }
  }

  /// The undo manager that registers every event, so that it can be undone; nil, the default, for none. May be shared
  /// by contexts of one queue.
  public var undoManager: ContextUndoManager? {
    get { setting(\.undoManager) }
    set {
      let previous = setting(\.undoManager)
      if previous === newValue { return }
      set(\.undoManager, newValue)
      previous?.removeAllActions(withTarget: self)
      previous?.remove(self)
      newValue?.add(self)
    }
  }

  /// Whether what other contexts save to the store, or to the parent, is merged into this context's objects, some time
  /// after the save and on this context's queue. A merge does not wait for the parent's queue, whose thread may be
  /// waiting for this one: what it needs comes with the notification of the save.
  public var automaticallyMergesChangesFromParent: Bool {
    get { setting(\.automaticallyMergesChangesFromParent) }
    set {
      set(\.automaticallyMergesChangesFromParent, newValue)
      let followers = parent?.followers ?? coordinator.followers
      if newValue { followers.add(self) } else { followers.remove(self) }
    }
  }

  /// Whether an object is updated when a to-many relationship gets or loses members because the other side says so.
  /// Code that raises the owners' versions in another way switches it off, before the first change.
  package var updatesOwners: Bool {
    get { setting(\.updatesOwners) }
    set { set(\.updatesOwners, newValue) }
  }

  /// Whether saves check the objects by the model's rules. Code that saves objects before they are complete switches it
  /// off and checks them all at the end.
  package var validatesBeforeSaving: Bool {
    get { setting(\.validatesBeforeSaving) }
    set { set(\.validatesBeforeSaving, newValue) }
  }

  private func setting<Value>(_ path: KeyPath<Settings, Value>) -> Value {
    checkSettingUp()
    return settings[keyPath: path]
  }

  private func set<Value>(_ path: WritableKeyPath<Settings, Value>, _ value: Value) {
    checkSettingUp()
    settings[keyPath: path] = value
  }
}
