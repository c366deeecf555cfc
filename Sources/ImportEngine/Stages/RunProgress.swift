import Synchronization

/// Counters that the command's progress line reads while the run goes on.
public final class RunProgress: Sendable {
  /// The phases of a run.
  public enum Phase: Int, Sendable {
    case importing, indexing, sealing, exporting
  }

  private let records = Atomic<Int>(0)
  private let stepNumber = Atomic<Int>(0)
  private let bytesRead = Atomic<Int>(0)
  private let bytesTotal = Atomic<Int>(0)
  private let phaseNumber = Atomic<Int>(0)

  /// Counters that are all zero, in the first phase.
  public init() {}

  /// Records taken up so far in all steps.
  public var recordCount: Int { records.load(ordering: .relaxed) }
  /// The phase that the run is in.
  public var phase: Phase { Phase(rawValue: phaseNumber.load(ordering: .relaxed)) ?? .importing }
  /// The import step at work, from 1; 0 before the first.
  public var step: Int { stepNumber.load(ordering: .relaxed) }
  /// Bytes of the sources read so far and in all, as they lie on disk; the remaining time is estimated from them.
  public var bytes: (read: Int, total: Int) {
    (bytesRead.load(ordering: .relaxed), bytesTotal.load(ordering: .relaxed))
  }

  func add(records count: Int) { records.wrappingAdd(count, ordering: .relaxed) }
  func add(bytes count: Int) { bytesRead.wrappingAdd(count, ordering: .relaxed) }
  func expect(bytes count: Int) { bytesTotal.store(count, ordering: .relaxed) }
  func begin(_ phase: Phase) { phaseNumber.store(phase.rawValue, ordering: .relaxed) }
  func begin(step: Int) { stepNumber.store(step, ordering: .relaxed) }
}
