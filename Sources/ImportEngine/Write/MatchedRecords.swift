import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Decides how records are written once it is known which of them have stored objects, and holds back changes of such
/// objects that refer to objects not yet there.
final class MatchedRecords {
  private let plan: StepPlan
  private let session: ImportSession
  /// Copies of the batches with changes that are held back.
  private var held: [DecodedBatch] = []

  init(plan: StepPlan, session: ImportSession) {
    self.plan = plan
    self.session = session
  }

  /// Refuses incomplete new records, and matches where the step says so, and holds changes back.
  /// - Parameters:
  ///   - existing: the primary key of the object that each row of the batch matches; 0 where there is none.
  ///   - isFinal: whether no more rows will come that the records may refer to, so that nothing is held back.
  func check(
    _ decoded: DecodedBatch, existing: [Int64], unresolved: [UnresolvedReference], isFinal: Bool
  ) {
    let node = decoded.root
    if plan.step.onMatch == .fail {
      for (row, key) in existing.enumerated() where key != 0 && decoded.problems[Int(node.records[row])] == nil {
        noteMatch(decoded, row: row)
      }
    }
    var isNew: [Int: Bool] = [:]
    for row in 0..<node.batch.count { isNew[Int(node.records[row])] = existing[row] == 0 }
    // A replaced object loses the values that the record lacks.
    decoded.refuseIncomplete { isNew[$0] == true || plan.step.onMatch == .replace }
    decoded.refuseMissingDestinations { isNew[$0] == true }

    var waiting: Set<Int> = []
    for reference in unresolved {
      let record = Int(reference.node.records[reference.row])
      if isNew[record] == false { waiting.insert(record) }
    }
    for (row, key) in existing.enumerated() where key != 0 && !isFinal {
      let object = RowReference(primaryKey: key, entityIndex: node.plan.entity.index)
      if session.pendingReferences.isProvisional(object) || session.pendingReferences.isHeld(object) {
        waiting.insert(Int(node.records[row]))
      }
    }
    waiting = waiting.filter { decoded.problems[$0] == nil }
    if !waiting.isEmpty { hold(waiting, of: decoded, existing: existing) }
    decoded.dropProblemRows()
  }

  private func hold(_ records: Set<Int>, of decoded: DecodedBatch, existing: [Int64]) {
    let node = decoded.root
    for (row, key) in existing.enumerated() where key != 0 && records.contains(Int(node.records[row])) {
      session.pendingReferences.hold(RowReference(primaryKey: key, entityIndex: node.plan.entity.index))
      // The object exists already, so other records need not wait for it.
      session.tables.registerRecordKey(of: node, row: row, primaryKey: key)
    }
    held.append(decoded.copy(records: records))
    decoded.drop(records: records)
  }

  /// Hands over the batches that were held back, in input order.
  func release() -> [DecodedBatch] {
    defer { held = [] }
    return held
  }

  /// `on-match: fail`: the row's record names an object that is in the store already.
  func noteMatch(_ decoded: DecodedBatch, row: Int) {
    let node = decoded.root
    decoded.addProblem(
      ofRecord: Int(node.records[row]),
      node.matchProblem(
        "match.exists", row: row,
        message: "the \(plan.root.entity.name) with this match key is already in the store",
        hint: "on-match: fail refuses such records; update or keep accepts them"))
  }
}
