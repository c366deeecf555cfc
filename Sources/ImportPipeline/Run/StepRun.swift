import CoreDataLayout
import Foundation
import ObjectModel
import SeedFormats
import StoreInterface

/// Runs one import step: consumes decoded batches in input order, resolves, writes and counts.
final class StepRun {
  let index: Int
  let plan: StepPlan
  let files: [SourceFile]
  let options: FormatOptions
  let session: ImportSession
  var report: StepReport
  let meters = StepMeters()
  /// Which fields the records have had; nil for CSV, whose columns are known beforehand.
  let met: MetFields?
  var bulk: BulkWriter
  /// What decode workers do for a bulk step beyond decoding.
  var preparation: BulkPreparation?
  /// Column names of each file of the source, by its index.
  var headers: [Int: [String]] = [:]
  /// Settings of files with rejects, where files may state their delimiter themselves.
  var ownSettings: [Int: SourceSettings] = [:]
  /// What a first reading of the source found out, where the tables have rows.
  var scan: UnchangedScan?
  /// Keys seen in this step, for `duplicates: first` and `reject`.
  var seen: KeyTable?
  /// Whether the source is read in the hope that once will do.
  private(set) var isOnePassAttempt = false
  /// The batch whose objects are being saved.
  var saving: ObjectSave?
  /// References with `missing: null` that lead nowhere, by relationship.
  var leftOut: [String: Int] = [:]
  /// Copies of batches whose records would change existing objects but refer to something not yet there.
  private var held: [DecodedBatch] = []

  init(index: Int, plan: StepPlan, files: [SourceFile], options: FormatOptions, session: ImportSession) {
    self.index = index
    self.plan = plan
    met = MetFields(plan)
    self.files = files
    self.options = options
    self.session = session
    self.bulk = BulkWriter(store: session.store, tables: session.tables)
    report = StepReport(
      name: plan.step.name, entity: plan.step.entity, source: plan.step.source.written,
      strategy: plan.step.strategy, reason: "")
  }

  func run() throws {
    let start = ContinuousClock.now
    // Of a step that fails, too.
    defer {
      report.durationSeconds = (ContinuousClock.now - start).seconds
      report.stages = meters.reports
      report.readings = meters.readingCount
    }
    let choice = try StrategyChoice.choose(
      plan, preferred: session.strategy, isEmpty: { session.isEmpty($0) }, wasEmpty: { session.wasEmpty($0) })
    report.strategy = choice.strategy
    report.reason = choice.reason
    let insertsOnly = choice.strategy == .bulk || choice.strategy == .restore
    let entities = plan.nodes.map(\.entity)
    // Steps that restore entities of one table go on with one load.
    if choice.strategy != .restore || !session.store.isPageLoading(entities) { try session.endPageLoad() }
    if !insertsOnly {
      try meters.index.work { try session.buildIndexes() }
    } else if try session.store.isPageLoading(entities)
      || session.store.beginPageLoad(
        entities, memoryBudget: session.memory.keptColumns, workers: session.jobs)
    {
      report.reason += "; written as finished pages"
      if choice.strategy == .bulk { preparation = try BulkPreparation(plan, session: session) }
    }

    if try !loadInOnePass() {
      scan = insertsOnly ? nil : try scanForUnchanged()
      var superseded = SupersededRecords()
      if !plan.step.match.isEmpty {
        if plan.step.duplicates == .last {
          let duplicates = DuplicateKeyScan(stages: stages(superseded: SupersededRecords()))
          superseded = try scan.map { try duplicates.superseded(among: $0.repeatedKeys) } ?? duplicates.superseded()
        } else {
          seen = KeyTable(memory: session.keyMemory)
        }
      }
      do {
        if try !rewriteTable(superseded), try !writeDeferred() { try take(superseded) }
      } catch {
        // What had been taken up before counts all the same, and what is wrong with it comes first.
        try finishSaving()
        throw error
      }
      try finishSaving()
      scan = nil
    }
    preparation = nil
    session.releaseTables(after: index)
    if choice.strategy != .restore { try meters.index.work { try session.endPageLoad() } }
    seen = nil
    session.noteRows(in: plan)
    if !insertsOnly { try session.reloadTables(changedBy: plan, ifUpdated: report.counts.updated) }
    report.notes = sourceNotes()
    report.warnings = fieldWarnings()
  }

