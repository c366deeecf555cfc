import Diagnostics
import Foundation
import ObjectModel
import Pipelines
import Reports
import StoreInterface

/// The state that the import steps of one run share: the store being built, key tables, pending references, rejects.
/// Used by one thread, the run's.
final class ImportSession {
  /// The target of the steps.
  let target: any ImportTarget
  let tables: KeyTables
  let resolver: ReferenceResolver
  let rejects: RejectCollector
  let progress: RunProgress
  let cancellation: Cancellation
  let jobs: Int
  let recordsPerBatch: Int
  let memory: MemoryBudget
  /// Where natural keys are kept.
  let keyMemory: KeyMemory
  private var objectWriter: ObjectWriter?
  /// References that wait for their destinations.
  let pendingReferences: PendingReferences
  /// The objects of records that are held back.
  var heldObjects = HeldObjects()
  /// Where records of the run contradict each other.
  var ownerClaims: OwnerClaims
  let unchangedScan: UnchangedScanSettings
  /// The strategy of steps that state none; nil: each takes the fastest one that it can.
  let strategy: ImportStep.Strategy?
  /// Root entities whose tables have rows.
  private var filled: Set<Int> = []
  /// Those whose tables had rows when the run began.
  private let filledBefore: Set<Int>
  private var indexesAreDeferred: Bool

  init(
    target: any ImportTarget, plans: [StepPlan], rejects: RejectCollector, progress: RunProgress,
    cancellation: Cancellation,
    jobs: Int, recordsPerBatch: Int, memory: MemoryBudget, temporaryPath: String, isFresh: Bool,
    unchangedScan: UnchangedScanSettings, strategy: ImportStep.Strategy?
  ) throws {
    self.target = target
    self.strategy = strategy
    self.unchangedScan = unchangedScan
    self.rejects = rejects
    self.progress = progress
    self.cancellation = cancellation
    self.jobs = jobs
    self.recordsPerBatch = recordsPerBatch
    self.memory = memory
    ownerClaims = OwnerClaims(limit: memory.ownerClaims / OwnerClaims.bytesPerClaim)
    keyMemory = KeyMemory(budget: memory.keyTables, temporaryPath: temporaryPath + "-keys")
    tables = KeyTables(plans: plans, memory: keyMemory)
    resolver = ReferenceResolver(tables: tables)
    pendingReferences = PendingReferences(target: target, plans: plans, tables: tables, temporaryPath: temporaryPath)
    indexesAreDeferred = isFresh
    if !isFresh {
      for entity in target.model.entities where entity.superentity == nil {
        if try target.count(FetchSpecification(entity)) > 0 { filled.insert(entity.index) }
      }
    }
    filledBefore = filled
    if !isFresh {
      try requirePackableKeys(of: plans)
      try tables.load(from: target)
    }
  }

  /// Writes records as objects. Made when it is first asked for: most steps write rows.
  var objects: ObjectWriter {
    get throws {
      if let objectWriter { return objectWriter }
      let writer = try ObjectWriter(target: target, tables: tables)
      objectWriter = writer
      return writer
    }
  }

  /// The requests of contexts to the target.
  var contextCounts: PerformanceCounts { objectWriter?.counts ?? PerformanceCounts() }

  /// Refuses tables with primary keys that `RowReference` cannot hold: a reference would lead to another row.
  private func requirePackableKeys(of plans: [StepPlan]) throws {
    let entities = plans.flatMap(\.nodes).flatMap { node in
      [node.entity.root] + node.references.map(\.relationship.destination.root)
    }
    for entity in Set(entities.map(\.index)).sorted().map({ target.model.entities[$0] }) {
      guard let keys = try target.primaryKeyRange(of: entity) else { continue }
      if keys.lowerBound > 0, keys.upperBound <= RowReference.greatestPrimaryKey { continue }
      let key = keys.lowerBound > 0 ? keys.upperBound : keys.lowerBound
      throw RunError(
        .badData, code: "store.primary-key",
        "\(entity.name) has the primary key \(key), which no import can refer to",
        hint: "primary keys (Z_PK, Z_MAX) must lie between 1 and \(RowReference.greatestPrimaryKey)")
    }
  }

