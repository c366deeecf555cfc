import CoreDataLayout
import ObjectModel
import SeedFormats
import StoreInterface

/// How records that say nothing new are found before anything is written.
struct UnchangedScanSettings: Sendable {
  /// Off only in tests, which compare both ways.
  var isOn = true
  /// Bytes that the table of stored keys may take, 11 to 22 for each row. Larger tables are imported into without it.
  /// Nil: its share of the run's memory.
  var memoryBudget: Int?
  /// Bytes of records that may be kept until the source is read to its end. With more, it is read a second time. Nil:
  /// their share of the run's memory.
  var deferredBudget: Int?
  /// Bits of the keys' hashes that count; all but in tests.
  var hashMask = UInt64.max
  /// Where at least so many records are new, and not fewer than one to `rowsPerLoaded` stored rows, they are written as
  /// finished pages and the indexes are made anew. Below that it costs less to insert them one by one.
  var leastLoaded = 20_000
  var rowsPerLoaded = 5
  /// Where at least so many records change stored rows, and not fewer than one to `rowsPerChanged` of them, the table is
  /// written anew. Below that it costs less to update them one by one.
  var leastChanged = 20_000
  var rowsPerChanged = 33
}

/// The first reading of a step's source into a table that has rows: finds the records whose objects have all their
/// values already, without a statement per record, and the records that share a key.
///
/// It only reads. A record is finished here when it is left out by `where:`, or when everything about it is certain: it
/// has no problems, its references lead to objects that stay, and the one stored row with its key waits for nothing and has
/// every value that it gives, byte for byte. Where all of this holds but the last, what the record says is collected, so
/// that many such changes can be written at once. Whatever else there is to a record is left over, and goes the way that
/// all records went before.
struct UnchangedScan {
  /// Records that were finished, by outcome.
  private(set) var unchanged = 0
  private(set) var filtered = 0
  private(set) var recordCount = 0
  /// Records whose keys no stored row has.
  private(set) var newCount = 0
  /// Records whose stored rows have other values, and about which all else is certain.
  private(set) var changedCount = 0
  /// Rows of the table.
  let rowCount: Int
  /// Hashes of keys that more than one record may have.
  private(set) var repeatedKeys: Set<UInt64> = []
  /// The other records, in input order, a batch for each batch that had some; nil when they are too many to keep.
  private(set) var deferred: DeferredRecords
  /// Those of them that change no stored row, or about which something is undecided; only kept where changes are collected.
  private var undecided: DeferredRecords
  /// Records of the source by number, faults not counted, that are known to be unchanged.
  private var isUnchanged = RecordSet()
  /// Those whose keys no stored row has.
  private var isNew = RecordSet()
  /// Those that change a stored row.
  private var isChanged = RecordSet()
  /// Whether what they say has been written.
  private var changesAreWritten = false
  /// What they say; nil where only SQLite can write it.
  private var changes: ChangedRows?
  /// Numbers of the records of the batch at hand in a later reading; none while there is none.
  private var numbers = 0..<0
  private var comparison: RowComparison?
  private var lookup: StoredRowLookup?
  /// For batches that no worker has searched for.
  private var finder: StoredRowLookup.Worker?
  private let plan: StepPlan
  private let session: ImportSession
  /// Columns of references that must lead somewhere.
  private let demanded: [Int]
  private var keyHashes: [UInt64] = []

  init(
    _ comparison: RowComparison, _ lookup: StoredRowLookup, changes: ChangedRows?, plan: StepPlan,
    session: ImportSession
  ) {
    self.comparison = comparison
    self.lookup = lookup
    self.changes = changes
    finder = lookup.makeWorker()
    rowCount = comparison.rowCount
    deferred = DeferredRecords(plan, session)
    undecided = deferred
    self.plan = plan
    self.session = session
    demanded = plan.root.references.filter { $0.relationship.requiresDestination }.compactMap(\.column)
  }

