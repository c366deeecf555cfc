import Synchronization

/// A flag that a signal handler or another thread raises and the run looks at between batches.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  public init() {}
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }
  public func cancel() { flag.store(true, ordering: .relaxed) }
}
