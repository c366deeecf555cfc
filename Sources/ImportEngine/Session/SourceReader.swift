import Pipelines
import SeedFormats

/// Reads the source of a step, as often as the step needs it.
final class SourceReader {
  let plan: StepPlan
  let files: [SourceFile]
  let options: FormatOptions
  let meters = StepMeters()
  /// Which fields the records have had; nil for CSV, whose columns are known beforehand.
  let seenFields: SeenFields?
  /// Column names of each file of the source, by its index.
  private(set) var headers: [Int: [String]] = [:]
  private let session: ImportSession

  init(plan: StepPlan, files: [SourceFile], options: FormatOptions, session: ImportSession) {
    self.plan = plan
    self.files = files
    self.options = options
    self.session = session
    seenFields = SeenFields(plan)
  }

  /// Reads the source from the beginning to the end.
  /// - Parameters:
  ///   - superseded: records that are left out because of others with their keys.
  ///   - preparation: what the workers do with a batch besides decoding it.
  ///   - lookup: likewise, in a reading that looks stored rows up.
  ///   - consume: called batch after batch in input order.
  func read(
    without superseded: SupersededRecords = SupersededRecords(), preparation: BulkPreparation? = nil,
    lookup: StoredRowLookup? = nil, _ consume: (DecodedBatch) throws -> Void
  ) throws {
    let stages = StepStages(
      plan: plan, files: files, options: options, jobs: session.jobs,
      recordsPerBatch: min(session.recordsPerBatch, plan.recordsPerBatch), superseded: superseded,
      cancellation: session.cancellation, progress: session.progress, preparation: preparation, lookup: lookup,
      seenFields: seenFields, meters: meters)
    try stages.run(header: { file, columns in headers[file] = columns }, consume: consume)
  }
}
