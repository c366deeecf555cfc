import CoreDataLayout
import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// The first reading of a step's source into a table that has rows: finds the records whose objects have all their
/// values already, without a statement per record, and the records that share a key.
///
/// It only reads. A record is finished here when it is left out by `where:`, or when everything about it is certain: it
/// has no problems, its references lead to objects that stay, and the one stored row with its key waits for nothing and
/// has every value that it gives, byte for byte. When only the values differ, the record's change is collected, so that
/// many such changes can be written together. All other records are deferred, and are imported as without a scan.
struct UnchangedScan {
  private let records: ScannedRecords
  private let scope: StepScope
  private let comparison: RowComparison
  private let lookup: StoredRowLookup
  /// Looks up batches that no worker has looked up.
  private let finder: StoredRowLookup.Worker
  /// Columns of references that must lead somewhere.
  private let demanded: [Int]
  /// Hashes of the keys that lead to no single stored row.
  private var keyHashes: [UInt64] = []
  private var session: ImportSession { scope.session }

  private init(_ scope: StepScope, _ comparison: RowComparison, changes: ChangedRows?, loadsNew: Bool) {
    self.scope = scope
    self.comparison = comparison
    lookup = StoredRowLookup(comparison, changes: changes?.shape, scope.plan, session: scope.session)
    finder = lookup.makeWorker()
    records = ScannedRecords(scope, rowCount: comparison.rowCount, changes: changes, readsAgainForNew: loadsNew)
    demanded = scope.plan.root.references.filter { $0.relationship.requiresDestination }.compactMap(\.column)
  }

  /// Reads the source of a step.
  /// - Parameters:
  ///   - collectsChanges: whether changes of stored rows are kept, so that they can be written as pages.
  ///   - loadsNew: whether new records may be written as pages; where they are many, the source is read again for that.
  /// - Returns: nil when the step's records cannot be compared with stored rows, and all go through the store.
  static func run(_ scope: StepScope, collectsChanges: Bool, loadsNew: Bool) throws -> ScannedRecords? {
    let session = scope.session
    let plan = scope.plan
    let settings = session.unchangedScan
    // Where a reference of an earlier record waits, a record that repeats what is stored overrules it.
    guard settings.isOn, plan.allowsUnchangedScan, !session.tables.recordObjects.watches(plan.root.entity),
      !session.pendingReferences.laterStatements.concern(plan.root),
      let pages = session.target.pages,
      let comparison = try pages.comparison(
        of: plan.root.entity, columns: plan.root.columns, keyColumns: plan.root.matchColumns,
        comparesValues: plan.step.onMatch != .keep, memoryBudget: settings.memoryBudget ?? session.memory.storedKeys,
        workers: session.jobs, hashMask: settings.hashMask)
    else { return nil }
    let changes =
      collectsChanges
      ? try pages.changedRows(
        of: plan.root.entity, columns: plan.root.columns, keyColumns: plan.root.matchColumns,
        memoryBudget: session.memory.changedRows)
      : nil
    var scan = UnchangedScan(scope, comparison, changes: changes, loadsNew: loadsNew)
    try scope.source.read(lookup: scan.lookup.isFree ? scan.lookup : nil) { try scan.examine($0) }
    scan.findRepeatedKeys()
    // With `duplicates: first`, the unchanged records before a record count as well: the scan is of no use.
    if !scan.records.repeatedKeys.isEmpty, plan.step.duplicates != .last { return nil }
    return scan.records
  }

  /// Examines a batch, in input order.
  private mutating func examine(_ decoded: DecodedBatch) throws {
    let result = try decoded.lookup ?? finder.find(decoded)
    let node = decoded.root
    decoded.lookup = nil
    let repeated = comparison.note(result.found)
    noteKeys(node, result.found, repeated)
    var findings = findings(of: decoded, result)
    records.reserve(findings.count)
    try collectChanges(node, result, repeated, findings)
    for record in findings.indices where findings[record].isUncertain { findings[record].isDeferred = true }
    try register(node, findings, result.found)
    records.add(findings, of: decoded)
  }

