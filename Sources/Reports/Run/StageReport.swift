/// A kind of work of a run, done by one worker or several at once.
public enum Stage: String, Sendable, CaseIterable {
  /// Reading a source's bytes, inflating them, and cutting them into batches of whole records.
  case read
  /// Finding the records of a JSON document, which cannot be cut.
  case scan
  /// Finding the fields of records and making rows of them.
  case decode
  /// Resolving references, and writing the rows.
  case write
  /// Building indexes.
  case index
  /// Checking the store and making it final.
  case seal
  /// Writing exports.
  case export
}

/// Where the time of one stage went: the stage that is busy while the others wait is the one that a run is bound by.
public struct StageReport: Sendable {
  /// The work of the stage.
  public var stage: Stage
  /// How many workers it had; more than at once where they came one after another.
  public var workers: Int
  /// Time at work, of all workers together.
  public var busySeconds: Double
  /// Time waited for the stage before, of all workers together.
  public var inputWaitSeconds: Double
  /// Time waited for the stage after, of all workers together.
  public var outputWaitSeconds: Double
  /// The records or rows that went through the stage.
  public var rows: Int
  /// Bytes taken in by the stage, where it works on bytes; 0 elsewhere.
  public var bytes: Int
  /// Allocations of its workers; nil unless something counts them (`scripts/count-allocations`). Those of
  /// threads that a worker starts, such as those that sort, are counted only in the run's total.
  public var allocations: Int?

  /// The measurements of a stage.
  package init(
    stage: Stage, workers: Int, busySeconds: Double, inputWaitSeconds: Double, outputWaitSeconds: Double, rows: Int,
    bytes: Int, allocations: Int?
  ) {
    self.stage = stage
    self.workers = workers
    self.busySeconds = busySeconds
    self.inputWaitSeconds = inputWaitSeconds
    self.outputWaitSeconds = outputWaitSeconds
    self.rows = rows
    self.bytes = bytes
    self.allocations = allocations
  }

  /// The report of both readings of a source: rows and bytes of this one, and the rest summed up.
  package func following(_ earlier: StageReport) -> StageReport {
    var sum = self
    sum.workers += earlier.workers
    sum.busySeconds += earlier.busySeconds
    sum.inputWaitSeconds += earlier.inputWaitSeconds
    sum.outputWaitSeconds += earlier.outputWaitSeconds
    sum.allocations = allocations.map { $0 + (earlier.allocations ?? 0) }
    return sum
  }
}
