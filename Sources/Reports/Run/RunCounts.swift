public import Diagnostics

/// Counts of a run's requests to its store.
public struct RunCounts: Sendable, Hashable {
  /// The requests of steps that write through objects; zero where no step did.
  public var contexts = PerformanceCounts()
  /// Statements, and pages that were written past them; those of exports too.
  public var store = StoreCounts()

  /// Counts that are all zero.
  public init() {}
}
