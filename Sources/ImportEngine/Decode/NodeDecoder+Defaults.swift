import ObjectModel
import Pipelines
import StoreInterface

extension NodeDecoder {
  /// Notes rows that cannot become new objects, because a default value that they would get breaks a rule.
  func check(_ broken: BrokenDefault) {
    // Safety: the node's batch has the column, and a row for each entry.
    for row in unsafe entries.indices {
      if let column = broken.column, unsafe node.batch.states[column][row] != RowBatch.State.absent.rawValue {
        continue
      }
      if unsafe hasProblem(row: row, property: broken.property) { continue }
      unsafe noteInsertProblem(
        row: row, property: broken.property, code: "validation.\(broken.code.rawValue)",
        message: "the default value of \(plan.entity.name).\(broken.property) breaks a rule: \(broken.message)",
        hint: "set \(broken.property) in map, or mend the default in the model")
    }
  }
}
