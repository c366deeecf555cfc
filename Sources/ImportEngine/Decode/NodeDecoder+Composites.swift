import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

extension NodeDecoder {
  /// Handles composites whose object is null, absent or not an object, once their elements are decoded.
  func decode(_ composite: CompositePlan) {
    // Safety: the node has a row for each entry, and its batch a column for each cell of the plan.
    for row in unsafe entries.indices {
      let slice = unsafe table.slice(Int(entries[row]), slot: composite.slot)
      switch slice.kind {
      case .object: continue
      case .absent: break
      case .null: unsafe clear(composite, row: row)
      case .array, .string, .number, .true, .false:
        unsafe note(
          RecordProblem(
            rawOffset: slice.rawOffset, property: composite.property, code: "json.not-an-object",
            value: table.text(of: slice), message: "\(plan.entity.name).\(composite.property) needs a JSON object",
            hint: "it is a composite attribute: its elements are read from the members of an object"), row: row)
        continue
      }
      if composite.isOptional { unsafe requireNothing(of: composite, row: row) }
    }
  }

  /// An explicit null sets every element to null.
  private func clear(_ composite: CompositePlan, row: Int) {
    for index in composite.cells {
      let cell = unsafe plan.cells[index]
      unsafe node.batch.states[cell.column][row] = RowBatch.State.null.rawValue
      if !composite.isOptional, unsafe !cell.attribute.isOptional && !hasProblem(row: row, property: cell.property) {
        unsafe note(.isMissing, cell, row: row, slot: composite.slot, text: "")
      }
    }
  }

  /// Required elements are required where their composite is there.
  private func requireNothing(of composite: CompositePlan, row: Int) {
    let isMissing = composite.cells.allSatisfy { index in
      unsafe node.batch.states[plan.cells[index].column][row] != RowBatch.State.value.rawValue
    }
    guard isMissing else { return }
    unsafe node.insertProblems[Int32(row)]?.removeAll { $0.property.hasPrefix(composite.property + ".") }
  }
}
