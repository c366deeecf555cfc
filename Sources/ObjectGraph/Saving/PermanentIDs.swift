import ObjectModel
import Synchronization

/// The temporary ids of a context that became permanent, for its children and for undo.
///
/// Children read it from their own queues: none waits for its parent's queue to learn an id.
final class PermanentIDs: Sendable {
  private struct State {
    var isKept = false
    var permanent: [ObjectID: ObjectID] = [:]
    /// The keys of `permanent` in the order in which they came.
    var order: [ObjectID] = []
  }

  private let state = Mutex(State())

  /// Whether there were children.
  var isKept: Bool { state.withLock { $0.isKept } }

  /// Has ids remembered from now on.
  /// - Returns: how many there are already.
  func keep() -> Int {
    state.withLock { state in
      state.isKept = true
      return state.order.count
    }
  }

  func note(_ changes: [ObjectID: ObjectID]) {
    if changes.isEmpty { return }
    state.withLock { state in
      for (temporary, permanent) in changes
      where state.permanent.updateValue(permanent, forKey: temporary) == nil {
        state.order.append(temporary)
      }
    }
  }

  func permanentID(for id: ObjectID) -> ObjectID? { state.withLock { $0.permanent[id] } }

  /// Adds what came after the first `seenCount` ids, and sets that to the number of all.
  func add(since seenCount: inout Int, to changes: inout [ObjectID: ObjectID]) {
    state.withLock { state in
      for id in state.order.dropFirst(seenCount) { changes[id] = state.permanent[id] }
      seenCount = state.order.count
    }
  }
}
