import Pipelines
import SeedFormats

/// Records that are kept until their source is read to its end, as they stand in it.
struct DeferredRecords {
  /// The records in input order, a batch for each batch that had some; nil when they cannot be kept.
  private var batches: [(file: Int, records: RecordBatch)]? = []
  private var byteCount = 0
  private let budget: Int
  private let isNumbered: Bool

  init(_ plan: StepPlan, _ session: ImportSession) {
    budget = session.unchangedScan.deferredBudget ?? session.memory.deferredRecords
    isNumbered = plan.step.source.format.isDocument
  }

  /// Keeps some records of a batch.
  mutating func add(_ records: [Int], of decoded: DecodedBatch) {
    guard batches != nil, !records.isEmpty else { return }
    // The numbers of elements in a document are only known where the whole batch is.
    if isNumbered { return giveUp() }
    let kept = decoded.records.copy(ofRecords: records)
    byteCount += kept.byteCount
    batches?.append((decoded.file, kept))
    if byteCount > budget { giveUp() }
  }

  /// Whether all that were to be kept are there.
  var areComplete: Bool { batches != nil }

  /// Decodes the records, batch after batch.
  func forEachBatch(_ scope: StepScope, _ body: (DecodedBatch) throws -> Void) throws {
    let decoder = RecordDecoder(plan: scope.plan)
    for (file, records) in batches ?? [] {
      try scope.session.cancellation.check()
      try body(decoder.decode(records, file: file, superseded: SupersededRecords()))
    }
  }

  /// Forgets them all: the source is read again.
  mutating func giveUp() { batches = nil }
}
