import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

extension NodeDecoder {
  /// Decodes the nested objects of a child for all rows.
  func decode(_ child: ChildPlan) {
    let found =
      switch child.input {
      case .field(let slot): unsafe fieldObjects(of: child, slot: slot)
      case .list(let evaluator, let slots, let nulls): unsafe listElements(of: child, evaluator, slots, nulls)
      }
    let batch = RowBatch(entity: child.node.entity, columns: child.node.columns, capacity: max(found.owners.count, 1))
    batch.count = found.owners.count
    let inner = DecodedNode(plan: child.node, batch: batch)
    inner.owners = found.owners
    inner.records = found.owners.map { unsafe node.records[Int($0)] }
    unsafe node.children.append(inner)
    unsafe node.childStates.append(found.states)
    unsafe project(found.objects, of: child, into: inner)
  }

  /// The nested objects of all rows of a node.
  private struct NestedObjects {
    /// By row: whether the relationship is to be left alone, cleared, or given these objects.
    var states: [RowBatch.State] = []
    /// By object: the row that it belongs to.
    var owners: [Int32] = []
    var objects: [FieldSlice] = []

    mutating func append(_ object: FieldSlice, row: Int) {
      objects.append(object)
      owners.append(Int32(row))
    }
  }

  /// The elements of the lists that an expression yields, without those whose text is empty.
  private func listElements(
    of child: ChildPlan, _ evaluator: RecordExpressionEvaluator, _ slots: [Int], _ nulls: [[UInt8]]
  ) -> NestedObjects {
    var found = NestedObjects()
    for row in unsafe entries.indices {
      let rawOffset = unsafe table.rawOffset(Int(entries[row]), slot: slots.first)
      var state = RowBatch.State.value
      do {
        let fields = unsafe RecordFields(table: table, entry: Int(entries[row]), nulls: nulls)
        switch try unsafe evaluator.evaluate(fields) {
        case .absent: state = .absent
        case .null: state = unsafe !slots.isEmpty && areAbsent(slots, row: row) ? .absent : .null
        case .list(let elements):
          for element in elements where !element.text.isEmpty {
            unsafe found.append(decoded.records.append(element.text, rawOffset: rawOffset ?? 0), row: row)
          }
        case let value: unsafe found.append(decoded.records.append(value.text, rawOffset: rawOffset ?? 0), row: row)
        }
      } catch {
        state = .null
        unsafe note(
          RecordProblem(
            rawOffset: rawOffset, property: child.property, code: error.code, value: "",
            message: "\(error.message) (\(plan.entity.name).\(child.property))", hint: error.hint ?? ""), row: row)
      }
      found.states.append(state)
    }
    return found
  }

  /// The objects that a field has.
  private func fieldObjects(of child: ChildPlan, slot: Int) -> NestedObjects {
    var found = NestedObjects()
    var elements: [FieldSlice] = []
    let arrays = JSONFields.ofArrays()
    for row in unsafe entries.indices {
      let slice = unsafe table.slice(Int(entries[row]), slot: slot)
      var state = RowBatch.State.value
      switch slice.kind {
      case .absent: state = .absent
      case .null: state = .null
      case .object: found.append(slice, row: row)
      case .array where child.relationship.isToMany:
        do {
          try unsafe arrays.elements(of: slice, in: decoded.records, into: &elements)
          for element in elements where unsafe isObject(element, child, row: row) { found.append(element, row: row) }
        } catch {
          unsafe note(
            RecordProblem(
              error, rawOffset: slice.rawOffset, property: child.property, value: table.text(of: slice)), row: row)
        }
      default:
        if unsafe isObject(slice, child, row: row) { found.append(slice, row: row) } else { state = .null }
      }
      found.states.append(state)
    }
    return found
  }

  /// Projects the objects and decodes their fields.
  private func project(_ objects: [FieldSlice], of child: ChildPlan, into inner: DecodedNode) {
    let fieldCount = child.node.fieldCount
    // Safety: every row has `fieldCount` places of its own. They are freed after the inner decoder has run, which keeps
    // no pointer to them.
    let slices = UnsafeMutableBufferPointer<FieldSlice>.allocate(capacity: max(objects.count * fieldCount, 1))
    unsafe slices.initialize(repeating: .absent)
    defer { unsafe slices.deallocate() }
    do {
      let fields = try JSONFields(projection: child.node.projection)
      for (row, object) in objects.enumerated() {
        // The element itself is a plain value. A text is not parsed as JSON.
        if object.kind != .object {
          for slot in child.node.projection.indices where child.node.projection[slot] == RecordExpression.elementPath {
            unsafe slices[row * fieldCount + slot] = object
          }
          continue
        }
        do {
          try unsafe fields.project(
            object, in: decoded.records,
            into: UnsafeMutableBufferPointer(rebasing: slices[(row * fieldCount)..<((row + 1) * fieldCount)]))
        } catch {
          unsafe note(
            RecordProblem(error, rawOffset: object.rawOffset, property: child.property), row: Int(inner.owners[row]))
        }
      }
    } catch {
      preconditionFailure("the planner checked the projection: \(error.message)")
    }
    let table = unsafe FieldTable(
      records: decoded.records, slices: UnsafeBufferPointer(slices), fieldCount: fieldCount, respectsQuotes: false)
    unsafe seenFields?.note(fieldsOf: table, node: child.node.index, entries: objects.count)
    unsafe NodeDecoder(
      plan: child.node, table: table, node: inner, decoded: decoded, entries: Array(0..<Int32(objects.count)),
      seenFields: seenFields
    ).run()
  }

  private func isObject(_ slice: FieldSlice, _ child: ChildPlan, row: Int) -> Bool {
    if slice.kind == .object || child.takesElements { return true }
    unsafe note(
      RecordProblem(
        rawOffset: slice.rawOffset, property: child.property, code: "json.not-an-object",
        value: table.text(of: slice),
        message: "\(plan.entity.name).\(child.property) needs a JSON object"
          + (child.relationship.isToMany ? " or an array of objects" : ""),
        hint:
          "a nested map reads objects; for bare values write . for the value itself, as in map: { name: . }; objects that "
          + "exist are referred to by match: and from:, or by key:"),
      row: row)
    return false
  }
}

extension JSONFields {
  /// Walks arrays, whatever their elements are.
  static func ofArrays() -> JSONFields {
    do {
      return try JSONFields(projection: [])
    } catch {
      preconditionFailure("no path was given that could be wrong: \(error.message)")
    }
  }
}