  /// Reads the source and takes its records up, without those that lose against a later one.
  private func take(_ superseded: SupersededRecords) throws {
    var stages = stages(superseded: superseded)
    stages.preparation = preparation
    try stages.run(
      header: { file, columns in headers[file] = columns },
      consume: { decoded in
        report.counts.unchanged += scan?.dropUnchanged(from: decoded) ?? 0
        try consume(decoded, isFinal: false)
        session.progress.add(records: decoded.records.count + decoded.records.faults.count)
      })
  }

  /// With `duplicates: last`, reads the source only once, in the hope that no match key comes twice and no record is
  /// refused; otherwise everything is as before the attempt.
  /// - Returns: whether all records were taken up.
  private func loadInOnePass() throws -> Bool {
    guard preparation != nil, !plan.step.match.isEmpty, plan.step.duplicates == .last else { return false }
    isOnePassAttempt = true
    seen = matchTable == nil ? KeyTable(memory: session.keyMemory) : nil
    defer {
      isOnePassAttempt = false
      seen = nil
    }
    let before = report
    do {
      try take(SupersededRecords())
      session.progress.add(bytes: SourceInputs.bytes(of: files))
      return true
    } catch is OnePassFailed {
      report = before
      // The step's tables were empty, and so was what is known of their objects.
      for (_, table) in session.tables.tables(for: plan.root.entity) { table.removeAll() }
      try session.store.abandonPageLoad()
      let isLoading = try session.store.beginPageLoad(
        plan.nodes.map(\.entity), memoryBudget: session.memory.keptColumns, workers: session.jobs)
      preparation = isLoading ? try BulkPreparation(plan, session: session) : nil
      return false
    }
  }

  /// Takes up what was held back, now that everything is there.
  func finish() throws {
    let batches = held
    held = []
    for decoded in batches {
      try consume(decoded, isFinal: true)
      leftOut.merge(decoded.leftOut) { $0 + $1 }
    }
    addLeftOutNotes()
  }

  func stages(superseded: SupersededRecords) -> StepStages {
    StepStages(
      plan: plan, files: files, options: options, jobs: session.jobs,
      recordsPerBatch: min(session.recordsPerBatch, plan.recordsPerBatch), superseded: superseded,
      cancellation: session.cancellation,
      progress: session.progress, met: met, meters: meters)
  }

  // MARK: - A batch

  /// Ends the attempt to read the source only once.
  private struct OnePassFailed: Error {}

  /// Takes up the records of a batch.
  /// - Parameters:
  ///   - isFinal: nothing more will come that they may refer to.
  ///   - onlyInserts: whether all of them are known to be new, and pages are being written.
  func consume(_ decoded: DecodedBatch, isFinal: Bool, onlyInserts: Bool = false) throws {
    report.counts.filtered += decoded.filtered
    report.counts.duplicate += decoded.duplicate
    decoded.filtered = 0
    decoded.duplicate = 0
    if isOnePassAttempt {
      guard decoded.problems.isEmpty, decoded.records.faults.isEmpty, try writeEncoded(decoded) else {
        throw OnePassFailed()
      }
      return
    }
    if plan.step.onMatch == .replace { decoded.root.clearAbsentRelationships() }
    try checkKeys(decoded)
    let strategy = onlyInserts ? .bulk : report.strategy
    if strategy == .findOrCreate || strategy == .automatic { return try writeObjects(decoded, isFinal: isFinal) }
    try session.store.begin()
    do {
      if strategy == .upsert {
        try writeUpsert(decoded, isFinal: isFinal)
      } else {
        try writeBulk(decoded, isFinal: isFinal)
      }
      try session.store.commit()
    } catch {
      try? session.store.rollback()
      throw error
    }
    try emitRejects(of: decoded)
  }

