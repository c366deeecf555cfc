import Foundation
package import StoreInterface

extension ManagedObjectContext {
  /// Begins a fetch and returns at once. The store works on a thread of its own; this context's queue, and those of its
  /// parents, are only used for making objects of what was found. Pending changes count as they are then.
  ///
  /// To be called on the context's queue. Results come on it too, some time after the current work.
  /// - Throws: `StoreError.failure` for a key path that does not exist. Other errors come with the result.
  @discardableResult
  public func execute<Object: ManagedObject>(
    _ request: AsynchronousFetchRequest<Object>
  ) throws -> any PersistentStoreAsynchronousResult {
    let result: AsynchronousFetchResult<Object> = try execute(request)
    return result
  }

  /// The same, with the type that the result has.
  @_disfavoredOverload
  public func execute<Object: ManagedObject>(
    _ request: AsynchronousFetchRequest<Object>
  ) throws -> AsynchronousFetchResult<Object> {
    checkConfinement()
    try throwDeferredError()
    let specification = request.fetchRequest.specification(in: self)
    try specification.readAhead(hasPendingChanges: false).checkKeyPaths()
    requireClass(Object.self, of: specification)
    let result = AsynchronousFetchResult(request, context: self)
    fetchInBackground(specification, result.monitor) { found in
      // Safety: every class that the entity's objects can have is an `Object`, as was just checked.
      result.finish(found.map { $0.map { unsafe unsafeDowncast($0, to: Object.self) } })
    }
    return result
  }

  package func fetch<Result: Sendable>(
    asynchronously request: FetchSpecification, _ body: @escaping @Sendable ([ManagedObject]) throws -> Result
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

  /// Fetches without keeping the context's queue busy while the store works, and makes something of the objects there.
  /// Cancelling the task ends the fetch. May be called from anywhere.
  /// - Parameters:
  ///   - request: makes the request, on the context's queue.
  ///   - body: runs on the context's queue, which objects must not leave.
  /// - Throws: `CancellationError` when the task was cancelled, what the store throws, and what the body throws.
  public func fetch<Object: ManagedObject, Result: Sendable>(
    asynchronously request: @escaping @Sendable () throws -> FetchRequest<Object>,
    _ body: @escaping @Sendable ([Object]) throws -> Result
  ) async throws -> Result {
    let specification = try await perform { try request().specification(in: self) }
    return try await fetch(asynchronously: specification) { found in
      self.requireClass(Object.self, of: specification)
      // Safety: every class that the entity's objects can have is an `Object`, as was just checked.
      return try body(found.map { unsafe unsafeDowncast($0, to: Object.self) })
    }
  }

  /// Has the store fetch on another thread, and delivers the objects on this context's queue.
  private func fetchInBackground(
    _ request: FetchSpecification, _ monitor: FetchMonitor,
    _ deliver: @escaping @Sendable (Result<[ManagedObject], any Error>) -> Void
  ) {
    let wanted = request.readAhead(hasPendingChanges: hasPendingChanges(for: request))
    let saveCount = saves.count
    // `snapshotSource` fixes the generation, so the token is read after it.
    let source = parent == nil ? Result { try snapshotSource() } : nil
    let token = generationToken
    readInBackground(wanted, source, monitor) { found in
      self.perform {
        deliver(
          Result {
            let found = try found.get()
            try monitor.check()
            self.adoptIDsOfParent()
            let blocks =
              switch found {
              case .ofStore(let blocks): blocks
              case .ofParent(let objects): [SnapshotBlock(self.retain(objects))]
              }
            // Values are here already.
            var request = request
            request.includesPropertyValues = true
            return try self.fetch(request) { needed in
              // A save, another generation or a first pending change meanwhile: these rows are not what is needed any
              // more.
              let isSame =
                needed.fetchLimit == wanted.fetchLimit && needed.fetchOffset == wanted.fetchOffset
                && self.generationToken == token
              return isSame && self.saves.count == saveCount ? blocks : try self.snapshotBlocks(needed)
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
  /// - Parameter source: of a context without a parent.
  private func readInBackground(
    _ request: FetchSpecification, _ source: Result<SnapshotSource, any Error>?, _ monitor: FetchMonitor,
    _ deliver: @escaping @Sendable (Result<FoundRows, any Error>) -> Void
  ) {
    guard let source else {
      guard let parent else { return }
      parent.perform {
        parent.fetchInBackground(request.forRowsOfParent, monitor) { found in
          deliver(found.map { .ofParent(ParentObjects($0)) })
        }
      }
      return
    }
    let caches = settings.stalenessInterval != 0
    // A queue of its own gets a thread at once; those of the global queues are as many as cores, and tasks need them
    // too.
    DispatchQueue(label: "seedbed.fetch." + (name ?? "")).async {
      deliver(Result { .ofStore(try source.get().snapshotBlocks(request, caches: caches, monitor: monitor)) })
    }
  }
}
