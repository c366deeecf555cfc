import Foundation
import ObjectModel
import SQLiteStore
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
  private var bulk: BulkWriter
  /// Column names of each file of the source, by its index.
  var headers: [Int: [String]] = [:]
  /// Keys seen in this step, for `duplicates: first` and `reject`.
  private var seen: KeyTable?
  /// Copies of batches whose records would change existing objects but refer to something not yet there.
  private var held: [DecodedBatch] = []

  init(index: Int, plan: StepPlan, files: [SourceFile], options: FormatOptions, session: ImportSession) {
    self.index = index
    self.plan = plan
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
    let choice = try StrategyChoice.choose(
      plan, isEmpty: { session.isEmpty($0) }, wasEmpty: { session.wasEmpty($0) })
    report.strategy = choice.strategy
    report.reason = choice.reason
    let insertsOnly = choice.strategy == .bulk || choice.strategy == .restore
    if !insertsOnly {
      try session.buildIndexes()
    } else if choice.strategy == .bulk, try session.store.beginPageLoad(plan.nodes.map(\.entity)) {
      report.reason += "; written as finished pages"
    }

    var losers = LoserSet()
    if !plan.step.match.isEmpty {
      if plan.step.duplicates == .last {
        losers = try Census(stages: stages(losers: LoserSet())).losers()
      } else {
        seen = KeyTable()
      }
    }
    try stages(losers: losers).run(
      header: { file, columns in headers[file] = columns },
      consume: { decoded in
        try consume(decoded, isFinal: false)
        session.progress.add(records: decoded.records.count + decoded.records.faults.count)
      })
    try session.store.endPageLoad(workers: session.jobs)
    seen = nil
    session.noteRows(in: plan)
    if !insertsOnly { try session.reloadTables(changedBy: plan, ifUpdated: report.counts.updated) }
    report.durationSeconds = (ContinuousClock.now - start).seconds
  }

  /// Takes up what was held back, now that everything is there.
  func finish() throws {
    let batches = held
    held = []
    for decoded in batches { try consume(decoded, isFinal: true) }
  }

  private func stages(losers: LoserSet) -> StepStages {
    StepStages(
      plan: plan, files: files, options: options, jobs: session.jobs,
      recordsPerBatch: session.recordsPerBatch, losers: losers, cancellation: session.cancellation,
      progress: session.progress)
  }

  // MARK: - A batch

  private func consume(_ decoded: DecodedBatch, isFinal: Bool) throws {
    report.counts.filtered += decoded.filtered
    report.counts.duplicate += decoded.duplicate
    decoded.filtered = 0
    decoded.duplicate = 0
    if plan.step.onMatch == .replace { decoded.root.clearAbsentRelationships() }
    try checkKeys(decoded)
    try session.store.begin()
    do {
      switch report.strategy {
      case .bulk, .restore: try writeBulk(decoded, isFinal: isFinal)
      case .upsert: try writeUpsert(decoded, isFinal: isFinal)
      case .findOrCreate, .automatic: try writeObjects(decoded, isFinal: isFinal)
      }
      try session.store.commit()
    } catch {
      try? session.store.rollback()
      throw error
    }
    try emitRejects(of: decoded)
  }

  /// Drops rows of records that have problems.
  private func dropProblemRows(_ decoded: DecodedBatch) {
    guard !decoded.problems.isEmpty else { return }
    var good = [Bool](repeating: true, count: decoded.records.count)
    for record in decoded.problems.keys { good[record] = false }
    decoded.root.keep(records: good)
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
          RecordProblem(
            rawOffset: nil, property: plan.step.match.joined(separator: "+"), code: "match.missing-key", value: "",
            message: "the match key of \(plan.root.entity.name) (\(plan.step.match.joined(separator: ", "))) is empty",
            hint: "fill it in, or leave such records out with where:"))
        continue
      }
      guard let seen else { continue }
      let isKnown = unsafe key.withUnsafeBytes { unsafe seen.match($0) != .none }
      if !isKnown {
        unsafe key.withUnsafeBytes { unsafe seen.register(KeyTable.Row(primaryKey: 1, entityIndex: 0), for: $0) }
      } else if plan.step.duplicates == .first {
        repeated.append(record)
      } else {
        decoded.problems[record, default: []].append(
          RecordProblem(
            rawOffset: nil, property: plan.step.match.joined(separator: "+"), code: "match.duplicate", value: "",
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
    dropProblemRows(decoded)
  }

  // MARK: - Strategies

  private func writeBulk(_ decoded: DecodedBatch, isFinal: Bool) throws {
    rejectIncomplete(decoded.root, decoded) { _ in true }
    dropProblemRows(decoded)
    if report.strategy == .bulk {
      rejectMissingDestinations(decoded.root, decoded) { _ in true }
      dropProblemRows(decoded)
    }
    try bulk.assignKeys(decoded.root)
    var unresolved: [UnresolvedReference] = []
    while true {
      let before = decoded.problems.count
      unresolved = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
      if decoded.problems.count == before { break }
      // A record was refused after its rows had entered the key tables: others must not find them.
      unregister(decoded.root, decoded)
      var good = [Bool](repeating: true, count: decoded.records.count)
      for record in decoded.problems.keys { good[record] = false }
      dropKeys(decoded.root, good: good)
      decoded.root.keep(records: good)
    }
    let waiting = session.waitingRows(of: decoded, unresolved: unresolved)
    if !waiting.isEmpty {
      unresolved = session.resolver.resolve(decoded, isFinal: isFinal) { row in
        waiting.contains(session.rootForm(row)) || session.isProvisional(row)
      }
    }
    try bulk.write(decoded.root)
    report.counts.inserted += decoded.root.batch.count
    for child in decoded.root.children { countNested(child) }
    try keepPending(unresolved, decoded)
  }

  private func countNested(_ node: DecodedNode) {
    report.nestedInserted += node.batch.count
    for child in node.children { countNested(child) }
  }

  private func unregister(_ node: DecodedNode, _ decoded: DecodedBatch) {
    session.tables.unregister(node) { row in
      decoded.problems[Int(node.records[row])] != nil
    }
    for child in node.children { unregister(child, decoded) }
  }

  private func dropKeys(_ node: DecodedNode, good: [Bool]) {
    node.primaryKeys = zip(node.primaryKeys, node.records).compactMap { good[Int($1)] ? $0 : nil }
    for child in node.children { dropKeys(child, good: good) }
  }

  private func writeUpsert(_ decoded: DecodedBatch, isFinal: Bool) throws {
    var unresolved = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
    dropProblemRows(decoded)
    let node = decoded.root
    let columns = plan.root.matchColumns
    let existing = try session.store.primaryKeys(matching: node.batch, keyColumns: columns)
    try checkExisting(decoded, existing: existing, unresolved: unresolved, isFinal: isFinal)
    unresolved = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
    guard node.batch.count > 0 else { return }

    var outcomes = [RowOutcome](repeating: .unchanged, count: node.batch.count)
    var keys = [Int64](repeating: 0, count: node.batch.count)
    try session.store.upsert(
      node.batch, keyColumns: columns, options: UpsertOptions(onMatch: plan.step.onMatch.storeForm),
      outcomes: &outcomes, primaryKeys: &keys)
    node.primaryKeys = keys
    for (row, outcome) in outcomes.enumerated() {
      switch outcome {
      case .inserted: report.counts.inserted += 1
      case .updated: report.counts.updated += 1
      case .unchanged, .kept: report.counts.unchanged += 1
      case .conflict, .missing: noteConflict(decoded, record: Int(node.records[row]))
      case .failedMatch: noteMatch(decoded, record: Int(node.records[row]))
      }
    }
    session.tables.register(node)
    try keepPending(unresolved.filter { outcomes[$0.row] == .inserted }, decoded)
  }

  private func writeObjects(_ decoded: DecodedBatch, isFinal: Bool) throws {
    _ = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
    dropProblemRows(decoded)
    let existing = try session.objects.existing(decoded.root, plan: plan)
    let unresolved = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
    try checkExisting(decoded, existing: existing, unresolved: unresolved, isFinal: isFinal)
    let waiting = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
    guard decoded.root.batch.count > 0 else { return }
    let result = try session.objects.write(decoded, plan: plan, waiting: waiting)
    report.counts.inserted += result.inserted
    report.counts.updated += result.updated
    report.counts.unchanged += result.unchanged
    report.nestedInserted += result.nestedInserted
    report.nestedUpdated += result.nestedUpdated
    // Before rows of refused records go, because the references that wait name rows by number.
    try keepPending(waiting.filter { decoded.problems[Int($0.node.records[$0.row])] == nil }, decoded)
    dropProblemRows(decoded)
  }

  // MARK: - Records that cannot be written as they are

  /// After it is known which rows exist: refuses incomplete new ones, and matches where the step says so, and
  /// holds back changes to existing objects that refer to something not yet there.
  private func checkExisting(
    _ decoded: DecodedBatch, existing: [Int64], unresolved: [UnresolvedReference], isFinal: Bool
  ) throws {
    let node = decoded.root
    if plan.step.onMatch == .fail {
      for (row, key) in existing.enumerated() where key != 0 { noteMatch(decoded, record: Int(node.records[row])) }
    }
    var isNew: [Int: Bool] = [:]
    for row in 0..<node.batch.count { isNew[Int(node.records[row])] = existing[row] == 0 }
    // A replaced object keeps nothing that the record lacks.
    rejectIncomplete(node, decoded) { isNew[$0] == true || plan.step.onMatch == .replace }
    rejectMissingDestinations(node, decoded) { isNew[$0] == true }

    var waiting: Set<Int> = []
    for reference in unresolved {
      let record = Int(reference.node.records[reference.row])
      if isNew[record] == false { waiting.insert(record) }
    }
    for (row, key) in existing.enumerated() where key != 0 && !isFinal {
      let object = KeyTable.Row(primaryKey: key, entityIndex: node.plan.entity.index)
      if session.isProvisional(object) || session.isHeld(object) { waiting.insert(Int(node.records[row])) }
    }
    waiting = waiting.filter { decoded.problems[$0] == nil }
    if !waiting.isEmpty {
      for (row, key) in existing.enumerated() where key != 0 && waiting.contains(Int(node.records[row])) {
        session.hold(KeyTable.Row(primaryKey: key, entityIndex: node.plan.entity.index))
        // The object is there already: others need not wait for it.
        session.tables.registerRecordKey(of: node, row: row, primaryKey: key)
      }
      held.append(decoded.copy(records: waiting))
      var good = [Bool](repeating: true, count: decoded.records.count)
      for record in waiting { good[record] = false }
      node.keep(records: good)
    }
    dropProblemRows(decoded)
  }

  /// Refuses records that would become new objects but lack something required.
  private func rejectIncomplete(_ node: DecodedNode, _ decoded: DecodedBatch, isNew: (Int) -> Bool) {
    for (row, problems) in node.insertProblems {
      let record = Int(node.records[Int(row)])
      if isNew(record) { decoded.problems[record, default: []].append(contentsOf: problems) }
    }
    for child in node.children { rejectIncomplete(child, decoded, isNew: isNew) }
  }

  /// Refuses records that leave a required to-one relationship without a destination. A reference that merely waits
  /// has a key; whether that leads somewhere is settled later.
  private func rejectMissingDestinations(_ node: DecodedNode, _ decoded: DecodedBatch, isNew: (Int) -> Bool) {
    func refuse(_ row: Int, _ state: RowBatch.State, _ relationship: Relationship, at rawOffset: UInt32?) {
      let record = Int(node.records[row])
      guard state == .null || state == .absent && isNew(record) else { return }
      decoded.problems[record, default: []].append(
        RecordProblem(
          rawOffset: rawOffset, property: relationship.name, code: "value.missing", value: "",
          message: "\(node.plan.entity.name).\(relationship.name) is required and the record has no destination for it",
          hint: "fill it in, or make the relationship optional in the model"))
    }
    for (index, reference) in node.plan.references.enumerated() where reference.relationship.requiresDestination {
      for entry in node.keys[index].entries {
        refuse(Int(entry.row), entry.state, reference.relationship, at: entry.rawOffset)
      }
    }
    for (index, child) in node.plan.children.enumerated() where child.relationship.requiresDestination {
      for (row, state) in node.childStates[index].enumerated() { refuse(row, state, child.relationship, at: nil) }
    }
    for child in node.children { rejectMissingDestinations(child, decoded, isNew: isNew) }
  }

  private func noteConflict(_ decoded: DecodedBatch, record: Int) {
    decoded.problems[record, default: []].append(
      RecordProblem(
        rawOffset: nil, property: "", code: "constraint.conflict", value: "",
        message: "another \(plan.root.entity.name) has the same values under a uniqueness constraint",
        hint: "match by that constraint, or mend the data"))
  }

  /// `on-match: fail`: the record names an object that is in the store already.
  private func noteMatch(_ decoded: DecodedBatch, record: Int) {
    decoded.problems[record, default: []].append(
      RecordProblem(
        rawOffset: nil, property: plan.step.match.joined(separator: "+"), code: "match.exists", value: "",
        message: "the \(plan.root.entity.name) with this match key is already in the store",
        hint: "on-match: fail refuses such records; update or keep accepts them"))
  }

  /// Keeps the references of new rows that wait for their destinations.
  private func keepPending(_ unresolved: [UnresolvedReference], _ decoded: DecodedBatch) throws {
    guard !unresolved.isEmpty else { return }
    let rows = decoded.root.rowsByRecord(unresolved.map { Int($0.node.records[$0.row]) })
    for reference in unresolved {
      let record = Int(reference.node.records[reference.row])
      let place = decoded.records.place(ofRecord: record)
      let plan = reference.node.plan.references[reference.reference]
      let position = decoded.records.position(of: reference.entry.rawOffset, in: place)
      let row = KeyTable.Row(
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
