import ObjectModel
import StoreInterface

/// The state of a context that merges a save of another context. An observer may begin a merge inside another one; the
/// rows to refresh are then those of the inner merge.
final class MergeState {
  /// Whether `mergeChanges` is at work.
  private(set) var isUnderWay = false
  /// The rows of the refresh that is going on.
  private(set) var snapshots: [ObjectID: Snapshot]?
  /// The relationships that the refresh has brought up to date for the sake of their members.
  private var lists: Set<MemberKey>?
  /// The merge that is going on without asking the parent.
  private(set) var silent: MergeWithoutParent?

  /// Notes that a merge is at work. The result, whether one was before, is passed to `end`.
  func begin() -> Bool {
    defer { isUnderWay = true }
    return isUnderWay
  }

  func end(wasUnderWay: Bool) { isUnderWay = wasUnderWay }

  /// From now on the parent is not asked.
  /// - Parameter state: what the parent sent along; nil for nothing.
  func beginSilence(knowing state: ParentState?) { silent = MergeWithoutParent(state: state) }

  /// Allows asking the parent again. Returns the state that was missing; nil where the parent could be asked all along.
  @discardableResult
  func endSilence() -> ParentStateRequest? {
    defer { silent = nil }
    return silent?.unknown
  }

  /// Notes an object, or a relationship's members, of which nothing is known without asking the parent.
  func noteUnknown(_ objectID: ObjectID) { silent?.noteUnknown(objectID) }

  func noteUnknown(_ key: MemberKey) { silent?.noteUnknown(key) }

  func beginRefresh(to snapshots: [ObjectID: Snapshot]) {
    self.snapshots = snapshots
    lists = []
  }

  func endRefresh() {
    snapshots = nil
    lists = nil
  }

  /// Whether a relationship's members are still to be brought up to date: once in a refresh, always outside of one.
  func isFirstRefresh(of key: MemberKey) -> Bool { lists?.insert(key).inserted != false }
}

/// A merge that does not ask the parent, because it would have to wait for it.
struct MergeWithoutParent {
  /// The state that the parent sent along; nil for none.
  let state: ParentState?
  /// The state that was needed and is not part of that.
  private(set) var unknown = ParentStateRequest()

  fileprivate init(state: ParentState?) { self.state = state }

  fileprivate mutating func noteUnknown(_ objectID: ObjectID) { unknown.objectIDs.insert(objectID) }

  fileprivate mutating func noteUnknown(_ key: MemberKey) { unknown.members.insert(key) }
}