  /// Refuses records without a complete natural key, and finds repeated ones where the first wins.
  private func checkKeys(_ decoded: DecodedBatch) throws {
    guard !plan.root.match.isEmpty else { return }
    let node = decoded.root
    var repeated: [Int] = []
    var key: [UInt8] = []
    for row in 0..<node.batch.count {
      let record = Int(node.records[row])
      key.removeAll(keepingCapacity: true)
      guard PayloadKey.append(node, row: row, to: &key) == .key else {
        decoded.problems[record, default: []].append(
          node.matchProblem(
            "match.missing-key", row: row,
            message: "the match key of \(plan.root.entity.name) (\(plan.step.match.joined(separator: ", "))) is empty",
            hint: "fill it in, or leave such records out with where:"))
        continue
      }
      guard let seen else { continue }
      let isKnown = unsafe key.withUnsafeBytes { unsafe seen.match($0) != .none }
      if !isKnown {
        unsafe key.withUnsafeBytes { unsafe seen.register(RowReference(primaryKey: 1, entityIndex: 0), for: $0) }
      } else if plan.step.duplicates == .first {
        repeated.append(record)
      } else {
        decoded.problems[record, default: []].append(
          node.matchProblem(
            "match.duplicate", row: row,
            message: "an earlier record has the same match key (\(plan.step.match.joined(separator: ", ")))",
            hint: "mend the data, or choose duplicates: first or last"))
      }
    }
    if !repeated.isEmpty {
      report.counts.duplicate += repeated.count
      var good = [Bool](repeating: true, count: decoded.records.count)
      for record in repeated { good[record] = false }
      node.keep(records: good)
    }
    decoded.dropProblemRows()
  }

  // MARK: - Strategies

  private func writeUpsert(_ decoded: DecodedBatch, isFinal: Bool) throws {
    var unresolved = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
    decoded.dropProblemRows()
    let node = decoded.root
    let columns = plan.root.matchColumns
    var ambiguous: [Int] = []
    let existing = try session.store.primaryKeys(
      matching: node.batch, keyColumns: columns, isNew: { isKnownNew(node, row: $0) }, ambiguous: &ambiguous)
    for row in ambiguous { decoded.noteAmbiguousMatch(of: node, row: row) }
    try checkExisting(decoded, existing: existing, unresolved: unresolved, isFinal: isFinal)
    unresolved = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
    guard node.batch.count > 0 else { return }

    var outcomes = [RowOutcome](repeating: .unchanged, count: node.batch.count)
    var keys = [Int64](repeating: 0, count: node.batch.count)
    try session.store.upsert(
      node.batch, keyColumns: columns, options: UpsertOptions(onMatch: plan.step.onMatch.storeForm),
      isNew: { isKnownNew(node, row: $0) },
      // Where rows were dropped since, the keys belong to others.
      known: existing.count == node.batch.count ? existing : [], outcomes: &outcomes, primaryKeys: &keys)
    node.primaryKeys = keys
    for (row, outcome) in outcomes.enumerated() {
      switch outcome {
      case .inserted: report.counts.inserted += 1
      case .updated: report.counts.updated += 1
      case .unchanged, .kept: report.counts.unchanged += 1
      case .conflict, .missing:
        decoded.problems[Int(node.records[row]), default: []].append(node.constraintProblem(row: row))
      case .failedMatch: noteMatch(decoded, row: row)
      }
    }
    session.tables.register(node)
    try keepPending(unresolved.filter { outcomes[$0.row] == .inserted }, decoded)
  }

  // MARK: - Records that cannot be written as they are