  // MARK: - The first reading

  /// Takes up a batch, in input order.
  mutating func examine(_ decoded: DecodedBatch) throws {
    guard let comparison, let result = try decoded.lookup ?? finder?.find(decoded) else { return }
    let node = decoded.root
    let count = decoded.records.count
    decoded.lookup = nil
    let found = result.found
    let repeated = comparison.note(found)
    noteKeys(node, found, repeated)
    let mayMeetWaiting = !session.hasNothingWaiting

    // What is neither a row nor has a problem was left out.
    var isLeft = [Bool](repeating: false, count: count)
    var isRow = [Bool](repeating: false, count: count)
    var isAbsent = isRow
    var isUncertain = isRow
    for row in 0..<node.batch.count {
      let record = Int(node.records[row])
      isRow[record] = true
      if found.findings[row] != .same { isLeft[record] = true }
      if found.findings[row] == .absent { isAbsent[record] = true }
      // A stored row that may go again, or that another change is held back for, has its own way.
      if mayMeetWaiting, found.primaryKeys[row] != 0 {
        let object = RowReference(primaryKey: found.primaryKeys[row], entityIndex: node.plan.entity.index)
        if session.isProvisional(object) || session.isHeld(object) { isUncertain[record] = true }
      }
      for column in demanded where unsafe node.batch.states[column][row] == RowBatch.State.null.rawValue {
        isUncertain[record] = true
      }
    }
    // A reference of the key that leads nowhere now does not while the step runs: it is none to the step's own entity.
    for reference in result.unresolved { isUncertain[Int(reference.node.records[reference.row])] = true }
    for record in decoded.problems.keys {
      isUncertain[record] = true
      isAbsent[record] = false
    }
    isUnchanged.reserve(recordCount + count)
    isNew.reserve(recordCount + count)
    try collectChanges(node, result, repeated, isUncertain)
    var left: [Int] = []
    var undecided: [Int] = []
    for record in 0..<count {
      if isAbsent[record] {
        isNew.insert(recordCount + record)
        newCount += 1
      }
      if isLeft[record] || isUncertain[record] {
        isLeft[record] = true
        left.append(record)
        if isUncertain[record] || !isChanged.contains(recordCount + record) { undecided.append(record) }
      } else if isRow[record] {
        unchanged += 1
        isUnchanged.insert(recordCount + record)
      } else {
        filtered += 1
      }
    }
    recordCount += count
    register(node, isLeft, found)
    // Faults are only known where the whole batch is.
    if decoded.records.faults.isEmpty {
      deferred.add(left, of: decoded)
      if changes != nil { self.undecided.add(undecided, of: decoded) }
    } else {
      deferred.giveUp()
      self.undecided.giveUp()
    }
  }

  /// Collects what the batch says of stored rows, where all else about it is certain.
  /// - Parameter repeated: rows whose stored rows were found before: what becomes of those is decided record by record.
  private mutating func collectChanges(
    _ node: DecodedNode, _ result: StoredRowLookup.Result, _ repeated: [Int], _ isUncertain: [Bool]
  ) throws {
    guard let changes else { return }
    defer { if let rows = result.changes { lookup?.recycle(rows) } }
    for row in repeated { changes.leaveOut(primaryKey: result.found.primaryKeys[row]) }
    // With so many, a set of their keys would take more memory than there is.
    if changes.leftOutCount > Self.greatestLeftOutCount {
      self.changes = nil
      changedCount = 0
      isChanged = RecordSet()
      return
    }
    guard let encoded = result.changes else { return }
    isChanged.reserve(recordCount + isUncertain.count)
    var position = 0
    for row in 0..<node.batch.count where result.found.findings[row] == .different {
      defer { position += 1 }
      let record = Int(node.records[row])
      if isUncertain[record] || changes.isLeftOut(primaryKey: result.found.primaryKeys[row]) { continue }
      try changes.add(
        position, of: encoded, primaryKey: result.found.primaryKeys[row], tag: recordCount + record)
      isChanged.insert(recordCount + record)
      changedCount += 1
    }
  }

