import Synchronization

/// A flag that a signal handler or another thread raises and the run looks at between batches.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  /// A cancellation that has not been asked for.
  public init() {}
  /// Whether the run is asked to stop.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }
  /// Asks the run to stop at the next batch. May be called from any thread.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Throws when the run was asked to stop.
  /// - Parameter state: what became of the results; nil where that is clear.
  package func check(_ state: String? = "the previous store is as it was") throws(RunError) {
    guard isCancelled else { return }
    throw RunError(.interrupted, code: "run.interrupted", "interrupted" + (state.map { "; \($0)" } ?? ""))
  }
}