  func isEmpty(_ root: Entity) -> Bool { !filled.contains(root.index) }

  /// Whether the table had no rows when the run began.
  func wasEmpty(_ root: Entity) -> Bool { !filledBefore.contains(root.index) }

  /// After a step: its tables may have rows now.
  func noteRows(in plan: StepPlan) {
    for node in plan.nodes { filled.insert(node.entity.root.index) }
  }

  /// Builds the indexes that were left out while tables were filled; before anything is looked up by them.
  func buildIndexes() throws {
    guard indexesAreDeferred else { return }
    indexesAreDeferred = false
    try target.buildDeferredIndexes()
  }

  /// Throws once the rejects are over the limit by count.
  func checkLimit() throws(RunError) {
    guard rejects.isOverCount else { return }
    throw limitError(isEarly: true)
  }

  /// - Parameter isEarly: whether there may be further rejects in records that were not read.
  func limitError(isEarly: Bool) -> RunError {
    let first = rejects.shown.first
    let files = rejects.allPaths.map { FilePath.shown($0) }.joined(separator: ", ")
    // The last hint says that the limit can be raised, so the same words are cut from the reject's own hint.
    let ownHint = (first?.hint ?? "").replacing(", or raise rejects.limit", with: "")
    var hints = ownHint.isEmpty ? [] : [ownHint]
    if !files.isEmpty { hints.append("\(files) has the records and why") }
    hints.append("mend the data, leave such records out with where:, or raise rejects.limit or rejects.percent")
    var error = RunError(
      .badData, code: RunError.overLimitCode,
      (isEarly ? "at least " : "")
        + "\(rejects.count.counted("record")) rejected, over the limit of \(rejects.limitText)"
        + (first.map { "; the first: \($0.place)\($0.message)" } ?? ""),
      hint: hints.joined(separator: "; "))
    error.position = rejects.shown.first.map { RunError.Position($0) }
    return error
  }

  // MARK: - Key tables

  /// Reads key tables anew after a step that may have changed the attributes by which objects are found.
  func reloadTables(changedBy plan: StepPlan, ifUpdated updated: Int) throws {
    guard updated > 0 || plan.nodes.contains(where: { $0.index > 0 }) else { return }
    try tables.reload(from: target, roots: Set(plan.nodes.map { $0.entity.root.index }))
  }

  /// After a step has imported its records: frees tables that are not needed any more, before memory is needed for
  /// indexes. References that wait still look into all of them.
  func releaseTables(after step: Int) {
    if pendingReferences.hasNothingWaiting, heldObjects.isEmpty { tables.release(after: step) }
  }

  // MARK: - Pages and references

  /// Finishes rows that are being written as pages, if there are any.
  func endPageLoad() throws {
    try target.pages?.endPageLoad(memoryBudget: memory.sorting, workers: jobs)
  }

  /// Completes the references whose destinations have become known.
  /// - Parameter isFinal: records with references that still lead nowhere are rejected instead of waiting on.
  func resolvePending(steps: [any ReferringStep], isFinal: Bool) throws {
    if isFinal || !pendingReferences.isEmpty { try endPageLoad() }
    if pendingReferences.isEmpty { return }
    let applier = ReferenceApplier(
      target: target, buildIndexes: { [self] in try buildIndexes() },
      claim: { [self] in ownerClaims.note($0, row: $1, destination: $2, order: $3) },
      relate: { [self] in try objects.relate($0, pairs: $1, adds: $2) })
    try pendingReferences.resolve(steps: steps, isFinal: isFinal, with: applier, cancellation: cancellation)
    try checkLimit()
  }

  /// Rejects the records whose references lead nowhere, whatever the held records bring.
  /// - Returns: whether there were any.
  func rejectBlocked(steps: [any ReferringStep], isToCome: (KeyTable, [UInt8]) -> Bool) throws -> Bool {
    if pendingReferences.isEmpty { return false }
    let found = try pendingReferences.rejectBlocked(steps, isToCome: isToCome, cancellation: cancellation)
    try checkLimit()
    return found
  }
}

extension RunError {
  /// The code of a run that ended over its reject limit.
  static let overLimitCode = "rejects.over-limit"
}
