package import Foundation

/// What the waits at one end of a queue count as.
package protocol WaitMeter: Sendable {
  /// Adds a wait that has ended.
  func add(waitSince start: ContinuousClock.Instant)
}

extension NSCondition {
  /// Waits while something is so, and counts the time; the clock is only read when there is need to wait.
  package func wait(as meter: (any WaitMeter)?, while isSo: () -> Bool) {
    guard isSo() else { return }
    let start = ContinuousClock.now
    repeat { self.wait() } while isSo()
    meter?.add(waitSince: start)
  }
}