  private func findings(of decoded: DecodedBatch, _ result: LookedUpRows) -> [ScannedRecords.Finding] {
    let node = decoded.root
    let found = result.found
    let pending = session.pendingReferences
    // Nearly no batch meets records that wait.
    let mayMeetWaiting = !(pending.hasNoProvisionalRows && session.heldObjects.isEmpty)
    let roots =
      mayMeetWaiting
      ? found.primaryKeys.map { key in
        key == 0 ? 0 : pending.rootReference(RowReference(primaryKey: key, entityIndex: node.plan.entity.index))
      } : []
    var findings = [ScannedRecords.Finding](repeating: .init(), count: decoded.records.count)
    for row in 0..<node.batch.count {
      let record = Int(node.records[row])
      findings[record].isRow = true
      if found.findings[row] != .same { findings[record].isDeferred = true }
      if found.findings[row] == .absent { findings[record].isNew = true }
      // A record is deferred when its stored row may still be deleted.
      if mayMeetWaiting, pending.provisionalRows.contains(roots[row]) {
        findings[record].isUncertain = true
      }
      // Safety: the batch was made by the step's plan, of which `demanded` has columns.
      for column in demanded where unsafe node.batch.states[column][row] == RowBatch.State.null.rawValue {
        findings[record].isUncertain = true
      }
    }
    // A reference in the key that leads nowhere now will lead nowhere while the step runs, because it is not to the
    // step's own entity.
    for reference in result.unresolved { findings[Int(reference.node.records[reference.row])].isUncertain = true }
    // Its object has a change that is held back, or is one that a held record brings.
    let behind = session.heldObjects.records(of: decoded, StoredRowReferences([roots]), step: scope.index)
      .union(pending.recordsWithPendingKeys(decoded))
    for record in behind.union(decoded.problems.keys) {
      findings[record].isUncertain = true
      findings[record].isNew = false
    }
    return findings
  }

  /// Collects the batch's changes of stored rows, where all else about the records is certain.
  /// - Parameter repeated: rows whose stored rows were found before; their records are decided one by one.
  private func collectChanges(
    _ node: DecodedNode, _ result: LookedUpRows, _ repeated: [Int], _ findings: [ScannedRecords.Finding]
  ) throws {
    guard let changes = records.changes else { return }
    defer { if let rows = result.changes { lookup.recycle(rows) } }
    for row in repeated { changes.leaveOut(primaryKey: result.found.primaryKeys[row]) }
    // With so many, a set of their keys would take more memory than there is.
    if changes.leftOutCount > Self.greatestLeftOutCount { return records.forgetChanges() }
    guard let encoded = result.changes else { return }
    var position = 0
    for row in 0..<node.batch.count where result.found.findings[row] == .different {
      defer { position += 1 }
      let record = Int(node.records[row])
      let primaryKey = result.found.primaryKeys[row]
      if findings[record].isUncertain || changes.isLeftOut(primaryKey: primaryKey) { continue }
      try records.addChange(record, position, of: encoded, primaryKey: primaryKey)
    }
  }

  private static let greatestLeftOutCount = 100_000

  /// Enters the objects of unchanged records into the key tables, as those of all other records are when they are
  /// written.
  private func register(_ node: DecodedNode, _ findings: [ScannedRecords.Finding], _ found: RowComparison.Found) throws
  {
    guard !session.tables.tables(for: node.plan.entity).isEmpty else { return }
    let keys = (0..<node.batch.count).map { row in
      findings[Int(node.records[row])].isDeferred ? 0 : found.primaryKeys[row]
    }
    node.setPrimaryKeys(keys, ofEntities: try session.target.entityIndexes(of: node.plan.entity, primaryKeys: keys))
    let isKept = scope.plan.step.onMatch == .keep
    session.tables.register(node) { _ in !isKept }
  }

  /// Two records with one key either find the same stored row, or none: then their keys are kept.
  private mutating func noteKeys(_ node: DecodedNode, _ found: RowComparison.Found, _ repeated: [Int]) {
    var key: [UInt8] = []
    func hash(_ row: Int) -> UInt64? {
      key.removeAll(keepingCapacity: true)
      guard MatchKey.append(node, row: row, to: &key) == .key else { return nil }
      return unsafe key.withUnsafeBytes { unsafe KeyHash.hash($0) }
    }
    for row in repeated { if let hash = hash(row) { records.repeatedKeys.insert(hash) } }
    for row in 0..<node.batch.count where found.findings[row] == .absent || found.findings[row] == .ambiguous {
      if let hash = hash(row) { keyHashes.append(hash) }
    }
  }

  private mutating func findRepeatedKeys() {
    records.repeatedKeys.formUnion(KeyHash.repeated(in: &keyHashes))
  }
}

extension StepPlan {
  /// Whether a record consists of one row that can be compared with a stored row, and whether the look-up of that row
  /// and of its references gives the same result whatever the records before it did.
  var allowsUnchangedScan: Bool {
    guard step.onMatch == .update || step.onMatch == .keep, root.children.isEmpty, !root.match.isEmpty,
      root.matchColumns.allSatisfy({ $0 >= 0 })
    else { return false }
    let matched = root.matchAttributes.map { Set($0) }
    for reference in root.references {
      if reference.relationship.isToMany || reference.column == nil || reference.orderColumn != nil { return false }
      // A record before may take the destination away from an object that has it already.
      if reference.relationship.inverse?.isToMany == false { return false }
      guard reference.table.entity.root == root.entity.root else { continue }
      // Objects of the step's own entity are looked for, so no update may change the attributes by which they are
      // found.
      if reference.table.isByRecordKey || matched != Set(reference.table.attributes) { return false }
    }
    // A context converts these texts to values, whose text may then differ.
    return !root.cells.contains { $0.attribute.type == .uri }
  }
}
