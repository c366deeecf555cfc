public import Diagnostics

/// What a run asked of its store, counted.
public struct RunWork: Sendable, Hashable {
  /// What steps asked that write through objects; nothing where none did.
  public var contexts = PerformanceCounts()
  /// Statements, and pages that were written past them. Exports are among it.
  public var store = StoreWork()

  /// Nothing counted.
  public init() {}
}
