import ObjectModel
import SQLiteStore
import SeedFormats
import StoreInterface

/// Many new records for a table that has rows. Inserting them one by one costs a search in every index for each; instead
/// the new rows go behind the old ones as finished pages, and the indexes are made anew from all keys in order.
extension StepRun {
  /// Writes the new records of the source so, where they are many; and then the others, each as ever.
  /// - Returns: false when the records are few, or it is not possible.
  func loadNew(_ losers: LoserSet) throws -> Bool {
    guard let recognition, report.strategy == .upsert, recognition.hasManyNew(session.recognition), plan.canLoadNew,
      try session.store.beginPageLoad(
        [plan.root.entity], memoryBudget: session.memory.keptColumns, appends: true)
    else { return false }
    report.reason += "; \(recognition.newCount) new records written as finished pages"
    preparation = try BulkPreparation(plan, session: session)
    var others = KeptRecords(plan, session)
    var hasOthers = false
    var stages = stages(losers: losers)
    stages.preparation = preparation
    try stages.run(
      header: { file, columns in headers[file] = columns },
      consume: { decoded in
        report.counts.unchanged += self.recognition?.dropUnchanged(from: decoded) ?? 0
        let left = takeOut(decoded)
        others.add(left, of: decoded)
        if !left.isEmpty { hasOthers = true }
        try consume(decoded, isFinal: false, onlyInserts: true)
        session.progress.add(records: decoded.records.count + decoded.records.faults.count)
      })
    preparation = nil
    try meters.index.work { try session.endPageLoad() }
    self.recognition?.beginReading()
    if hasOthers { try write(others, losers) }
    return true
  }

  /// Takes the rows out of a batch that are not known to be new.
  /// - Returns: their records, in order.
  private func takeOut(_ decoded: DecodedBatch) -> [Int] {
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
  private func write(_ others: KeptRecords, _ losers: LoserSet) throws {
    if let batches = others.batches {
      let decoder = RecordDecoder(plan: plan)
      for (file, records) in batches {
        try session.checkCancellation()
        try consume(decoder.decode(records, file: file, losers: LoserSet()), isFinal: false)
      }
      return
    }
    try stages(losers: losers).run(
      header: { file, columns in headers[file] = columns },
      consume: { decoded in
        recognition?.dropSettled(from: decoded)
        decoded.filtered = 0
        decoded.duplicate = 0
        decoded.dropProblemRows()
        decoded.problems = [:]
        decoded.faultsAreDone = true
        try consume(decoded, isFinal: false)
      })
  }
}

extension Recognition {
  /// Whether it costs less to make the indexes anew than to keep them up row by row.
  func hasManyNew(_ settings: RecognitionSettings) -> Bool {
    newCount >= settings.leastLoaded && newCount >= rowCount / settings.rowsPerLoaded
  }
}

extension StepPlan {
  /// Whether new rows need no look into an index: the only constraint is the match key, by which they are known to be new
  /// among all rows of their table.
  var canLoadNew: Bool {
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
