import Dispatch
import Synchronization

/// What another thread computes while the owner goes on.
final class Background<Value: Sendable, Failure: Error>: Sendable {
  private let group = DispatchGroup()
  private let result = Mutex<Result<Value, Failure>?>(nil)

  /// Begins.
  /// - Parameter isInline: do it now, on the caller's thread.
  init(isInline: Bool = false, _ body: @escaping @Sendable () throws(Failure) -> Value) {
    if isInline {
      let outcome = Result<Value, Failure>(catching: body)
      result.withLock { $0 = outcome }
      return
    }
    // A queue of its own: while this waits for a file, the workers of others must not be one fewer.
    DispatchQueue(label: "seedbed.background").async(group: group) {
      let outcome = Result<Value, Failure>(catching: body)
      self.result.withLock { $0 = outcome }
    }
  }

  /// Waits for the end.
  func wait() { group.wait() }

  /// Waits for the end.
  /// - Throws: what the other thread threw.
  func value() throws(Failure) -> Value {
    wait()
    // The group is left when the result is there.
    guard let outcome = result.withLock({ $0 }) else { preconditionFailure("the work ended without a result") }
    return try outcome.get()
  }
}