  /// After it is known which rows exist: refuses incomplete new ones, and matches where the step says so, and
  /// holds back changes to existing objects that refer to something not yet there.
  func checkExisting(
    _ decoded: DecodedBatch, existing: [Int64], unresolved: [UnresolvedReference], isFinal: Bool
  ) throws {
    let node = decoded.root
    if plan.step.onMatch == .fail {
      for (row, key) in existing.enumerated() where key != 0 && decoded.problems[Int(node.records[row])] == nil {
        noteMatch(decoded, row: row)
      }
    }
    var isNew: [Int: Bool] = [:]
    for row in 0..<node.batch.count { isNew[Int(node.records[row])] = existing[row] == 0 }
    // A replaced object keeps nothing that the record lacks.
    decoded.refuseIncomplete { isNew[$0] == true || plan.step.onMatch == .replace }
    decoded.refuseMissingDestinations { isNew[$0] == true }

    var waiting: Set<Int> = []
    for reference in unresolved {
      let record = Int(reference.node.records[reference.row])
      if isNew[record] == false { waiting.insert(record) }
    }
    for (row, key) in existing.enumerated() where key != 0 && !isFinal {
      let object = RowReference(primaryKey: key, entityIndex: node.plan.entity.index)
      if session.isProvisional(object) || session.isHeld(object) { waiting.insert(Int(node.records[row])) }
    }
    waiting = waiting.filter { decoded.problems[$0] == nil }
    if !waiting.isEmpty {
      for (row, key) in existing.enumerated() where key != 0 && waiting.contains(Int(node.records[row])) {
        session.hold(RowReference(primaryKey: key, entityIndex: node.plan.entity.index))
        // The object is there already: others need not wait for it.
        session.tables.registerRecordKey(of: node, row: row, primaryKey: key)
      }
      held.append(decoded.copy(records: waiting))
      var good = [Bool](repeating: true, count: decoded.records.count)
      for record in waiting { good[record] = false }
      node.keep(records: good)
    }
    decoded.dropProblemRows()
  }

  /// `on-match: fail`: the row's record names an object that is in the store already.
  private func noteMatch(_ decoded: DecodedBatch, row: Int) {
    let node = decoded.root
    decoded.problems[Int(node.records[row]), default: []].append(
      node.matchProblem(
        "match.exists", row: row,
        message: "the \(plan.root.entity.name) with this match key is already in the store",
        hint: "on-match: fail refuses such records; update or keep accepts them"))
  }

  /// Keeps the references of new rows that wait for their destinations.
  func keepPending(_ unresolved: [UnresolvedReference], _ decoded: DecodedBatch) throws {
    guard !unresolved.isEmpty else { return }
    let rows = decoded.root.rowsByRecord(unresolved.map { Int($0.node.records[$0.row]) })
    for reference in unresolved {
      let record = Int(reference.node.records[reference.row])
      let place = decoded.records.place(ofRecord: record)
      let plan = reference.node.plan.references[reference.reference]
      let position = decoded.records.position(of: reference.entry.rawOffset, in: place)
      let row = RowReference(
        primaryKey: reference.node.primaryKeys[reference.row], entityIndex: reference.node.plan.entity.index)
      try unsafe session.addPending(
        PendingReference(
          step: index, node: reference.node.plan.index, reference: reference.reference, row: row,
          recordRows: rows[record] ?? [row],
          key: reference.node.keys[reference.reference].withKey(reference.entry) { unsafe Array($0) },
          file: decoded.file, line: Int(position.line), column: Int(position.column),
          byteOffset: Int(place.byteOffset) + Int(reference.entry.rawOffset),
          pointer: decoded.pointer(
            record: record, rawOffset: reference.entry.rawOffset, source: self.plan.step.source) ?? "",
          // A restored record is never rejected late.
          record: plan.isStored ? [] : unsafe Array(decoded.records.rawBytes(of: place))), blocks: plan.mustResolve)
    }
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
