import CoreDataLayout
import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Writes many new or changed records of a step into a table that has rows. One by one, each costs a search in the
/// table or in every index; instead the new rows go behind the old ones as finished pages, the old ones are written
/// anew with their changes, and indexes are made anew from all keys in order.
struct TableRewrite {
  let scope: StepScope
  /// The findings of a first reading.
  let scanned: ScannedRecords
  let superseded: SupersededRecords
  let loading: NewRecordLoading
  /// Writes the records of a batch one by one.
  let write: (DecodedBatch) throws -> Void
  private var session: ImportSession { scope.session }

  /// Writes the new or the changed records, or both, where they are many. The others are left to be written one by one;
  /// only where new ones were written, they are written here too.
  /// - Returns: whether all is done.
  func run() throws -> Bool {
    let appends = scanned.hasManyNew
    let changes = scanned.releaseChangesIfMany()
    guard appends || changes != nil, let pages = session.target.pages,
      try pages.beginPageLoad(
        [scope.plan.root.entity], memoryBudget: session.memory.keptColumns, workers: session.jobs, appends: true,
        changes: changes)
    else { return false }
    let others = appends ? try append(besides: changes) : nil
    try scope.source.meters.index.work { try session.endPageLoad() }
    if let changes {
      scope.count(
        StepOutcomes(
          updated: changes.updatedCount, unchanged: changes.unchangedCount,
          remarks: ["\(changes.updatedCount) changed records written as finished pages"]))
      scanned.markWritten(changes)
    }
    guard var others else { return false }
    // The reason why a change was refused is in its record, which was not kept.
    if let changes, !changes.refused.isEmpty { others.giveUp() }
    try writeOthers(others)
    return true
  }

  /// Adds the new records of the source to the load that is going on.
  /// - Parameter changes: the changes of stored rows, which are written at the end of the load.
  /// - Returns: the rest.
  private func append(besides changes: ChangedRows?) throws -> DeferredRecords {
    let before = scope.outcomes.inserted
    let preparation = try loading.prepare()
    var others = DeferredRecords(scope.plan, session)
    try scope.source.read(without: superseded, preparation: preparation) { decoded in
      scope.count(StepOutcomes(unchanged: scanned.dropUnchanged(from: decoded, changesAreWritten: changes != nil)))
      others.add(removeOthers(decoded), of: decoded)
      try loading.write(decoded)
      scope.addProgress(of: decoded)
    }
    try loading.finish()
    // A record that was refused may have ended the load.
    let written = scope.outcomes.inserted - before
    if written > 0, session.target.pages?.isPageLoading == true {
      scope.count(StepOutcomes(remarks: ["\(written) new records written as finished pages"]))
    }
    return others
  }

  /// Takes the rows out of a batch that are not known to be new.
  /// - Returns: their records, in order.
  private func removeOthers(_ decoded: DecodedBatch) -> [Int] {
    let node = decoded.root
    var others: [Int] = []
    var good = [Bool](repeating: true, count: decoded.records.count)
    for row in 0..<node.batch.count where !decoded.isKnownNew(node, row: row) {
      let record = Int(node.records[row])
      // Problems of a record are reported at once.
      guard decoded.problems[record] == nil else { continue }
      others.append(record)
      good[record] = false
    }
    if !others.isEmpty { node.keep(records: good) }
    return others
  }

  /// Writes the records that are neither new nor unchanged nor refused already.
  private func writeOthers(_ others: DeferredRecords) throws {
    if others.areComplete { return try others.forEachBatch(scope, write) }
    scanned.beginReading()
    try scope.source.read(without: superseded) { decoded in
      scanned.dropFinished(from: decoded)
      decoded.forgetLeftOut()
      decoded.dropProblemRows()
      decoded.forgetRejected()
      try write(decoded)
    }
  }
}

extension StepPlan {
  /// Whether changes of stored rows can be written without their records, because nothing else depends on the records.
  var allowsTableRewrite: Bool { allowsPageAppend && step.onMatch == .update && root.recordKey == nil }

  /// Whether new rows need no look into an index: the only constraint is the match key, by which they are known to be
  /// new among all rows of their table.
  var allowsPageAppend: Bool {
    let key = Set(root.matchProperties)
    // Those of the sub-entities, which share the table, count as well.
    func isFree(_ entity: Entity) -> Bool {
      entity.uniquenessConstraints.allSatisfy { Set($0) == key } && entity.subentities.allSatisfy(isFree)
    }
    return root.entity.superentity == nil && isFree(root.entity)
  }
}