  private static let greatestLeftOutCount = 100_000

  /// Objects of unchanged records are entered where others look for them, as those of all records are.
  private func register(_ node: DecodedNode, _ isLeft: [Bool], _ found: RowComparison.Found) {
    guard !session.tables.tables(for: node.plan.entity).isEmpty else { return }
    node.primaryKeys = (0..<node.batch.count).map { row in
      isLeft[Int(node.records[row])] ? 0 : found.primaryKeys[row]
    }
    session.tables.register(node)
  }

  /// Two records with one key either find the same stored row, or none: then their keys are kept.
  private mutating func noteKeys(_ node: DecodedNode, _ found: RowComparison.Found, _ repeated: [Int]) {
    var key: [UInt8] = []
    func hash(_ row: Int) -> UInt64? {
      key.removeAll(keepingCapacity: true)
      guard PayloadKey.append(node, row: row, to: &key) == .key else { return nil }
      return unsafe key.withUnsafeBytes { unsafe KeyHash.hash($0) }
    }
    for row in repeated { if let hash = hash(row) { repeatedKeys.insert(hash) } }
    for row in 0..<node.batch.count where found.findings[row] == .absent || found.findings[row] == .ambiguous {
      if let hash = hash(row) { keyHashes.append(hash) }
    }
  }

  /// To be called at the end of the first reading: from here on the store may be written to.
  mutating func finish() {
    comparison = nil
    lookup = nil
    finder = nil
    keyHashes.sort()
    for (left, right) in zip(keyHashes, keyHashes.dropFirst()) where left == right { repeatedKeys.insert(left) }
    keyHashes = []
  }

  // MARK: - Changes

  /// What many records say of stored rows, to be written at once; nil where they are few, or only SQLite can write it.
  mutating func manyChanges(_ settings: UnchangedScanSettings) -> ChangedRows? {
    defer { changes = nil }
    guard changedCount >= settings.leastChanged, changedCount >= rowCount / settings.rowsPerChanged else { return nil }
    return changes
  }

  /// From here on the records that change rows count as written, unless their changes were refused.
  mutating func markWritten(_ changes: ChangedRows) {
    changesAreWritten = true
    deferred = undecided
    for record in changes.refused { isChanged.remove(record) }
    if !changes.refused.isEmpty { deferred.giveUp() }
  }

  // MARK: - Later readings

  /// To be called before the records are read again.
  mutating func beginReading() { numbers = 0..<0 }

  /// Takes the rows of unchanged records out of a batch, in input order, and those of changed ones that are or will be
  /// written.
  /// - Parameter changesAreWritten: nil when it is known.
  /// - Returns: the number of the unchanged.
  mutating func dropUnchanged(from decoded: DecodedBatch, changesAreWritten: Bool? = nil) -> Int {
    advance(decoded)
    if changesAreWritten ?? self.changesAreWritten { _ = drop(from: decoded) { isChanged.contains($0) } }
    return drop(from: decoded) { isUnchanged.contains($0) }
  }

  /// Takes the rows of unchanged and of new records out of a batch, in input order, and those of changed ones that are
  /// written.
  mutating func dropFinished(from decoded: DecodedBatch) {
    advance(decoded)
    _ = drop(from: decoded) {
      isUnchanged.contains($0) || isNew.contains($0) || changesAreWritten && isChanged.contains($0)
    }
  }

  private mutating func advance(_ decoded: DecodedBatch) {
    numbers = numbers.upperBound..<numbers.upperBound + decoded.records.count
  }

  private func drop(from decoded: DecodedBatch, _ isFinished: (Int) -> Bool) -> Int {
    let good = numbers.map { !isFinished($0) }
    guard good.contains(false) else { return 0 }
    let before = decoded.root.batch.count
    decoded.root.keep(records: good)
    return before - decoded.root.batch.count
  }

