import StoreInterface

/// Where a context is in its saves.
final class SaveState {
  /// Whether a save is going on: there is no other inside it.
  private(set) var isUnderWay = false
  /// How many saves wrote something.
  private(set) var count = 0
  /// What the parent had after it took this save's changes, until that is announced.
  private var stateOfParent: SharedState?

  func begin() throws(ContextError) {
    if isUnderWay { throw .saveInsideSave }
    isUnderWay = true
  }

  func end() { isUnderWay = false }

  func noteParent(_ state: SharedState) { stateOfParent = state }

  func noteCommit() { count += 1 }

  /// What the parent had, to be announced once.
  func removeParentState() -> SharedState? {
    defer { stateOfParent = nil }
    return stateOfParent
  }
}
