import Pipelines
import SeedFormats
import StoreInterface

/// The references of a step's records that have to do with rows which may still be rejected.
extension StepScope {
  /// Keeps the references of new rows that wait for their destinations, and notes which earlier ones no longer count.
  /// - Parameter isWritten: whether what a row's record says was written, as far as it has no problem.
  func keepPending(
    _ unresolved: [UnresolvedReference], of decoded: DecodedBatch,
    isWritten: (DecodedNode, Int) -> Bool = { _, _ in true }
  ) throws {
    let pending = session.pendingReferences
    try forEachPending(unresolved, of: decoded) { try pending.add($0, $1) }
    pending.noteStatements(of: decoded, step: index) { node, row in
      decoded.problems[Int(node.records[row])] == nil && isWritten(node, row)
    }
  }

  /// Notes which provisional rows must stay now that held records were written: those that the records refer to or are
  /// about, and their own where they changed stored objects, because none of it could be taken back.
  /// - Parameter before: the rows that were provisional when the records were written, as raw root references.
  func noteReliance(of decoded: DecodedBatch, on before: RootRows) throws {
    let pending = session.pendingReferences
    if pending.hasNoProvisionalRows { return }
    let nodes = decoded.root.withDescendants
    for node in nodes where node.primaryKeys.count == node.batch.count {
      for row in 0..<node.batch.count where before.contains(pending.rootReference(node.reference(ofRow: row))) {
        pending.rely(on: node.reference(ofRow: row), placed(record: Int(node.records[row]), of: decoded))
      }
    }
    let changing = Set(nodes.flatMap(\.recordsOfStoredRows))
    var own: [Int: RowReference] = [:]
    var revocable: Set<Int> = []
    for row in 0..<decoded.root.batch.count {
      let reference = decoded.root.reference(ofRow: row)
      guard pending.isProvisional(reference) else { continue }
      let record = Int(decoded.root.records[row])
      if changing.contains(record) { own[record] = reference } else { revocable.insert(record) }
    }
    var reached: [UnresolvedReference] = []
    for node in nodes {
      for (index, keys) in node.keys.enumerated() {
        for entry in keys.entries
        where entry.state == .value && !revocable.contains(Int(node.records[Int(entry.row)])) {
          reached.append(UnresolvedReference(node: node, row: Int(entry.row), reference: index, entry: entry))
        }
      }
    }
    var next = 0
    try forEachPending(reached, of: decoded) { reference, plan in
      let row = reached[next]
      next += 1
      let table = session.tables[plan.table]
      if let table, case .row(let destination) = unsafe reference.key.withUnsafeBytes({ unsafe table.match($0) }) {
        pending.rely(on: destination, reference)
      }
      if let row = own[Int(row.node.records[row.row])] { pending.rely(on: row, reference) }
    }
  }

  /// A reference that only gives a record's place, for messages about a record without references.
  private func placed(record: Int, of decoded: DecodedBatch) -> PendingReference {
    let place = decoded.records.place(ofRecord: record)
    let position = decoded.records.position(of: 0, in: place, from: nil)
    return PendingReference(
      step: index, node: 0, reference: 0, row: RowReference(rawValue: 0), recordRows: [], key: [], matchKeyHash: 0,
      file: decoded.file, line: Int(position.line), column: Int(position.column), byteOffset: Int(place.byteOffset),
      pointer: "", record: [])
  }

  /// Calls `body` with what is kept of references that wait, and their plans.
  private func forEachPending(
    _ unresolved: [UnresolvedReference], of decoded: DecodedBatch,
    _ body: (PendingReference, ReferencePlan) throws -> Void
  ) throws {
    guard !unresolved.isEmpty else { return }
    let rows = decoded.root.rowsByRecord(unresolved.map { Int($0.node.records[$0.row]) })
    // A record may have many: what they share is copied once, and places are counted on from one to the next.
    var last = -1
    var bytes: [UInt8] = []
    var locator = JSONPointerLocator()
    var cursor: RecordBatch.PositionCursor?
    for reference in unresolved {
      let record = Int(reference.node.records[reference.row])
      let place = decoded.records.place(ofRecord: record)
      let reached = reference.node.plan.references[reference.reference]
      if record != last {
        last = record
        // A restored record is never rejected late.
        bytes = reached.isRestored ? [] : unsafe Array(decoded.records.rawBytes(of: place))
        locator = JSONPointerLocator()
        cursor = nil
      }
      let position = decoded.records.position(of: reference.entry.rawOffset, in: place, from: cursor)
      cursor = position
      let row = reference.node.reference(ofRow: reference.row)
      try unsafe body(
        PendingReference(
          step: index, node: reference.node.plan.index, reference: reference.reference, row: row,
          recordRows: rows[record] ?? [row],
          key: reference.node.keys[reference.reference].withKey(reference.entry) { unsafe Array($0) },
          matchKeyHash: matchKeyHash(of: reference), file: decoded.file, line: Int(position.line),
          column: Int(position.column),
          byteOffset: Int(place.byteOffset) + Int(reference.entry.rawOffset),
          pointer: decoded.pointer(
            record: record, rawOffset: reference.entry.rawOffset, source: plan.step.source, &locator) ?? "",
          record: bytes), reached)
    }
  }

  /// The hash of the match key that a reference is a part of; 0 where it is part of none.
  private func matchKeyHash(of reference: UnresolvedReference) -> UInt64 {
    let isPart = reference.node.plan.match.contains {
      if case .reference(reference.reference) = $0 { true } else { false }
    }
    return isPart ? MatchKey.hash(reference.node, row: reference.row) ?? 0 : 0
  }
}