  /// Whether no stored row has the key of a record of the batch at hand: such a record need not be looked for.
  func isKnownNew(_ record: Int) -> Bool { record < numbers.count && isNew.contains(numbers.lowerBound + record) }
}

extension StepRun {
  /// Whether a first reading has found that no stored row has the key of a row, so that it need not be looked for.
  func isKnownNew(_ node: DecodedNode, row: Int) -> Bool {
    scan?.isKnownNew(Int(node.records[row])) ?? false
  }

  /// Reads the source a first time, to find the records that say nothing new.
  /// - Returns: nil when that is not possible, and all records go through the store.
  func scanForUnchanged() throws -> UnchangedScan? {
    let settings = session.unchangedScan
    guard settings.isOn, plan.allowsUnchangedScan,
      let comparison = try session.store.comparison(
        of: plan.root.entity, columns: plan.root.columns, keyColumns: plan.root.matchColumns,
        comparesValues: plan.step.onMatch != .keep, memoryBudget: settings.memoryBudget ?? session.memory.storedKeys,
        workers: session.jobs, hashMask: settings.hashMask)
    else { return nil }
    let changes =
      report.strategy == .upsert && plan.allowsTableRewrite
      ? try session.store.changedRows(
        of: plan.root.entity, columns: plan.root.columns, keyColumns: plan.root.matchColumns,
        memoryBudget: session.memory.changedRows)
      : nil
    let lookup = StoredRowLookup(comparison, changes: changes?.shape, plan, session: session)
    var scan = UnchangedScan(comparison, lookup, changes: changes, plan: plan, session: session)
    var stages = stages(superseded: SupersededRecords())
    if lookup.isFree { stages.lookup = lookup }
    try stages.run(
      header: { file, columns in headers[file] = columns },
      consume: { try scan.examine($0) })
    scan.finish()
    // Which of several records wins where the first does depends on those before it, the unchanged ones included.
    if !scan.repeatedKeys.isEmpty, plan.step.duplicates != .last { return nil }
    return scan
  }

  /// Counts what the scan has found, and writes the deferred records.
  /// - Returns: false when the source has to be read again for that.
  func writeDeferred() throws -> Bool {
    guard let scan, let deferred = scan.deferred.batches, scan.repeatedKeys.isEmpty else {
      return false
    }
    report.counts.filtered += scan.filtered
    report.counts.unchanged += scan.unchanged
    session.progress.add(records: scan.recordCount)
    let decoder = RecordDecoder(plan: plan)
    for (file, records) in deferred {
      try session.checkCancellation()
      try consume(decoder.decode(records, file: file, superseded: SupersededRecords()), isFinal: false)
    }
    return true
  }
}

extension StepPlan {
  /// Whether all there is to a record is a row of its own that a stored one can be compared with, and whether that row
  /// is found and its references lead to the same objects whatever became of the records before it.
  var allowsUnchangedScan: Bool {
    guard step.onMatch == .update || step.onMatch == .keep, root.children.isEmpty, !root.match.isEmpty,
      root.matchColumns.allSatisfy({ $0 >= 0 })
    else { return false }
    var matched: Set<String>? = []
    for part in root.match {
      switch part {
      case .attribute(let column): matched?.insert(root.columns[column].source.propertyName)
      case .reference: matched = nil
      }
    }
    for reference in root.references {
      if reference.relationship.isToMany || reference.column == nil || reference.orderColumn != nil { return false }
      guard reference.table.entity.root == root.entity.root else { continue }
      // Objects of the step's own entity are looked for: what they are found by must be what no update changes.
      if reference.table.isByRecordKey || matched != Set(reference.table.attributes) { return false }
    }
    // A context reads these texts as values that may be other texts.
    return !root.cells.contains { $0.attribute.type == .uri }
  }
}
