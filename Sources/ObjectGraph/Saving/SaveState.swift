/// Whether a save is running, and what its hooks changed.
final class SaveState {
  /// Whether a save is running. A save inside it is an error.
  private(set) var isUnderWay = false
  /// How many saves wrote something.
  private(set) var count = 0
  /// The object whose `willSave` runs, with its state at the call and its primitive changes since.
  private var hook: (object: ManagedObject, state: ObjectState)?
  /// The state of the parent after it took this save's changes, until the save is announced.
  private var stateOfParent: ParentState?

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

  func noteParent(_ state: ParentState) { stateOfParent = state }

  func noteCommit() { count += 1 }

  /// What the parent had, to be announced once.
  func removeParentState() -> ParentState? {
    defer { stateOfParent = nil }
    return stateOfParent
  }
}
