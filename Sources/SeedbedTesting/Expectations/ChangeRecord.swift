import Seedbed
import Synchronization

/// What was saved, in its order.
final class ChangeRecord: Sendable {
  private let list = Mutex<[ContextChangeIDs]>([])

  var changes: [ContextChangeIDs] { list.withLock { $0 } }

  func add(_ changes: ContextChangeIDs) { list.withLock { $0.append(changes) } }
}
