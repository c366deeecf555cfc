import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Finds or makes objects in a context for each batch and saves it: the way with full object-graph semantics. Where one
/// batch cannot matter to the next, it is saved while the objects of the next are made, and many new objects are saved
/// as finished pages (`TableRewrite`).
final class FindOrCreateStrategy: WritingStrategy {
  let scope: StepScope
  private let matched: MatchedRecords
  private var held = HeldRecords()
  /// Whether nothing but the records that are held back can make good what they wait for.
  private var isWritingCircles = false
  /// The batch whose objects are being saved.
  private var saving: ObjectSave?
  private var session: ImportSession { scope.session }

  init(_ scope: StepScope) {
    self.scope = scope
    matched = MatchedRecords(plan: scope.plan, session: scope.session)
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

  func write(_ decoded: DecodedBatch, isFinal: Bool) throws {
    let begun: ObjectSave?
    do {
      begun = try begin(decoded, isFinal: isFinal)
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
      if isFinal || !save.waiting.isEmpty || !scope.plan.savesMayOverlap {
        try finishSaving()
      } else {
        decoded.retainRecords()
      }
    } catch {
      saving?.abandon()
      saving = nil
      throw error
    }
  }

  func finish() throws { try scope.reloadTables() }

  func releaseHeld() -> [DecodedBatch] {
    session.heldKeys.remove(step: scope.index)
    return held.release() + matched.release()
  }

  var heldCount: Int { held.count }

  func writeHeld(isLast: Bool, steps: [any ReferringStep]) throws {
    isWritingCircles = isLast
    defer { isWritingCircles = false }
    let before = held.count
    session.heldKeys.remove(step: scope.index)
    let batches =
      isLast
      ? try held.releaseStanding(session.tables, session.pendingReferences, steps: steps) : held.release()
    // What does not stand is held on.
    for batch in held.batches { session.heldKeys.note(batch, step: scope.index) }
    session.pendingReferences.changeHeldRecordCount(by: held.count - before)
    for batch in batches { try importBatch(batch) }
    try finishSaving()
  }

  /// Waits until the last batch is saved.
  private func finishSaving() throws {
    guard let save = saving else { return }
    saving = nil
    try finish(save, session.objects.finish(save))
  }

  /// Finds what the records match and begins to make objects.
  /// - Returns: nil when no record is left.
  private func begin(_ decoded: DecodedBatch, isFinal: Bool) throws -> ObjectSave? {
    var waiting = session.resolver.resolve(
      decoded, isFinal: isFinal, isProvisional: session.pendingReferences.isProvisional)
    var rowCount = decoded.root.rowCount
    /// Adjusts row numbers after rows were dropped.
    func resolveAgain() -> [UnresolvedReference] {
      if decoded.root.rowCount == rowCount { return waiting }
      rowCount = decoded.root.rowCount
      return session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.pendingReferences.isProvisional)
    }
    decoded.dropProblemRows()
    let node = decoded.root
    let plan = scope.plan
    // Nested objects may have created an object that was missing before.
    let existing = try session.objects.existing(
      node, plan: plan, isNew: { plan.root.children.isEmpty && decoded.isKnownNew(node, row: $0) })
    for row in existing.ambiguous { decoded.noteAmbiguousMatch(of: decoded.root, row: row) }
    waiting = resolveAgain()
    // Nearly no batch meets records that wait.
    let mayBeProvisional =
      !isFinal && !(waiting.isEmpty && session.pendingReferences.hasNoWaitingRows && session.heldKeys.isEmpty)
    let old =
      mayBeProvisional ? Set(zip(node.records, existing.primaryKeys).lazy.filter { $1 != 0 }.map { Int($0.0) }) : []
    matched.check(decoded, existing: existing.primaryKeys, unresolved: waiting, isFinal: isFinal)
    waiting = resolveAgain()
    if mayBeProvisional {
      let provisional = ProvisionalRecords(decoded, isNew: { !old.contains($0) }, unresolved: waiting)
      try holdBack(provisional, of: decoded)
      waiting = resolveAgain()
      provisional.deferExclusive(&waiting)
    }
    guard decoded.root.batch.count > 0 else { return nil }
    return try session.objects.begin(decoded, plan: plan, waiting: waiting)
  }

  /// Holds records back as a whole that could not be taken back.
  private func holdBack(_ provisional: ProvisionalRecords, of decoded: DecodedBatch) throws {
    let behind = session.heldKeys.records(of: decoded, behindStep: scope.index)
    let records = try provisional.heldBack(
      holdsWaiting: !isWritingCircles, mayMeetProvisional: !session.pendingReferences.hasNoWaitingRows,
      isProvisional: session.pendingReferences.isProvisional
    ) { try session.objects.matches(of: $0) }.union(behind)
    if records.isEmpty { return }
    let copy = decoded.copy(records: records)
    held.add(copy)
    session.heldKeys.note(copy, step: scope.index)
    session.pendingReferences.changeHeldRecordCount(by: records.count)
    decoded.drop(records: records)
  }

  /// Counts the outcomes of a saved batch.
  private func finish(_ save: ObjectSave, _ result: StepOutcomes) throws {
    scope.count(result)
    let decoded = save.decoded
    // Before rows of refused records go, because the references that wait name rows by number.
    try scope.keepPending(
      save.waiting.filter { decoded.problems[Int($0.node.records[$0.row])] == nil }, of: decoded)
    session.ownerClaims.note(
      decoded, fileName: scope.source.files[decoded.file].name,
      kept: scope.plan.step.onMatch == .keep ? save.matchedRecords : [])
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
