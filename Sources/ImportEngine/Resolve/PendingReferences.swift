import ObjectModel
import StoreInterface

/// The references of a run whose destinations are not there yet, with the records and objects that wait because of
/// them. Used by the run's thread.
final class PendingReferences {
  let target: any ImportTarget
  let tables: KeyTables
  private let path: String
  private(set) var pending: PendingReferenceFile
  /// Numbers the files of pending references.
  private var generation = 1
  /// Rows that will be deleted if a reference stays unresolved, as raw root references.
  private(set) var provisionalRows: Set<UInt64> = []
  /// Objects with changes that are held back, likewise: later changes queue up behind them.
  private var held: Set<UInt64> = []
  /// New records that are held back as a whole.
  private var heldRecordCount = 0

  /// - Parameter temporaryPath: the file of pending references; later ones are numbered.
  init(target: any ImportTarget, tables: KeyTables, temporaryPath: String) {
    self.target = target
    self.tables = tables
    path = temporaryPath
    pending = PendingReferenceFile(path: temporaryPath)
  }

  /// Whether no reference waits.
  var isEmpty: Bool { pending.isEmpty }

  /// Whether no reference, record or object waits for another.
  var hasNothingWaiting: Bool { pending.isEmpty && hasNoWaitingRows && heldRecordCount == 0 }

  /// Whether no record or object waits for another.
  var hasNoWaitingRows: Bool { provisionalRows.isEmpty && held.isEmpty }

  /// Keeps a reference.
  /// - Parameter blocks: whether its record is rejected when it stays unresolved.
  func add(_ reference: PendingReference, blocks: Bool) throws(RunError) {
    try pending.append(reference)
    guard blocks else { return }
    for row in reference.recordRows { provisionalRows.insert(rootReference(row)) }
  }

  /// Whether a row may still be rejected.
  func isProvisional(_ row: RowReference) -> Bool {
    !provisionalRows.isEmpty && provisionalRows.contains(rootReference(row))
  }

  /// Notes that new records are held back, or are not any more.
  func changeHeldRecordCount(by difference: Int) { heldRecordCount += difference }

  /// Notes that a change of an object is held back.
  func hold(_ row: RowReference) { held.insert(rootReference(row)) }

  func isHeld(_ row: RowReference) -> Bool { !held.isEmpty && held.contains(rootReference(row)) }

  /// The row with its root entity's index: rows of one table have one numbering.
  func rootReference(_ row: RowReference) -> UInt64 {
    let entities = target.model.entities
    return RowReference(primaryKey: row.primaryKey, entityIndex: entities[row.entityIndex].root.index).rawValue
  }

  /// A file for the references that wait on.
  func nextPending() -> PendingReferenceFile { PendingReferenceFile(path: path + ".\(generation)") }

  /// Replaces the list by the references that still wait, once all others were completed or rejected.
  func replacePending(with left: PendingReferenceFile, provisional: Set<UInt64>) {
    pending = left
    provisionalRows = provisional
    generation += 1
  }
}

/// The step that a reference belongs to, and that answers for it when it leads nowhere.
protocol ReferringStep: AnyObject {
  var plan: StepPlan { get }

  /// Refuses the reference's record, which had been written.
  func rejectLate(_ reference: PendingReference) throws

  /// The error of a restored reference that leads nowhere.
  func danglingReference(_ reference: PendingReference) -> RunError

  /// Counts a reference that is left empty.
  func noteLeftOut(_ reference: ReferencePlan, of node: NodePlan)
}
