import Foundation
import ObjectGraph
import StoreInterface

/// The remote changes that a coordinator posts, one after the other.
final class RemoteChangeLog: Sendable {
  private let observer: Observer
  private let changes: AsyncStream<RemoteStoreChange>

  init(_ coordinator: PersistentStoreCoordinator) {
    let (changes, continuation) = AsyncStream.makeStream(of: RemoteStoreChange.self)
    self.changes = changes
    observer = Observer(coordinator, continuation)
  }

  /// Waits for the next one.
  func next() async -> RemoteStoreChange? {
    for await change in changes { return change }
    return nil
  }

  /// Waits until one tells of a transaction, and returns the numbers of the transactions on the way.
  func numbers(to last: Int64) async -> [Int64] {
    var numbers: [Int64] = []
    for await change in changes {
      let number = change.historyToken?[store: change.storeUUID] ?? 0
      numbers.append(number)
      if number >= last { break }
    }
    return numbers
  }

  private final class Observer: NSObject, @unchecked Sendable {
    private var token: (any NSObjectProtocol)?

    init(_ coordinator: PersistentStoreCoordinator, _ continuation: AsyncStream<RemoteStoreChange>.Continuation) {
      super.init()
      token = NotificationCenter.default.addObserver(
        forName: PersistentStoreCoordinator.remoteChangeNotification, object: coordinator, queue: nil
      ) { notification in
        if let change = notification.remoteStoreChange { continuation.yield(change) }
      }
    }

    deinit {
      if let token { NotificationCenter.default.removeObserver(token) }
    }
  }
}
