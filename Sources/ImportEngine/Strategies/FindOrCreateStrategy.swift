import ObjectModel
import Pipelines
import StoreInterface

/// Finds or makes objects in a context for each batch and saves it: the way with full object-graph semantics. Where one
/// batch cannot matter to the next, it is saved while the objects of the next are made, and many new objects are saved
/// as finished pages (`TableRewrite`).
final class FindOrCreateStrategy: WritingStrategy {
  let scope: StepScope
  private let heldRecords: HeldRecords
  var held: HeldRecords? { heldRecords }
  /// The batch whose objects are being saved.
  private var saving: ObjectSave?
  private var session: ImportSession { scope.session }

  init(_ scope: StepScope) {
    self.scope = scope
    heldRecords = HeldRecords(step: scope.index, session: scope.session)
  }

  func begin() throws { try scope.beginLookups() }

  func importRecords() throws {
    do {
      // The store takes the rows of new objects as finished pages; a fetch, a look-up or another change ends that.
      let loading =
        scope.plan.savesMayOverlap
        ? NewRecordLoading(write: { try self.importBatch($0) }, finish: { try self.finishSaving() }) : nil
      try MatchingReading(scope, rewritesRows: false, loading: loading) { try self.importBatch($0) }.run()
    } catch {
      // The batch before is finished first, so that its outcomes count and its problems come first.
      try finishSaving()
      throw error
    }
    try finishSaving()
  }

