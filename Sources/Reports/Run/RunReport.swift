public import Pipelines

/// The report of a run.
public struct RunReport: Sendable {
  /// How a run ended.
  public enum Result: String, Sendable, CaseIterable {
    /// A new store was built and is in place.
    case built
    /// The store that was there was imported into.
    case updated
    /// The store that was there was to be imported into, and nothing was new.
    case unchanged
    /// `replace: when-changed` found nothing new.
    case upToDate = "up-to-date"
    /// `--dry-run`: everything was done but putting the result in place.
    case dryRun = "dry-run"
    /// The run ended without its result; `failure` says why.
    case failed
  }
  /// How the run ended.
  public var result: Result
  /// The pipeline file's path.
  public var pipeline: String
  /// The store's path.
  public var storePath: String
  /// The model's path; empty where the pipeline could not be read.
  public var modelPath = ""
  /// The store's UUID.
  public var storeIdentifier: String
  /// Bytes of the store, its sidecars and its files of external data.
  public var storeBytes: Int
  /// How many files of external data there are, and their part of `storeBytes`.
  public var externalFiles = (count: 0, bytes: 0)
  /// One report per import step, in order.
  public var steps: [StepReport]
  /// Objects of a store that was imported into that no record changed, but that have other members in a to-many
  /// relationship now: their version has risen. Records are counted without them.
  public var ownersUpdated = 0
  /// One report per export step, in order.
  public var exports: [ExportReport]
  /// How many expectations of steps and of the store were met.
  public var expectations = 0
  /// The first rejects, at most 20.
  public var rejects: [Reject]
  /// All rejects, by their reason, in the order of their first records.
  public var rejectGroups: [RejectGroup] = []
  /// The files that the rejects were written to.
  public var rejectFiles: [String]
  /// Warnings that did not stop the run, in sentences: of the model and of the store that it began with.
  public var warnings: [String] = []
  /// Why the run failed; nil unless it did.
  public var failure: RunError?
  /// The time that the run took, by the wall clock.
  public var durationSeconds: Double
  /// Where the time outside the steps went: indexes, sealing, exports.
  public var stages: [StageReport] = []
  /// The run's requests to its store, also where it failed.
  public var work = RunCounts()
  /// Allocations of the process, all threads together; nil unless something counts them (`scripts/count-allocations`).
  public var allocations: Int?
  /// Highest resident memory of the process so far, bytes.
  public var peakMemoryBytes: Int

  /// A report with what every run has.
  package init(
    result: Result, pipeline: String, storePath: String, storeIdentifier: String, storeBytes: Int,
    steps: [StepReport], exports: [ExportReport], rejects: [Reject], rejectFiles: [String], durationSeconds: Double,
    peakMemoryBytes: Int
  ) {
    self.result = result
    self.pipeline = pipeline
    self.storePath = storePath
    self.storeIdentifier = storeIdentifier
    self.storeBytes = storeBytes
    self.steps = steps
    self.exports = exports
    self.rejects = rejects
    self.rejectFiles = rejectFiles
    self.durationSeconds = durationSeconds
    self.peakMemoryBytes = peakMemoryBytes
  }

  /// A report of a run that has done nothing yet.
  package init(result: Result, pipeline: String, storePath: String) {
    self.init(
      result: result, pipeline: pipeline, storePath: storePath, storeIdentifier: "", storeBytes: 0, steps: [],
      exports: [], rejects: [], rejectFiles: [], durationSeconds: 0, peakMemoryBytes: 0)
  }

  /// The outcomes of all steps together.
  public var counts: OutcomeCounts {
    var sum = OutcomeCounts()
    for step in steps { sum += step.counts }
    return sum
  }
}
