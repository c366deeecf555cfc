import Dispatch
import Synchronization

/// A computation on another thread while the owner continues.
final class BackgroundResult<Value: Sendable, Failure: Error>: Sendable {
  private let group = DispatchGroup()
  private let result = Mutex<Result<Value, Failure>?>(nil)

  /// Begins.
  /// - Parameter isInline: do it now, on the caller's thread.
  init(isInline: Bool, _ body: @escaping @Sendable () throws(Failure) -> Value) {
    if isInline {
      let outcome = Result<Value, Failure>(catching: body)
      result.withLock { $0 = outcome }
      return
    }
    // It has its own queue, because while it waits for a file it must not take the place of a worker.
    DispatchQueue(label: "seedbed.background").async(group: group) {
      let outcome = Result<Value, Failure>(catching: body)
      self.result.withLock { $0 = outcome }
    }
  }

  /// Waits for the end.
  func wait() { group.wait() }

  /// Waits for the end.
  /// - Throws: the error of the other thread.
  func value() throws(Failure) -> Value {
    wait()
    // The group is left when the result is there.
    guard let outcome = result.withLock({ $0 }) else { preconditionFailure("the work ended without a result") }
    return try outcome.get()
  }
}
