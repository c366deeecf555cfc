import CoreDataLayout
import ObjectModel
import SeedFormats
import StoreInterface

/// Many new or changed records for a table that has rows. One by one, each costs a search in the table or in every index;
/// instead the new rows go behind the old ones as finished pages, the old ones are written anew with their changes, and
/// indexes are made anew from all keys in order.
extension StepRun {
  /// Writes the new or the changed records of the source so, or both, where they are many. The others are left, each to be
  /// written as ever, unless new ones were written: then all is done.
  /// - Returns: whether all is done.
  func rewriteTable(_ superseded: SupersededRecords) throws -> Bool {
    guard let settings = scan.map({ _ in session.unchangedScan }), report.strategy == .upsert, plan.allowsPageAppend
    else { return false }
    let loadsNew = scan?.hasManyNew(settings) ?? false
    let changes = scan?.manyChanges(settings)
    guard loadsNew || changes != nil,
      try session.store.beginPageLoad(
        [plan.root.entity], memoryBudget: session.memory.keptColumns, workers: session.jobs, appends: true,
        changes: changes)
    else { return false }
    let others = loadsNew ? try loadNew(superseded, besides: changes) : nil
    try meters.index.work { try session.endPageLoad() }
    if let changes {
      report.counts.updated += changes.updatedCount
      report.counts.unchanged += changes.unchangedCount
      report.reason += "; \(changes.updatedCount) changed records written as finished pages"
      scan?.markWritten(changes)
    }
    guard var others else { return false }
    // What a change was refused for is in its record, which was not kept.
    if let changes, !changes.refused.isEmpty { others.giveUp() }
    scan?.beginReading()
    try write(others, superseded)
    return true
  }

  /// Adds the new records of the source to the load that is going on.
  /// - Parameter changes: what is written of the others by the end of the load.
  /// - Returns: the rest.
  private func loadNew(_ superseded: SupersededRecords, besides changes: ChangedRows?) throws -> DeferredRecords {
    report.reason += "; \(scan?.newCount ?? 0) new records written as finished pages"
    preparation = try BulkPreparation(plan, session: session)
    defer { preparation = nil }
    var others = DeferredRecords(plan, session)
    var stages = stages(superseded: superseded)
    stages.preparation = preparation
    try stages.run(
      header: { file, columns in headers[file] = columns },
      consume: { decoded in
        report.counts.unchanged +=
          scan?.dropUnchanged(from: decoded, changesAreWritten: changes != nil) ?? 0
        others.add(removeOthers(decoded), of: decoded)
        try consume(decoded, isFinal: false, onlyInserts: true)
        session.progress.add(records: decoded.records.count + decoded.records.faults.count)
      })
    return others
  }

  /// Takes the rows out of a batch that are not known to be new.
  /// - Returns: their records, in order.
  private func removeOthers(_ decoded: DecodedBatch) -> [Int] {
    let node = decoded.root
    var others: [Int] = []
    var good = [Bool](repeating: true, count: decoded.records.count)
    for row in 0..<node.batch.count where !isKnownNew(node, row: row) {
      let record = Int(node.records[row])
      // What is wrong with a record is told at once.
      guard decoded.problems[record] == nil else { continue }
      others.append(record)
      good[record] = false
    }
    if !others.isEmpty { node.keep(records: good) }
    return others
  }

  /// Writes the records that are neither new nor unchanged nor refused already.
  private func write(_ others: DeferredRecords, _ superseded: SupersededRecords) throws {
    if let batches = others.batches {
      let decoder = RecordDecoder(plan: plan)
      for (file, records) in batches {
        try session.checkCancellation()
        try consume(decoder.decode(records, file: file, superseded: SupersededRecords()), isFinal: false)
      }
      return
    }
    try stages(superseded: superseded).run(
      header: { file, columns in headers[file] = columns },
      consume: { decoded in
        scan?.dropFinished(from: decoded)
        decoded.filtered = 0
        decoded.duplicate = 0
        decoded.dropProblemRows()
        decoded.problems = [:]
        decoded.faultsAreDone = true
        try consume(decoded, isFinal: false)
      })
  }
}

extension UnchangedScan {
  /// Whether it costs less to make the indexes anew than to keep them up row by row.
  func hasManyNew(_ settings: UnchangedScanSettings) -> Bool {
    newCount >= settings.leastLoaded && newCount >= rowCount / settings.rowsPerLoaded
  }
}

extension StepPlan {
  /// Whether changes of stored rows can be written without their records: nothing else hangs on those.
  var allowsTableRewrite: Bool { allowsPageAppend && step.onMatch == .update && root.recordKey == nil }

  /// Whether new rows need no look into an index: the only constraint is the match key, by which they are known to be new
  /// among all rows of their table.
  var allowsPageAppend: Bool {
    let key = Set(
      root.match.map { part in
        switch part {
        case .attribute(let column): root.columns[column].source.propertyName
        case .reference(let index): root.references[index].property
        }
      })
    // Those of the sub-entities, which share the table, count as well.
    func isFree(_ entity: Entity) -> Bool {
      entity.uniquenessConstraints.allSatisfy { Set($0) == key } && entity.subentities.allSatisfy(isFree)
    }
    return root.entity.superentity == nil && isFree(root.entity)
  }
}
