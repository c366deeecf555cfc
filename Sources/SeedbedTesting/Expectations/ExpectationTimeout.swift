public import Seedbed

/// The event that a test expected did not come in time.
public struct ExpectationTimeout: Error, Sendable, Hashable, CustomStringConvertible {
  /// The event that was expected, in words.
  public var expected: String
  /// How long was waited.
  public var seconds: Double
  /// The events that came instead, in their order.
  public var seen: [String]

  /// What was expected, and what came instead.
  public var description: String {
    let instead = seen.isEmpty ? "nothing came" : "instead came " + seen.joined(separator: "; ")
    return "\(expected) did not come within \(seconds.formatted()) s: \(instead)"
  }
}

extension ExpectationTimeout: BridgedError {
  /// What was expected, and what came instead.
  public var errorDescription: String? { description }
  /// The error domain of this type.
  public static var errorDomain: String { "Seedbed.ExpectationTimeout" }
  /// 1: there is one kind.
  public var errorCode: Int { 1 }
}
