package import Foundation

/// The counter of the waits at one end of a queue.
package protocol WaitMeter: Sendable {
  /// Adds a wait that has ended.
  func add(waitSince start: ContinuousClock.Instant)
}

extension NSCondition {
  /// Waits while a condition holds, and counts the time; the clock is only read when it has to wait.
  package func wait(as meter: (any WaitMeter)?, while isSo: () -> Bool) {
    guard isSo() else { return }
    let start = ContinuousClock.now
    repeat { self.wait() } while isSo()
    meter?.add(waitSince: start)
  }
}
