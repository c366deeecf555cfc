import ObjectModel
import Pipelines
import StoreInterface

/// Refuses records without a complete match key and, with `duplicates: first` or `reject`, finds those whose key an
/// earlier record has. With `duplicates: last` that is found out before anything is written (`DuplicateKeyScan`).
final class KeyCheck {
  private let plan: StepPlan
  private let memory: KeyMemory
  /// The keys that the step's records have had.
  private var seen: KeyTable?

  init(plan: StepPlan, memory: KeyMemory) {
    self.plan = plan
    self.memory = memory
  }

  /// To be called before the source is read; from here on keys are remembered.
  func begin() {
    if !plan.step.match.isEmpty, plan.step.duplicates != .last { seen = KeyTable(memory: memory) }
  }

  /// Forgets all keys, at the end of the source.
  func end() { seen = nil }

  /// Checks the records of a batch. Refused ones get a problem and lose their rows.
  /// - Returns: the number of records that were dropped because an earlier one has their key.
  func check(_ decoded: DecodedBatch) -> Int {
    guard !plan.root.match.isEmpty else { return 0 }
    let node = decoded.root
    let properties = plan.step.match.joined(separator: ", ")
    var repeated: [Int] = []
    var key: [UInt8] = []
    for row in 0..<node.batch.count {
      let record = Int(node.records[row])
      key.removeAll(keepingCapacity: true)
      guard MatchKey.append(node, row: row, to: &key) == .key else {
        decoded.addProblem(
          ofRecord: record,
          node.matchProblem(
            "match.missing-key", row: row,
            message: "the match key of \(plan.root.entity.name) (\(properties)) is empty",
            hint: "fill it in, or leave such records out with where:"))
        continue
      }
      guard let seen else { continue }
      // Safety: the table compares the key's bytes in the closure, and copies those that it keeps.
      let isKnown = unsafe key.withUnsafeBytes { unsafe seen.match($0) != .none }
      if !isKnown {
        unsafe key.withUnsafeBytes { unsafe seen.register(RowReference(primaryKey: 1, entityIndex: 0), for: $0) }
      } else if plan.step.duplicates == .first {
        repeated.append(record)
      } else {
        decoded.addProblem(
          ofRecord: record,
          node.matchProblem(
            "match.duplicate", row: row, message: "an earlier record has the same match key (\(properties))",
            hint: "mend the data, or choose duplicates: first or last"))
      }
    }
    if !repeated.isEmpty { decoded.drop(records: repeated) }
    decoded.dropProblemRows()
    return repeated.count
  }
}
