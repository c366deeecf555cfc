extension PersistentStoreCoordinator {
  /// Runs work on the coordinator's own queue, after what the queue has already, and waits for it. Inside of such work
  /// it runs at once.
  ///
  /// It is for what programs do in several steps that must not mix, such as replacing a store and adding it again. Each
  /// call of a coordinator is safe on any thread by itself, and contexts do not use this queue.
  public func performAndWait<Result, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try confinement.sync(work)
  }

  /// As `performAndWait(_:)`, without blocking a thread.
  public func perform<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
      confinement.async { continuation.resume(returning: Swift.Result(catching: work)) }
    }
    return try outcome.get()
  }

  /// Runs work on the coordinator's own queue, some time from now. Returns at once.
  public func perform(_ work: @escaping @Sendable () -> Void) { confinement.async(work) }

  /// The context, which must be one of this coordinator.
  func ownContext(_ context: ManagedObjectContext) -> ManagedObjectContext {
    precondition(context.coordinator === self, "the context is one of another coordinator")
    return context
  }
}
