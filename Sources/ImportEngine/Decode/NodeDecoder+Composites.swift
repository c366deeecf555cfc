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

  /// Required elements are required where their composite is there, by a value or a new object's default.
  private func requireNothing(of composite: CompositePlan, row: Int) {
    let isThere = composite.cells.contains { unsafe hasValue(plan.cells[$0], row: row) }
    if isThere { return }
    unsafe node.insertProblems[Int32(row)]?.removeAll { $0.property.hasPrefix(composite.property + ".") }
  }

  /// Notes mandatory elements without a value where another element of their composite has one, or may have one in the
  /// store.
  func check(_ requirement: ElementRequirement) {
    // Safety: the node's batch has a column for each cell of the plan, and a row for each entry.
    for row in unsafe entries.indices {
      var isThere = false
      var isCleared = requirement.isWhole
      for index in requirement.cells {
        let cell = unsafe plan.cells[index]
        if unsafe hasValue(cell, row: row) { isThere = true }
        if unsafe node.batch.states[cell.column][row] == RowBatch.State.absent.rawValue { isCleared = false }
      }
      for index in requirement.mandatory {
        let cell = unsafe plan.cells[index]
        let state = unsafe node.batch.states[cell.column][row]
        let isNull = state == RowBatch.State.null.rawValue
        if isNull ? isThere || !isCleared : isThere && state == RowBatch.State.absent.rawValue {
          unsafe noteMissing(cell, row: row, isNull: isNull)
        }
      }
    }
  }

  /// Whether a new object has a value of the cell: the record's, or the default where the record says nothing.
  private func hasValue(_ cell: CellPlan, row: Int) -> Bool {
    let state = unsafe node.batch.states[cell.column][row]
    return state == RowBatch.State.value.rawValue
      || state == RowBatch.State.absent.rawValue && cell.attribute.defaultValue != .null
  }
}
