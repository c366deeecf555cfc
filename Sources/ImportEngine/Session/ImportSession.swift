import CoreDataLayout
import Exports
import Foundation
import ObjectModel
import Pipelines
import Reports
import StoreInterface

/// What the import steps of one run share: the store being built, key tables, pending references, rejects.
/// Used by one thread, the run's.
final class ImportSession {
  let store: SQLiteStore
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
  let objects: ObjectWriter
  let unchangedScan: UnchangedScanSettings
  /// For steps that state no strategy.
  let strategy: ImportStep.Strategy?
  private let pendingPath: String
  private var pending: PendingReferences
  /// Numbers the files of pending references.
  private var generation = 1
  /// Rows that will go if a reference stays unresolved, as raw `RowReference` of the root entity's table.
  private var provisional: Set<UInt64> = []
  /// Objects with changes that are held back, likewise: later changes queue up behind them.
  private var held: Set<UInt64> = []
  /// Root entities whose tables have rows.
  private var filled: Set<Int> = []
  /// Those whose tables had rows when the run began.
  private let filledBefore: Set<Int>
  private var indexesAreDeferred: Bool

  init(
    store: SQLiteStore, plans: [StepPlan], rejects: RejectCollector, progress: RunProgress, cancellation: Cancellation,
    jobs: Int, recordsPerBatch: Int, memory: MemoryBudget, temporaryPath: String, isFresh: Bool,
    unchangedScan: UnchangedScanSettings = UnchangedScanSettings(), strategy: ImportStep.Strategy? = nil
  ) throws {
    self.store = store
    self.strategy = strategy
    self.unchangedScan = unchangedScan
    self.rejects = rejects
    self.progress = progress
    self.cancellation = cancellation
    self.jobs = jobs
    self.recordsPerBatch = recordsPerBatch
    self.memory = memory
    keyMemory = KeyMemory(budget: memory.keyTables, temporaryPath: temporaryPath + "-keys")
    tables = KeyTables(plans: plans, memory: keyMemory)
    resolver = ReferenceResolver(tables: tables)
    objects = try ObjectWriter(store: store, tables: tables)
    pendingPath = temporaryPath
    pending = PendingReferences(path: temporaryPath)
    indexesAreDeferred = isFresh
    if !isFresh {
      for entity in store.model.entities where entity.superentity == nil {
        if try store.count(FetchSpecification(entity)) > 0 { filled.insert(entity.index) }
      }
    }
    filledBefore = filled
    if !isFresh {
      try requirePackableKeys(of: plans)
      for (id, table) in tables.tables { try load(id, into: table) }
    }
  }

