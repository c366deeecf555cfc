import Foundation

/// A condition that did not come true in time.
public struct PollTimeout: Error {
  /// How long was waited.
  public let seconds: Double

  /// An error for a wait of that many seconds.
  public init(seconds: Double) {
    self.seconds = seconds
  }
}

/// Looks every few milliseconds until a condition holds, or there is no use in waiting for it any longer.
///
/// For what gives no sign: files that other processes make, what the kernel knows of a process, contexts that ask each
/// other. Everything else is to be awaited.
/// - Parameters:
///   - isHopeless: whether the condition cannot come true any more unless it has.
/// - Returns: whether the condition holds.
/// - Throws: `PollTimeout` after that many seconds.
public func poll(
  seconds: Double = 120, isolation: isolated (any Actor)? = #isolation, until condition: () async throws -> Bool,
  unless isHopeless: () -> Bool = { false }
) async throws -> Bool {
  let end = Date(timeIntervalSinceNow: seconds)
  while try await !condition() {
    if isHopeless() { return try await condition() }
    if Date() > end { throw PollTimeout(seconds: seconds) }
    try await Task.sleep(for: .milliseconds(2))
  }
  return true
}