  func write(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws {
    let begun: ObjectSave?
    do {
      begun = try begin(decoded, arrivals)
    } catch {
      // The batch before is finished first, and its problems come first.
      try finishSaving()
      throw error
    }
    guard let save = begun else {
      try finishSaving()
      return try scope.rejects.emit(of: decoded)
    }
    let previous = saving
    saving = save
    do {
      // One that was not written is written record by record first, or ends the run.
      let mayWrite = previous?.waitUntilWritten() ?? true
      if mayWrite { save.allow() }
      let result = try previous.map { try session.objects.finish($0) }
      if !mayWrite { save.allow() }
      if let previous, let result { try finish(previous, result) }
      if arrivals.areOver || !save.unresolved.isEmpty || !scope.plan.savesMayOverlap {
        try finishSaving()
      } else {
        decoded.recordsAreRetained = true
      }
    } catch {
      saving?.abandon()
      saving = nil
      throw error
    }
  }

  func finish() throws {
    try finishSaving()
    try scope.reloadTables()
  }

  /// Waits until the last batch is saved.
  private func finishSaving() throws {
    guard let save = saving else { return }
    saving = nil
    try finish(save, session.objects.finish(save))
  }

  /// Finds what the records match and begins to make objects.
  /// - Returns: nil when no record is left.
  private func begin(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws -> ObjectSave? {
    let pending = session.pendingReferences
    var rowCount = -1
    var unresolved: [UnresolvedReference] = []
    /// Resolves anew where rows were dropped, because that changes row numbers.
    func resolve() {
      if decoded.root.rowCount == rowCount { return }
      rowCount = decoded.root.rowCount
      unresolved = session.resolver.resolve(decoded, arrivals, isProvisional: pending.isProvisional)
    }
    resolve()
    decoded.dropProblemRows()
    let node = decoded.root
    let plan = scope.plan
    // Nested objects may have created an object that was missing before.
    let existing = try session.objects.existing(
      node, plan: plan, isNew: { plan.root.children.isEmpty && decoded.isKnownNew(node, row: $0) })
    for row in existing.ambiguous { decoded.noteAmbiguousMatch(of: decoded.root, row: row) }
    resolve()
    let matched = MatchedRecords(decoded, existing: existing.rows, plan: plan)
    let isUncertain = { arrivals.keepsOrder && pending.isProvisional($0) }
    matched.refuseUnfit { !arrivals.areOver && isUncertain($0) }
    resolve()
    // Nearly no batch meets records that wait.
    if !arrivals.areOver, !(unresolved.isEmpty && pending.hasNoProvisionalRows && session.heldObjects.isEmpty) {
      let stored = try storedRows(of: decoded, matched)
      let provisional = ProvisionalRecords(decoded, isNew: { !matched.isStored($0) }, unresolved: unresolved)
      hold(provisional, of: decoded, matched, stored, unresolved, arrivals, isUncertain)
      resolve()
      provisional.deferExclusive(&unresolved)
    }
    guard decoded.root.batch.count > 0 else { return nil }
    heldRecords.dropSuperseded(from: decoded, matched)
    return try session.objects.begin(decoded, plan: plan, unresolved: unresolved)
  }

  /// Holds records back as a whole that could not be taken back.
  private func hold(
    _ provisional: ProvisionalRecords, of decoded: DecodedBatch, _ matched: MatchedRecords,
    _ stored: StoredRowReferences,
    _ unresolved: [UnresolvedReference], _ arrivals: Arrivals, _ isUncertain: (RowReference) -> Bool
  ) {
    let pending = session.pendingReferences
    var records = matched.waiting(unresolved, isUncertain: isUncertain)
    records.formUnion(
      provisional.heldBack(stored, holdsWaiting: arrivals.waitsForProvisional) {
        arrivals.keepsOrder && pending.provisionalRows.contains($0)
      })
    if scope.plan.step.addsMembers { records.formUnion(provisional.recordsBehindProvisional()) }
    heldRecords.addThoseBehind(&records, of: decoded, stored, arrivals)
    if !records.isEmpty { heldRecords.hold(records, of: decoded, matched, stored) }
  }

  /// What the rows of a batch match.
  private func storedRows(of decoded: DecodedBatch, _ matched: MatchedRecords) throws -> StoredRowReferences {
    let pending = session.pendingReferences
    let root = decoded.root.records.map { record in
      matched.row(ofRecord: Int(record)).map(pending.rootReference) ?? 0
    }
    return StoredRowReferences(
      try [root]
        + decoded.root.withDescendants.dropFirst().map { node in
          if node.plan.match.isEmpty { return [] }
          return try session.objects.matches(of: node).map { match in
            match.row.map(pending.rootReference) ?? 0
          }
        })
  }

  /// Counts the outcomes of a saved batch.
  private func finish(_ save: ObjectSave, _ result: StepOutcomes) throws {
    scope.count(result)
    let decoded = save.decoded
    let kept = save.keptRecords
    // Before rows of refused records go, because the references that wait name rows by number.
    try scope.keepPending(
      save.unresolved.filter { decoded.problems[Int($0.node.records[$0.row])] == nil }, of: decoded
    ) { !kept.contains(Int($0.records[$1])) }
    session.ownerClaims.note(
      decoded, step: scope.index, fileName: scope.source.files[decoded.file].name, kept: kept)
    decoded.dropProblemRows()
    try scope.rejects.emit(of: decoded)
  }
}

extension StepPlan {
  /// Whether objects can be made of a batch before the batch before it is stored, with the same result: no two batches
  /// have to do with the same object, and the objects that they refer to are of other steps and may have any number of
  /// members.
  var savesMayOverlap: Bool {
    guard root.children.isEmpty else { return false }
    for part in root.match {
      switch part {
      case .attribute(let column):
        // Values of other types may be equal where their keys differ.
        switch root.columnTypes[column] {
        case .integer16, .integer32, .integer64, .boolean, .string, .uuid, .binary: continue
        default: return false
        }
      case .reference(let index):
        // Several record keys may lead to one object.
        if root.references[index].table.isByRecordKey { return false }
      }
    }
    return root.references.allSatisfy { reference in
      let relationship = reference.relationship
      return !relationship.isToMany && relationship.inverse?.isToMany != false
        && relationship.inverse?.hasCountLimit != true && relationship.destination.root != root.entity.root
    }
  }
}
