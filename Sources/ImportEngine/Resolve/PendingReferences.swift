import ObjectModel
import Pipelines
import StoreInterface

/// The references of a run whose destinations are not there yet, with the rows that may go because of them. Used by the
/// run's thread.
final class PendingReferences {
  let target: any ImportTarget
  let tables: KeyTables
  private let path: String
  private(set) var pending: PendingReferenceFile
  /// Numbers the files of pending references.
  private var generation = 1
  /// Rows that will be deleted if a reference stays unresolved, as raw root references.
  private(set) var provisionalRows = RootRows()
  /// The provisional rows that must stay, because what was written with them cannot be taken back: by raw root
  /// reference, a reference of a record that needs the row.
  private var needed: [UInt64: PendingReference] = [:]
  /// The rows that were added to them last: all references of a record bring the same.
  private var lastRows: [RowReference] = []
  /// What was written since of relationships whose references wait.
  private(set) var laterStatements: LaterStatements
  /// The index of each entity's root, by `Entity.index`.
  private let rootIndexes: [Int]

  /// - Parameters:
  ///   - plans: of all steps.
  ///   - temporaryPath: the file of pending references; later ones are numbered.
  init(target: any ImportTarget, plans: [StepPlan], tables: KeyTables, temporaryPath: String) {
    self.target = target
    self.tables = tables
    path = temporaryPath
    rootIndexes = target.model.entities.map(\.root.index)
    pending = PendingReferenceFile(path: temporaryPath)
    laterStatements = LaterStatements(plans)
  }

  /// Whether no reference waits.
  var isEmpty: Bool { pending.isEmpty }

  /// Whether no reference and no row waits for another.
  var hasNothingWaiting: Bool { pending.isEmpty && hasNoProvisionalRows }

  /// Whether no row may still be rejected.
  var hasNoProvisionalRows: Bool { provisionalRows.isEmpty }

  /// Keeps a reference. Its record is rejected when it stays unresolved, where the plan demands that.
  func add(_ reference: PendingReference, _ plan: ReferencePlan) throws(RunError) {
    try pending.append(reference)
    laterStatements.expect(plan, of: rootReference(reference.row))
    guard plan.mustResolve, reference.recordRows != lastRows else { return }
    lastRows = reference.recordRows
    for row in reference.recordRows { provisionalRows.insert(rootReference(row)) }
  }

  /// Notes what records state that were written.
  func noteStatements(of decoded: DecodedBatch, step: Int, isWritten: (DecodedNode, Int) -> Bool) {
    laterStatements.note(decoded, step: step, root: rootReference, isWritten: isWritten)
  }

  /// Whether a record that was written later says what the reference's relationship leads to.
  func isOverruled(_ reference: PendingReference, _ plan: ReferencePlan) -> Bool {
    laterStatements.overrule(reference, plan, of: rootReference(reference.row))
  }

  /// Whether a row may still be rejected.
  func isProvisional(_ row: RowReference) -> Bool {
    !provisionalRows.isEmpty && provisionalRows.contains(rootReference(row))
  }

  /// Notes that a row must stay if it is provisional.
  func rely(on row: RowReference, _ reference: PendingReference) {
    let row = rootReference(row)
    if provisionalRows.contains(row), needed[row] == nil { needed[row] = reference }
  }

  /// A reference of a record that needs one of some rows and cannot be taken back.
  func need(ofAny rows: [RowReference]) -> PendingReference? {
    needed.isEmpty ? nil : rows.lazy.compactMap { self.needed[self.rootReference($0)] }.first
  }

  /// The records of a batch that may be about objects of waiting records, which cannot be found by their keys yet.
  func recordsWithPendingKeys(_ decoded: DecodedBatch) -> Set<Int> {
    let hashes = pending.matchKeyHashes
    if hashes.isEmpty { return [] }
    var found: Set<Int> = []
    for node in decoded.root.withDescendants where !node.plan.match.isEmpty {
      for row in 0..<node.batch.count {
        // Records of other keys that share a hash wait too, for nothing.
        if let hash = MatchKey.hash(node, row: row), hashes.contains(hash) { found.insert(Int(node.records[row])) }
      }
    }
    return found
  }

  /// The row with its root entity's index: rows of one table have one numbering.
  func rootReference(_ row: RowReference) -> UInt64 {
    RowReference(primaryKey: row.primaryKey, entityIndex: rootIndexes[row.entityIndex]).rawValue
  }

  /// A file for the references that wait on.
  func nextPending() -> PendingReferenceFile { PendingReferenceFile(path: path + ".\(generation)") }

  /// Replaces the list by the references that still wait, once all others were completed or rejected.
  func replacePending(with left: PendingReferenceFile, provisional: RootRows) {
    pending = left
    provisionalRows = provisional
    needed = needed.filter { provisional.contains($0.key) }
    lastRows = []
    if left.isEmpty { laterStatements.removeAll() }
    generation += 1
  }
}

/// The step that a reference belongs to, and that answers for it when it leads nowhere.
protocol ReferringStep: AnyObject {
  var plan: StepPlan { get }

  /// Refuses the reference's record, which had been written.
  func rejectLate(_ reference: PendingReference, for obstacle: LateObstacle) throws

  /// The error of a reference that may not be set.
  func lateFailure(_ error: LateReferenceError) -> RunError

  /// Where a reference stands, for messages.
  func place(of reference: PendingReference) -> String

  /// The error of a restored reference that leads nowhere.
  func danglingReference(_ reference: PendingReference) -> RunError

  /// Counts a reference that is left empty.
  func noteLeftOut(_ reference: ReferencePlan, of node: NodePlan)
}
