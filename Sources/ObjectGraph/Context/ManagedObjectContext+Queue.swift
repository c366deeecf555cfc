import ObjectModel

extension ManagedObjectContext {
  /// The context whose `perform` or `performAndWait` the caller is inside.
  @TaskLocal static var current: ManagedObjectContext?

  /// Runs work on the context's queue and then processes its changes.
  ///
  /// What the work uses and returns need not be sendable, as long as nothing else uses it: a fetch request may be made
  /// outside of the work.
  public func perform<Result, Failure: Error>(
    _ work: sending @escaping () throws(Failure) -> sending Result
  ) async throws(Failure) -> sending Result {
    // Safety: the caller has given the work away, and it runs once; what it returns is handed on at once.
    nonisolated(unsafe) let work = work
    let outcome: Sent<Swift.Result<Result, Failure>> = await withCheckedContinuation { continuation in
      confinement.async {
        let outcome = Swift.Result { () throws(Failure) -> Result in try unsafe self.inEventOfCurrent(work) }
        continuation.resume(returning: Sent(outcome))
      }
    }
    return try unsafe outcome.value.get()
  }

  /// What goes from a context's queue to the one that waits for it.
  private struct Sent<Value>: @unchecked Sendable {
    nonisolated(unsafe) let value: Value

    init(_ value: Value) { unsafe self.value = value }
  }

  /// When work that is given to a context runs.
  public enum ScheduledTaskType: Sendable, Hashable {
    /// At once where the caller is inside the context, as code of the main actor is inside a context of the main queue;
    /// otherwise after what the queue has already.
    case immediate
    /// After what the queue has already.
    case enqueued
  }

  /// Runs work on the context's queue, when the schedule says, and then processes its changes.
  public func perform<Result, Failure: Error>(
    schedule: ScheduledTaskType, isolation: isolated (any Actor)? = #isolation,
    _ work: sending @escaping () throws(Failure) -> sending Result
  ) async throws(Failure) -> sending Result {
    if schedule == .immediate && confinement.isHeldByCurrentThread { return try performAndWait(work) }
    return try await perform(work)
  }

  /// Runs work on the context's queue, some time from now, and then processes its changes. Returns at once.
  public func perform(_ work: sending @escaping () -> Void) {
    // Safety: the caller has given the work away, and it runs once.
    nonisolated(unsafe) let work = work
    confinement.async { unsafe self.inEventOfCurrent(work) }
  }

  /// Runs work on the context's queue, waits for it, and then processes its changes. May be called inside `perform` and
  /// inside itself; then the work runs at once, and its changes belong to the outer event.
  public func performAndWait<Result, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try confinement.sync { () throws(Failure) -> Result in try inEventOfCurrent(work) }
  }

  private func inEventOfCurrent<Result, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outcome = Self.$current.withValue(self) {
      Swift.Result { () throws(Failure) -> Result in try inEvent(work) }
    }
    return try outcome.get()
  }

  /// Runs this context's part of a merge of another context's save, some time from now. It does not wait for the
  /// parent's queue, whose thread may be waiting for this one.
  func enqueueMerge(_ work: @escaping @Sendable () -> Void) {
    confinement.async {
      self.inEventOfCurrent {
        self.isMergeEvent = true
        work()
      }
    }
  }

  /// Whether this thread holds the queues of the parent and of all further ancestors, so that asking them does not
  /// wait.
  var isParentAtHand: Bool {
    var ancestor = parent
    while let context = ancestor {
      if !context.confinement.isHeldByCurrentThread { return false }
      ancestor = context.parent
    }
    return true
  }

  func checkConfinement(of object: ManagedObject? = nil) {
    if !ConcurrencyDebugging.isEnabled || confinement.isHeldByCurrentThread { return }
    let what = object.map { "\($0.entity.name) \($0.objectID.reference)" } ?? "the context"
    // Going on would be a data race; Core Data's concurrency debugging stops here too.
    fatalError(
      "\(what) of context \"\(name ?? "")\" was used outside its queue (\(confinement.label)); "
        + "use perform or performAndWait")
  }
}
