public import Diagnostics

/// What a run asked of its store, counted.
public struct RunCounts: Sendable, Hashable {
  /// What steps asked that write through objects; nothing where none did.
  public var contexts = PerformanceCounts()
  /// Statements, and pages that were written past them. Exports are among it.
  public var store = StoreCounts()

  /// Nothing counted.
  public init() {}
}