  /// Refuses tables with primary keys that `RowReference` cannot hold: a reference would lead to another row.
  private func requirePackableKeys(of plans: [StepPlan]) throws {
    let entities = plans.flatMap(\.nodes).flatMap { node in
      [node.entity.root] + node.references.map(\.relationship.destination.root)
    }
    for entity in Set(entities.map(\.index)).sorted().map({ store.model.entities[$0] }) {
      guard let keys = try store.primaryKeyRange(of: entity) else { continue }
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
    try store.buildDeferredIndexes()
  }

  /// Throws once the rejects are over the limit by count.
  func checkLimit() throws(RunError) {
    guard rejects.isOverCount else { return }
    throw limitError(isEarly: true)
  }

  /// Throws when the run was asked to stop.
  func checkCancellation() throws(RunError) {
    guard cancellation.isCancelled else { return }
    throw RunError(.interrupted, code: "run.interrupted", "interrupted; the previous store is as it was")
  }

  /// - Parameter isEarly: whether there may be more that nobody has looked at.
  func limitError(isEarly: Bool) -> RunError {
    let first = rejects.shown.first
    let files = rejects.allPaths.map { FilePath.shown($0) }.joined(separator: ", ")
    // Each says by itself that the limit can be raised.
    let ownHint = (first?.hint ?? "").replacing(", or raise rejects.limit", with: "")
    var hints = ownHint.isEmpty ? [] : [ownHint]
    if !files.isEmpty { hints.append("\(files) has the records and why") }
    hints.append("mend the data, leave such records out with where:, or raise rejects.limit or rejects.percent")
    var error = RunError(
      .badData, code: "rejects.over-limit",
      (isEarly ? "at least " : "")
        + "\(rejects.count) record\(rejects.count == 1 ? "" : "s") rejected, over the limit of \(rejects.limitText)"
        + (first.map { "; the first: \($0.place)\($0.message)" } ?? ""),
      hint: hints.joined(separator: "; "))
    error.position = rejects.shown.first.map { RunError.Position($0) }
    return error
  }

  // MARK: - Key tables

  /// Reads a key table from the store. Record keys are not in it: such a table has the objects of this run only.
  private func load(_ id: KeyTableID, into table: KeyTable) throws {
    guard !id.isByRecordKey else { return }
    let columns = id.attributes.compactMap { name in
      id.entity.storedAttribute(name).map { RowBatch.Column(.attribute(name), $0.type.rowBatchStorage) }
    }
    let keyColumns = Array(columns.indices)
    var key: [UInt8] = []
    let batch = RowBatch(entity: id.entity, columns: columns, capacity: 4096)
    try unsafe store.scan(id.entity, columns: columns, into: batch) { batch, primaryKeys, entities in
      for row in 0..<batch.count {
        key.removeAll(keepingCapacity: true)
        guard KeyEncoding.append(keyColumns, of: batch, row: row, to: &key) == .key else { continue }
        unsafe key.withUnsafeBytes { bytes in
          unsafe table.register(
            RowReference(primaryKey: primaryKeys[row], entityIndex: Int(entities[row])), for: bytes)
        }
      }
    }
  }

  /// After a step that may have changed attributes by which others are found: reads those tables anew.
  func reloadTables(changedBy plan: StepPlan, ifUpdated updated: Int) throws {
    guard updated > 0 || plan.nodes.contains(where: { $0.index > 0 }) else { return }
    let changed = Set(plan.nodes.map { $0.entity.root.index })
    for (id, table) in tables.tables where changed.contains(id.entity.root.index) && !id.isByRecordKey {
      table.removeAll()
      try load(id, into: table)
    }
  }

  /// After a step has taken up its records: gives up tables that are of no use any more, before memory is needed for
  /// indexes. References that wait still look into all of them.
  func releaseTables(after step: Int) {
    if pending.isEmpty, held.isEmpty, provisional.isEmpty { tables.release(after: step) }
  }

  // MARK: - Pending references

  func isProvisional(_ row: RowReference) -> Bool {
    !provisional.isEmpty && provisional.contains(rootReference(row))
  }

  /// Rows that may still be rejected, in root form.
  var provisionalRows: Set<UInt64> { provisional }

  /// Whether no record or object waits for another.
  var hasNothingWaiting: Bool { provisional.isEmpty && held.isEmpty }

  func hold(_ row: RowReference) { held.insert(rootReference(row)) }

  func isHeld(_ row: RowReference) -> Bool { !held.isEmpty && held.contains(rootReference(row)) }

  /// The row with its root entity's index: rows of one table have one numbering.
  func rootReference(_ row: RowReference) -> UInt64 {
    let entities = store.model.entities
    return RowReference(primaryKey: row.primaryKey, entityIndex: entities[row.entityIndex].root.index).rawValue
  }

  func addPending(_ reference: PendingReference, blocks: Bool) throws(RunError) {
    try pending.append(reference)
    guard blocks else { return }
    for row in reference.recordRows { provisional.insert(rootReference(row)) }
  }

  /// Finishes rows that are being written as pages, if there are any.
  func endPageLoad() throws {
    try store.endPageLoad(memoryBudget: memory.sorting, workers: jobs)
  }

  /// Completes what has become known.
  ///
  /// A record is blocked when one of its references leads nowhere, or to a row of a blocked record; everything else
  /// is written. That is the largest set of records that can stand together, cycles included.
  /// - Parameter isFinal: blocked records are rejected and their rows deleted instead of waiting on.
  func resolvePending(steps: [StepScope], isFinal: Bool) throws {
    if isFinal || !pending.isEmpty { try endPageLoad() }
    guard !pending.isEmpty else { return }
    let blocked = try blockedRows(steps)
    let left = PendingReferences(path: pendingPath + ".\(generation)")
    var applier = ReferenceApplier(session: self)
    var refused: Set<UInt64> = []
    var refusedRows: [RowReference] = []
    var late: (any Error)?
    try store.inTransaction {
      try pending.forEach { reference throws(RunError) in
        try checkCancellation()
        do {
          if blocked.contains(rootReference(reference.row)) {
            if !isFinal {
              try left.append(reference)
            } else if mustResolve(reference, steps), !leads(reference, steps, blocked),
              let record = reference.recordRows.first, refused.insert(rootReference(record)).inserted
            {
              refusedRows += reference.recordRows
              try steps[reference.step].rejectLate(reference)
            }
          } else if let node = plan(of: reference, steps) {
            let destination = destination(of: reference, steps)
            let waits = !isFinal && node.references[reference.reference].waitsForAll
            if let destination, !waits, !blocked.contains(rootReference(destination)) {
              try applier.apply(node.references[reference.reference], row: reference.row, destination: destination)
            } else if !isFinal {
              try left.append(reference)
            } else if node.references[reference.reference].isDemanded {
              throw steps[reference.step].rejects.danglingReference(reference)
            } else {
              steps[reference.step].noteLeftOut(node.references[reference.reference], of: node)
            }
          }
        } catch let error as RunError {
          throw error
        } catch {
          late = error
        }
      }
      if let late { throw late }
      try applier.flush()
      if !refusedRows.isEmpty { try delete(refusedRows) }
    }
    provisional = isFinal ? [] : blocked
    pending = left
    generation += 1
    try checkLimit()
  }

  /// Whether the reference has a destination that stays.
  private func leads(_ reference: PendingReference, _ steps: [StepScope], _ blocked: Set<UInt64>) -> Bool {
    destination(of: reference, steps).map { !blocked.contains(rootReference($0)) } ?? false
  }

  /// The rows of all blocked records. Linear in the number of pending references, however long their chains are.
  private func blockedRows(_ steps: [StepScope]) throws(RunError) -> Set<UInt64> {
    var blocked: Set<UInt64> = []
    var next: [UInt64] = []
    // A row falls with the row it depends on: its record's destination, or the first row of its own record.
    var dependencies: [(on: UInt64, row: UInt64)] = []
    try pending.forEach { reference throws(RunError) in
      guard mustResolve(reference, steps), let record = reference.recordRows.first.map(rootReference) else { return }
      if let destination = destination(of: reference, steps) {
        if isProvisional(destination) { dependencies.append((rootReference(destination), record)) }
      } else if blocked.insert(record).inserted {
        next.append(record)
      }
      for row in reference.recordRows.dropFirst() { dependencies.append((record, rootReference(row))) }
    }
    dependencies.sort { $0.on < $1.on }
    while let fallen = next.popLast() {
      var low = 0
      var high = dependencies.count
      while low < high {
        let middle = (low + high) / 2
        if dependencies[middle].on < fallen { low = middle + 1 } else { high = middle }
      }
      while low < dependencies.count, dependencies[low].on == fallen {
        if blocked.insert(dependencies[low].row).inserted { next.append(dependencies[low].row) }
        low += 1
      }
    }
    return blocked
  }

  private func plan(of reference: PendingReference, _ steps: [StepScope]) -> NodePlan? {
    steps[reference.step].plan.node(reference.node)
  }

  private func mustResolve(_ reference: PendingReference, _ steps: [StepScope]) -> Bool {
    plan(of: reference, steps)?.references[reference.reference].mustResolve ?? false
  }

  private func destination(of reference: PendingReference, _ steps: [StepScope]) -> RowReference? {
    guard let node = plan(of: reference, steps), let table = tables[node.references[reference.reference].table]
    else { return nil }
    guard case .row(let row) = unsafe reference.key.withUnsafeBytes({ unsafe table.match($0) }) else { return nil }
    return row
  }

  private func delete(_ rows: [RowReference]) throws {
    let entities = store.model.entities
    for (entityIndex, group) in Dictionary(grouping: rows, by: \.entityIndex) {
      _ = try store.delete(entity: entities[entityIndex], primaryKeys: group.map(\.primaryKey).sorted())
    }
    for (id, table) in tables.tables {
      if id.isByRecordKey {
        table.removeRows(Set(rows.map(\.rawValue)))
      } else {
        table.removeAll()
        try load(id, into: table)
      }
    }
  }
}
