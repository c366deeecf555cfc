/// What became of one import step.
public struct StepReport: Sendable {
  public var name: String
  public var entity: String
  public var source: String
  public var strategy: ImportStep.Strategy
  /// Why this strategy.
  public var reason: String
  public var counts = OutcomeCounts()
  /// Objects that nested mappings added or changed besides the records themselves.
  public var nestedInserted = 0
  public var nestedUpdated = 0
  public var durationSeconds = 0.0
}

/// What became of one export step.
public struct ExportReport: Sendable {
  public var entity: String
  public var path: String
  public var rows: Int
  public var durationSeconds: Double
}

/// What a run did.
public struct RunReport: Sendable {
  public enum Result: String, Sendable {
    case built
    /// `replace: when-changed` found nothing new.
    case upToDate = "up-to-date"
    /// `--dry-run`: everything was done but putting the result in place.
    case dryRun = "dry-run"
  }
  public var result: Result
  public var pipeline: String
  public var storePath: String
  public var storeIdentifier: String
  /// Bytes of the store and its sidecars.
  public var storeBytes: Int
  public var steps: [StepReport]
  public var exports: [ExportReport]
  public var rejects: [Reject]
  public var rejectFiles: [String]
  public var durationSeconds: Double
  /// Highest resident memory of the process so far, bytes.
  public var peakMemoryBytes: Int

  public var counts: OutcomeCounts {
    var sum = OutcomeCounts()
    for step in steps { sum += step.counts }
    return sum
  }
}
