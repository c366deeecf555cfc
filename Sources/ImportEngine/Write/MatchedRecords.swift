import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// The stored objects that the records of a batch match, by record, and what follows for the records.
struct MatchedRecords {
  private let decoded: DecodedBatch
  private let plan: StepPlan
  /// Nil where a record has none.
  private let rows: [RowReference?]

  /// - Parameter existing: the object that each row of the batch matches; nil where there is none.
  init(_ decoded: DecodedBatch, existing: [RowReference?], plan: StepPlan) {
    self.decoded = decoded
    self.plan = plan
    var rows = [RowReference?](repeating: nil, count: decoded.records.count)
    for (row, reference) in existing.enumerated() { rows[Int(decoded.root.records[row])] = reference }
    self.rows = rows
  }

  /// Whether a record has a stored object.
  func isStored(_ record: Int) -> Bool { rows[record] != nil }

  /// The stored object of a record.
  func row(ofRecord record: Int) -> RowReference? { rows[record] }

  /// Refuses incomplete new records, and matches where the step says so.
  /// - Parameter isUncertain: whether a row may go; its match is judged when the record is tried again.
  func refuseUnfit(isUncertain: (RowReference) -> Bool) {
    let node = decoded.root
    if plan.step.onMatch == .fail {
      for row in 0..<node.batch.count where decoded.problems[Int(node.records[row])] == nil {
        if let match = self.row(ofRecord: Int(node.records[row])), !isUncertain(match) { noteMatch(row: row) }
      }
    }
    // A replaced object loses the values that the record lacks.
    decoded.refuseIncomplete { !isStored($0) || plan.step.onMatch == .replace }
    decoded.refuseMissingDestinations { !isStored($0) }
    decoded.dropProblemRows()
  }

  /// The records that change stored objects and cannot yet: they refer to objects that are not there, or their own
  /// object may still go.
  /// - Parameters:
  ///   - unresolved: the references that wait.
  ///   - isUncertain: whether a row may go.
  func waiting(_ unresolved: [UnresolvedReference], isUncertain: (RowReference) -> Bool) -> Set<Int> {
    var waiting: Set<Int> = []
    for reference in unresolved {
      let record = Int(reference.node.records[reference.row])
      if isStored(record) { waiting.insert(record) }
    }
    for record in decoded.root.records.lazy.map({ Int($0) }) {
      if let row = row(ofRecord: record), isUncertain(row) { waiting.insert(record) }
    }
    return waiting
  }

  /// `on-match: fail`: the row's record names an object that is in the store already.
  func noteMatch(row: Int) {
    let node = decoded.root
    decoded.addProblem(
      ofRecord: Int(node.records[row]),
      node.matchProblem(
        "match.exists", row: row,
        message: "the \(plan.root.entity.name) with this match key is already in the store",
        hint: "on-match: fail refuses such records; update or keep accepts them"))
  }
}
