import ObjectModel
import Pipelines
import Reports
import SeedFormats

/// The state that the parts of one import step share: its plan, its source, and the outcomes of its records. Used by
/// the run's thread.
final class StepScope: ReferringStep {
  /// Number of the step among the run's import steps.
  let index: Int
  let plan: StepPlan
  let session: ImportSession
  let source: SourceReader
  let rejects: StepRejects
  let keys: KeyCheck
  private(set) var outcomes = StepOutcomes()
  /// References with `missing: null` that lead nowhere, by relationship.
  private var leftOut: [String: Int] = [:]

  init(index: Int, plan: StepPlan, files: [SourceFile], options: FormatOptions, session: ImportSession) {
    self.index = index
    self.plan = plan
    self.session = session
    source = SourceReader(plan: plan, files: files, options: options, session: session)
    rejects = StepRejects(index: index, source: source, session: session)
    keys = KeyCheck(plan: plan, memory: session.keyMemory)
  }

  // MARK: - Outcomes

  /// Adds outcomes of records.
  func count(_ more: StepOutcomes) { outcomes += more }

  /// Forgets the outcomes of records in a reading that was given up.
  func recount(from before: StepOutcomes) { outcomes = before }

  // MARK: - Batches

  /// Prepares a batch before its rows are written: counts the records that were left out by decoding.
  func countLeftOut(of decoded: DecodedBatch) {
    count(StepOutcomes(filtered: decoded.filtered, duplicate: decoded.duplicate))
    decoded.forgetLeftOut()
  }

  /// Tells the progress that all records of a batch are done with.
  func addProgress(of decoded: DecodedBatch) {
    session.progress.add(records: decoded.records.count + decoded.records.faults.count)
  }

  // MARK: - References that lead nowhere

  /// Refuses a record that had been written.
  func rejectLate(_ pending: PendingReference, for obstacle: LateObstacle) throws {
    guard let node = plan.node(pending.node) else { return }
    outcomes.inserted -= 1
    outcomes.nestedInserted -= Set(pending.recordRows).count - 1
    try rejects.add(pending, of: node, for: obstacle)
  }

  /// The error of a reference to an object that came later, which would break a rule.
  func lateFailure(_ error: LateReferenceError) -> RunError { rejects.lateFailure(error) }

  /// Where a reference stands: file, line and column.
  func place(of pending: PendingReference) -> String { rejects.place(of: pending) }

  /// The error of a restored reference that leads nowhere: the dump is not whole.
  func danglingReference(_ pending: PendingReference) -> RunError { rejects.danglingReference(pending) }

  /// Counts a reference with `missing: null` whose key no object has.
  func noteLeftOut(_ reference: ReferencePlan, of node: NodePlan) {
    leftOut["\(node.entity.name).\(reference.property)", default: 0] += 1
  }

  /// Counts those of a batch.
  func noteLeftOut(of decoded: DecodedBatch) { leftOut.merge(decoded.leftOut) { $0 + $1 } }

  /// The report's note about them, once no more destinations can come.
  var leftOutNotes: [SourceNote] {
    leftOut.sorted { $0.key < $1.key }.map {
      SourceNote(source: plan.step.source.written, leftOut: $0.key, count: $0.value)
    }
  }
}
