import Synchronization

/// The contexts that merge saves to their coordinator or parent context.
final class ContextFollowers: Sendable {
  private struct Follower: Sendable {
    weak let context: ManagedObjectContext?
  }

  private let followers = Mutex<[Follower]>([])

  func add(_ context: ManagedObjectContext) {
    followers.withLock { followers in
      followers.removeAll { $0.context == nil || $0.context === context }
      followers.append(Follower(context: context))
    }
  }

  func remove(_ context: ManagedObjectContext) {
    followers.withLock { $0.removeAll { $0.context == nil || $0.context === context } }
  }

  /// Has every follower but the one that saved merge the changes, each on its own queue, some time from now.
  func merge(_ changes: @autoclosure () -> ContextChangeIDs, except saver: ManagedObjectContext?) {
    let contexts = followers.withLock { $0.compactMap(\.context) }.filter { $0 !== saver }
    if contexts.isEmpty { return }
    let changes = changes()
    for context in contexts { context.enqueueMerge { context.mergeChanges(changes) } }
  }
}
