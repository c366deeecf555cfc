import Foundation
import ObjectModel
public import StoreInterface

extension ManagedObjectContext {
  /// Begins a fetch and returns at once. The store works on a thread of its own; this context's queue, and those of its
  /// parents, are only used for making objects of what was found. Pending changes count as they are then.
  ///
  /// To be called on the context's queue. Results come on it too, some time after the current work.
  /// - Throws: `StoreError.failure` for a key path that does not exist. Other errors come with the result.
  @discardableResult
  public func execute(_ request: AsynchronousFetchRequest) throws -> AsynchronousFetchResult {
    checkConfinement()
    try throwDeferredError()
    try request.fetchRequest.checkKeyPaths()
    let result = AsynchronousFetchResult(request, context: self)
    fetchInBackground(request.fetchRequest, result.monitor) { result.finish($0) }
    return result
  }

  /// Fetches without keeping the context's queue busy while the store works, and makes something of the objects there.
  /// Cancelling the task ends the fetch. May be called from anywhere.
  /// - Parameters:
  ///   - request: which objects.
  ///   - body: runs on the context's queue, which objects must not leave.
  /// - Throws: `CancellationError` when the task was cancelled, what the store throws, and what the body throws.
  public func fetch<Result: Sendable>(
    asynchronously request: FetchRequest, _ body: @escaping @Sendable ([ManagedObject]) throws -> Result
  ) async throws -> Result {
    let monitor = FetchMonitor()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        perform {
          self.fetchInBackground(request, monitor) { found in
            continuation.resume(with: Swift.Result { try body(found.get()) })
          }
        }
      }
    } onCancel: {
      monitor.cancel()
    }
  }

  /// Has the store fetch on another thread, and delivers the objects on this context's queue.
  private func fetchInBackground(
    _ request: FetchRequest, _ monitor: FetchMonitor,
    _ deliver: @escaping @Sendable (Result<[ManagedObject], any Error>) -> Void
  ) {
    let wanted = hasPendingChanges(for: request) ? request.withoutWindow : request
    let saves = saveCount
    readInBackground(wanted, monitor) { rows in
      self.perform {
        deliver(
          Result {
            let found = try rows.get()
            try monitor.check()
            self.takeIDChangesOfParent()
            let rows =
              switch found {
              case .ofStore(let blocks): blocks
              case .ofParent(let objects): [SnapshotBlock(self.take(objects))]
              }
            // Values are here already.
            var request = request
            request.includesPropertyValues = true
            return try self.fetch(request) { needed in
              // A save or a first pending change meanwhile: these rows are not what is needed any more.
              let isSame = needed.fetchLimit == wanted.fetchLimit && needed.fetchOffset == wanted.fetchOffset
              return isSame && self.saveCount == saves ? rows : try self.rows(needed)
            }
          })
      }
    }
  }

  private enum FoundRows: Sendable {
    case ofStore([SnapshotBlock])
    case ofParent(ParentObjects)
  }

  /// The rows that this context's store, or parent, has for a request; delivered anywhere.
  private func readInBackground(
    _ request: FetchRequest, _ monitor: FetchMonitor,
    _ deliver: @escaping @Sendable (Result<FoundRows, any Error>) -> Void
  ) {
    if let parent {
      parent.perform {
        parent.fetchInBackground(request.forRowsOfParent, monitor) { found in
          deliver(found.map { .ofParent(ParentObjects($0)) })
        }
      }
      return
    }
    let caching = settings.stalenessInterval != 0
    // A queue of its own gets a thread at once; those of the global queues are as many as cores, and tasks need them too.
    DispatchQueue(label: "seedbed.fetch." + name).async {
      deliver(Result { .ofStore(try self.coordinator.rows(request, caching: caching, monitor: monitor)) })
    }
  }
}
