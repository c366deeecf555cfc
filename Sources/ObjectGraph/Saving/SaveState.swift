import StoreInterface

/// Where a context is in its saves.
final class SaveState {
  /// Whether a save is going on: there is no other inside it.
  private(set) var isUnderWay = false
  /// How many saves wrote something.
  private(set) var count = 0
  /// The object whose `willSave` is running, and what it was told to be, with what primitive values it was given since.
  private var hook: (object: ManagedObject, state: ObjectState)?
  /// What the parent had after it took this save's changes, until that is announced.
  private var stateOfParent: SharedState?

  func begin() throws(ContextError) {
    if isUnderWay { throw .saveInsideSave }
    isUnderWay = true
  }

  func end() { isUnderWay = false }

  /// Runs an object's `willSave`.
  /// - Returns: the state that it need not be told of again.
  func announce(_ object: ManagedObject) -> ObjectState {
    let state = object.state
    hook = (object, state)
    defer { hook = nil }
    object.willSave()
    return hook?.state ?? state
  }

  /// Sets a primitive value. One that an object gets in its own `willSave` is saved and does not call that again.
  func settingPrimitive(of object: ManagedObject, _ body: () -> Void) {
    guard let hook, hook.object === object, object.state.isSame(as: hook.state) else { return body() }
    body()
    self.hook?.state = object.state
  }

  func noteParent(_ state: SharedState) { stateOfParent = state }

  func noteCommit() { count += 1 }

  /// What the parent had, to be announced once.
  func removeParentState() -> SharedState? {
    defer { stateOfParent = nil }
    return stateOfParent
  }
}
