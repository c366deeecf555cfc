import Pipelines
import StoreInterface

/// Inserts or updates rows by a uniqueness constraint, without objects in memory. Many new or changed records are
/// written as finished pages (`TableRewrite`).
final class UpsertStrategy: WritingStrategy {
  let scope: StepScope
  private let heldRecords: HeldRecords
  var held: HeldRecords? { heldRecords }
  private var session: ImportSession { scope.session }

  init(_ scope: StepScope) {
    self.scope = scope
    heldRecords = HeldRecords(step: scope.index, session: scope.session)
  }

  func begin() throws { try scope.beginLookups() }

  func importRecords() throws {
    let writer = NewRowWriter(scope, rules: .upserted)
    let loading = NewRecordLoading(
      prepare: { [scope] in
        writer.preparation = try BulkPreparation(scope.plan, session: scope.session)
        return writer.preparation
      },
      write: { [scope] in
        scope.check($0)
        try writer.write($0, .anything)
      })
    try MatchingReading(scope, rewritesRows: true, loading: loading) { try self.importBatch($0) }.run()
  }

  func write(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws {
    try session.target.inTransaction { try upsert(decoded, arrivals) }
    try scope.rejects.emit(of: decoded)
  }

  func finish() throws { try scope.reloadTables() }

  private func upsert(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws {
    let pending = session.pendingReferences
    _ = session.resolver.resolve(decoded, arrivals, isProvisional: pending.isProvisional)
    decoded.dropProblemRows()
    let node = decoded.root
    let columns = scope.plan.root.matchColumns
    var ambiguous: [Int] = []
    let existing = try session.target.primaryKeys(
      matching: node.batch, keyColumns: columns, isNew: { decoded.isKnownNew(node, row: $0) }, ambiguous: &ambiguous)
    for row in ambiguous { decoded.noteAmbiguousMatch(of: node, row: row) }
    let matched = MatchedRecords(
      decoded, existing: try session.target.rows(of: node.plan.entity, primaryKeys: existing), plan: scope.plan)
    let isUncertain = { arrivals.keepsOrder && pending.isProvisional($0) }
    matched.refuseUnfit { !arrivals.areOver && isUncertain($0) }
    var unresolved = session.resolver.resolve(decoded, arrivals, isProvisional: pending.isProvisional)
    if !arrivals.areOver, !(unresolved.isEmpty && pending.hasNoProvisionalRows && session.heldObjects.isEmpty) {
      hold(decoded, matched, unresolved, arrivals, isUncertain)
      unresolved = session.resolver.resolve(decoded, arrivals, isProvisional: pending.isProvisional)
    }
    guard node.batch.count > 0 else { return }
    heldRecords.dropSuperseded(from: decoded, matched)

    var outcomes = [RowOutcome](repeating: .unchanged, count: node.batch.count)
    var keys = [Int64](repeating: 0, count: node.batch.count)
    try session.target.upsert(
      node.batch, keyColumns: columns, options: UpsertOptions(onMatch: scope.plan.step.onMatch.upsertRule),
      isNew: { decoded.isKnownNew(node, row: $0) },
      // After rows were dropped, the keys no longer belong to the same positions.
      known: existing.count == node.batch.count ? existing : [], outcomes: &outcomes, primaryKeys: &keys)
    var counts = StepOutcomes()
    for (row, outcome) in outcomes.enumerated() { note(outcome, of: decoded, row: row, matched, &counts) }
    scope.count(counts)
    let isWritten = outcomes.map { [.inserted, .updated, .unchanged].contains($0) }
    // A refused record has the primary key of the row that it is about, which keeps its values.
    for (row, outcome) in outcomes.enumerated() where !isWritten[row] && outcome != .kept { keys[row] = 0 }
    node.setPrimaryKeys(keys, ofEntities: try session.target.entityIndexes(of: node.plan.entity, primaryKeys: keys))
    session.tables.register(node) { isWritten[$0] }
    try scope.keepPending(unresolved.filter { outcomes[$0.row] == .inserted }, of: decoded) { isWritten[$1] }
  }

  /// Holds changes back that could not be taken back.
  private func hold(
    _ decoded: DecodedBatch, _ matched: MatchedRecords, _ unresolved: [UnresolvedReference], _ arrivals: Arrivals,
    _ isUncertain: (RowReference) -> Bool
  ) {
    let pending = session.pendingReferences
    let stored = StoredRowReferences([
      decoded.root.records.map { matched.row(ofRecord: Int($0)).map(pending.rootReference) ?? 0 }
    ])
    var records = matched.waiting(unresolved, isUncertain: isUncertain)
    heldRecords.addThoseBehind(&records, of: decoded, stored, arrivals)
    if !records.isEmpty { heldRecords.hold(records, of: decoded, matched, stored) }
  }

  private func note(
    _ outcome: RowOutcome, of decoded: DecodedBatch, row: Int, _ matched: MatchedRecords, _ counts: inout StepOutcomes
  ) {
    let node = decoded.root
    switch outcome {
    case .inserted: counts.inserted += 1
    case .updated: counts.updated += 1
    case .unchanged, .kept: counts.unchanged += 1
    case .conflict, .missing:
      decoded.addProblem(ofRecord: Int(node.records[row]), node.constraintProblem(row: row))
    case .failedMatch: matched.noteMatch(row: row)
    }
  }
}

extension ImportStep.OnMatch {
  /// The same rule in the store's terms.
  fileprivate var upsertRule: UpsertOptions.OnMatch {
    switch self {
    case .update: .update
    case .keep: .keep
    case .fail: .fail
    case .replace: .replace
    }
  }
}

extension StepScope {
  /// Before stored rows are looked up: finishes pages, and builds the indexes by which rows are found.
  func beginLookups() throws {
    try session.endPageLoad()
    try source.meters.index.work { try session.buildIndexes() }
  }

  /// Called after changes of attributes by which objects are found.
  func reloadTables() throws {
    try source.meters.index.work { try session.endPageLoad() }
    try session.reloadTables(changedBy: plan, ifUpdated: outcomes.updated)
  }
}
