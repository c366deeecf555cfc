import Foundation
import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Fills one node's row batch from a field table, column by column.
///
/// What the pointers in here rest on:
/// - The batch that is filled was made for at least as many rows as there are `entries`, and `RowBatch` allocates
///   states and cells for its whole capacity at once and never moves them. So `row` in `entries.indices` is in bounds
///   of every column.
/// - Each entry is a number under that of the table's entries, and a cell's slot one under `fieldCount`: the planner
///   numbers slots by the projection that the table's records were read with.
/// - The bytes of a field belong to the record batch that `decoded` keeps. They move when nested JSON is unescaped into
///   it, which only `decode(_: ChildPlan)` and keys of to-many references do. So bytes are never kept from one of these
///   to the next.
/// - The arena of the row batch is other memory than the fields' bytes: appending to it moves no field.
@unsafe struct NodeDecoder {
  let plan: NodePlan
  let table: FieldTable
  let node: DecodedNode
  /// Where problems go, by record of the batch.
  let decoded: DecodedBatch
  /// The entry of `table` for each row.
  let entries: [Int32]
  /// While the keys of to-many fields are decoded: the node's row that each entry belongs to.
  var owners: [Int32]?
  /// Told which fields nested objects have.
  var seenFields: SeenFields?

  func run() {
    for cell in unsafe plan.cells { unsafe decode(cell, into: node.batch) }
    for composite in unsafe plan.composites { unsafe decode(composite) }
    for requirement in unsafe plan.requirements { unsafe check(requirement) }
    for reference in unsafe plan.references { unsafe decode(reference) }
    if let key = unsafe plan.recordKey { unsafe decode(recordKey: key) }
    for child in unsafe plan.children { unsafe decode(child) }
    unsafe refuseNullDestinations()
    if let name = unsafe plan.unmappedRequired.first {
      for row in unsafe entries.indices {
        unsafe noteInsertProblem(
          row: row, property: name,
          message: "\(plan.entity.name).\(name) is required and map does not set it",
          hint: unsafe plan.entity.relationship(name) == nil
            ? "map \(name), or give it a default in the model"
            : "map \(name), map its inverse in the step of the other side, or make it optional in the model")
      }
    }
    for broken in unsafe plan.brokenDefaults { unsafe check(broken) }
  }

  // MARK: - Cells

  func decode(_ cell: CellPlan, into batch: RowBatch) {
    let attribute = cell.attribute
    if cell.isRestored, unsafe decodeStored(cell, into: batch) { return }
    switch attribute.type {
    case .integer16:
      unsafe decodeInteger(cell, Int64(Int16.min)...Int64(Int16.max), into: batch)
    case .integer32:
      unsafe decodeInteger(cell, Int64(Int32.min)...Int64(Int32.max), into: batch)
    case .integer64:
      unsafe decodeInteger(cell, Int64.min...Int64.max, into: batch)
    case .boolean: unsafe decode(cell, BooleanCell(), into: batch)
    case .double, .float:
      let parser = RealCell(
        isFloat: attribute.type == .float, minimum: attribute.minimumValue.asDouble ?? -.infinity,
        maximum: attribute.maximumValue.asDouble ?? .infinity)
      unsafe decode(cell, parser, into: batch)
    case .decimal:
      let parser = DecimalCell(
        minimum: attribute.minimumValue.asDecimal, maximum: attribute.maximumValue.asDecimal)
      unsafe decode(cell, parser, into: batch)
    case .date:
      let parser = DateCell(
        parser: cell.dates, minimum: attribute.minimumValue.asDouble ?? -.infinity,
        maximum: attribute.maximumValue.asDouble ?? .infinity)
      unsafe decode(cell, parser, into: batch)
    case .uuid: unsafe decode(cell, UUIDCell(), into: batch)
    case .uri: unsafe decode(cell, URICell(), into: batch)
    case .binary, .transformable: unsafe decode(cell, BinaryCell(), into: batch)
    case .string, .undefined, .objectID, .composite:
      if unsafe decodePlainTexts(cell, into: batch) {
        return unsafe checkMissing(cell, StringCell.plain, batch: batch)
      }
      var isNormalized = false
      if case .normalized = cell.input { isNormalized = true }
      let parser = StringCell(
        minimumLength: attribute.minimumValue.asInteger.map { Int($0) },
        maximumLength: attribute.maximumValue.asInteger.map { Int($0) },
        pattern: cell.pattern,
        isNormalized: isNormalized)
      unsafe decode(cell, parser, into: batch)
    }
  }

  private func decodeInteger(_ cell: CellPlan, _ range: ClosedRange<Int64>, into batch: RowBatch) {
    var isDuration = false
    if case .duration = cell.input { isDuration = true }
    let parser = IntegerCell(
      range: range, minimum: cell.attribute.minimumValue.asInteger ?? .min,
      maximum: cell.attribute.maximumValue.asInteger ?? .max, isDuration: isDuration)
    if unsafe decodePlainIntegers(cell, parser, into: batch) {
      unsafe checkMissing(cell, parser, batch: batch)
    } else {
      unsafe decode(cell, parser, into: batch)
    }
  }

  func decode(_ cell: CellPlan, _ parser: some CellParser, into batch: RowBatch) {
    switch cell.input {
    case .field(let slot), .duration(let slot), .normalized(let slot):
      unsafe decodeField(cell, slot: slot, parser, into: batch)
    case .expression(let evaluator):
      unsafe decodeExpression(cell, evaluator, parser, into: batch)
    case .constant(let value):
      for row in unsafe entries.indices { unsafe put(value, cell, parser, batch: batch, row: row, slot: nil) }
    }
    unsafe checkMissing(cell, parser, batch: batch)
  }

  /// The hot loop: bytes to cells without a String, an allocation or an existential on the way.
  @inline(__always)
  private func decodeField(
    _ cell: CellPlan, slot: Int, _ parser: some CellParser, into batch: RowBatch
  ) {
    let nullIsEmpty = cell.nulls.count == 1 && cell.nulls[0].isEmpty
    let keepsQuoted = unsafe table.respectsQuotes && cell.attribute.type.keepsQuotedNulls
    let states = unsafe batch.states[cell.column]
    for row in unsafe entries.indices {
      unsafe decodeField(
        cell, slot: slot, parser, row: row, nullIsEmpty: nullIsEmpty, keepsQuoted: keepsQuoted, states, into: batch)
    }
  }

  /// One cell by itself, for columns whose other cells are decoded in a loop of their own.
  func decodeField(_ cell: CellPlan, slot: Int, _ parser: some CellParser, row: Int, into batch: RowBatch) {
    unsafe decodeField(
      cell, slot: slot, parser, row: row, nullIsEmpty: cell.nulls.count == 1 && cell.nulls[0].isEmpty,
      keepsQuoted: table.respectsQuotes && cell.attribute.type.keepsQuotedNulls, batch.states[cell.column], into: batch)
  }

  @inline(__always)
  private func decodeField(
    _ cell: CellPlan, slot: Int, _ parser: some CellParser, row: Int, nullIsEmpty: Bool, keepsQuoted: Bool,
    _ states: UnsafeMutablePointer<UInt8>, into batch: RowBatch
  ) {
    let slice = unsafe table.slice(Int(entries[row]), slot: slot)
    var state = RowBatch.State.value
    switch slice.kind {
    case .absent: state = cell.isRestored ? .null : .absent
    case .null: state = .null
    case .object, .array:
      state = unsafe decodeStructured(cell, slice, slot: slot, row: row, into: batch)
    case .string, .number, .true, .false:
      // Safety: used before the next field only, and no parser of a cell writes to the record batch.
      let bytes = unsafe table.bytes(of: slice)
      if slice.kind == .string, !(keepsQuoted && slice.isQuoted),
        unsafe nullIsEmpty ? bytes.isEmpty : cell.nulls.containsText(bytes)
      {
        state = .null
      } else if unsafe !cell.isRestored && slice.isQuoted && !table.respectsQuotes && bytes.contains(0) {
        // Only an escape can bring a NUL into a JSON text; CSV refuses the whole record.
        unsafe note(.hasNUL, cell, row: row, slot: slot, text: "")
        state = .null
      } else {
        let problem = unsafe parser.parse(bytes, slice.kind, into: batch, column: cell.column, row: row)
        if problem == .notBase64, unsafe mayBeStructured(bytes, cell) {
          state = unsafe decodeStructured(cell, slice, slot: slot, row: row, into: batch)
        } else if problem != .none {
          unsafe note(problem, cell, row: row, slot: slot, text: table.text(of: slice))
          state = .null
        }
      }
    }
    // Safety: `states` are the column's in `batch`, one per row of its capacity; a batch's states stay where they are.
    unsafe states[row] = state.rawValue
  }

  private func decodeExpression(
    _ cell: CellPlan, _ evaluator: RecordExpressionEvaluator, _ parser: some CellParser, into batch: RowBatch
  ) {
    for row in unsafe entries.indices {
      do {
        let fields = unsafe RecordFields(
          table: table, entry: Int(entries[row]), nulls: cell.nulls,
          takesQuotedNulls: !cell.attribute.type.keepsQuotedNulls)
        var value = try unsafe evaluator.evaluate(fields)
        // An expression that reads no field of the record, or a column that the file lacks, is absent like a missing
        // field.
        if value == .null, unsafe !cell.slots.isEmpty && areAbsent(cell.slots, row: row) { value = .absent }
        unsafe put(value, cell, parser, batch: batch, row: row, slot: cell.slots.first)
      } catch {
        unsafe batch.states[cell.column][row] = RowBatch.State.null.rawValue
        unsafe note(
          RecordProblem(
            rawOffset: table.rawOffset(Int(entries[row]), slot: cell.slots.first), property: cell.property,
            code: error.code, value: "",
            message: "\(error.message) (\(plan.entity.name).\(cell.property))", hint: error.hint ?? ""), row: row)
      }
    }
  }

  func areAbsent(_ slots: [Int], row: Int) -> Bool {
    let isAbsent = { (slot: Int) in unsafe table.slice(Int(entries[row]), slot: slot).kind == .absent }
    return unsafe table.respectsQuotes ? slots.contains(where: isAbsent) : slots.allSatisfy(isAbsent)
  }

  /// Stores the value of an expression.
  private func put(
    _ value: RecordExpressionValue, _ cell: CellPlan, _ parser: some CellParser, batch: RowBatch, row: Int, slot: Int?
  ) {
    var kind = FieldSlice.Kind.string
    switch value {
    case .absent:
      unsafe batch.states[cell.column][row] = RowBatch.State.absent.rawValue
      return
    case .null:
      unsafe batch.states[cell.column][row] = RowBatch.State.null.rawValue
      return
    case .integer, .double, .decimal: kind = .number
    case .boolean(let flag): kind = flag ? .true : .false
    case .data(let data):
      return unsafe put(data, cell, batch: batch, row: row, slot: slot)
    case .list(let elements):
      return unsafe put(elements, cell, batch: batch, row: row, slot: slot)
    case .string, .date: break
    }
    var text = value.text
    let shown = text
    let problem: CellProblem
    if case .date(let date) = value, let dates = parser as? DateCell {
      problem = dates.put(date.timeIntervalSinceReferenceDate, into: batch, column: cell.column, row: row)
    } else {
      problem = text.withUTF8 { utf8 in
        unsafe parser.parse(UnsafeRawBufferPointer(utf8), kind, into: batch, column: cell.column, row: row)
      }
    }
    if problem == .none {
      unsafe batch.states[cell.column][row] = RowBatch.State.value.rawValue
    } else if problem == .notBase64, unsafe Array(text.utf8).withUnsafeBytes({ unsafe mayBeStructured($0, cell) }) {
      unsafe put(json: text, cell, batch: batch, row: row, slot: slot)
    } else {
      unsafe batch.states[cell.column][row] = RowBatch.State.null.rawValue
      unsafe note(problem, cell, row: row, slot: slot, text: shown)
    }
  }

  /// Stores the bytes of a file.
  func put(_ data: Data, _ cell: CellPlan, batch: RowBatch, row: Int, slot: Int?) {
    var problem = CellProblem.none
    if cell.attribute.type != .binary, cell.attribute.type != .transformable {
      problem = .isFile
    } else if batch.arenaCount + data.count > 1 << 31 {
      problem = .tooMuchData
    } else {
      unsafe data.withUnsafeBytes { raw in
        unsafe batch.store(bytes: raw, column: cell.column, row: row)
      }
    }
    let state = problem == .none ? RowBatch.State.value : .null
    unsafe batch.states[cell.column][row] = state.rawValue
    if problem != .none { unsafe note(problem, cell, row: row, slot: slot, text: "") }
  }

  /// Fills in defaults, and notes missing values that are required.
  private func checkMissing(_ cell: CellPlan, _ parser: some CellParser, batch: RowBatch) {
    if cell.attribute.isOptional || cell.isRequiredByComposite, cell.defaultValue == nil { return }
    let states = unsafe batch.states[cell.column]
    for row in unsafe entries.indices {
      let state = unsafe states[row]
      if state == RowBatch.State.value.rawValue { continue }
      if let value = cell.defaultValue {
        unsafe put(value, cell, parser, batch: batch, row: row, slot: cell.input.slot)
      } else {
        unsafe noteMissing(cell, row: row, isNull: state == RowBatch.State.null.rawValue)
      }
    }
  }

  /// Notes that a required value is missing, if nothing else was noted about it.
  /// - Parameter isNull: whether the record says so; otherwise it says nothing, which only concerns a new object.
  func noteMissing(_ cell: CellPlan, row: Int, isNull: Bool) {
    if unsafe hasProblem(row: row, property: cell.property) { return }
    if isNull {
      unsafe note(.isMissing, cell, row: row, slot: cell.input.slot, text: "")
    } else if cell.attribute.defaultValue == .null {
      unsafe noteInsertProblem(
        row: row, property: cell.property,
        message: "\(plan.entity.name).\(cell.property) is required and the record does not have it",
        hint: "give it a default: in map, or make it optional in the model")
    }
  }

  // MARK: - Problems

  func note(_ problem: CellProblem, _ cell: CellPlan, row: Int, slot: Int?, text: String) {
    var described = unsafe problem.described(
      attribute: cell.attribute, entity: plan.entity.name, property: cell.property,
      rawOffset: table.rawOffset(Int(entries[row]), slot: slot), text: text, dates: cell.dates)
    let paths = unsafe plan.projection
    // The keys of a to-many reference are elements of its field.
    let list = unsafe plan.references.first { $0.relationship.isToMany && $0.property == cell.property }
    if problem == .isStructured, let list {
      if let place = list.slot, place < paths.count,
        let hint = CellProblem.hint(forKeyObject: text, at: paths[place], list)
      {
        described.hint = hint
      }
    } else if problem == .isStructured, let slot, slot == cell.input.slot, slot < paths.count,
      let hint = CellProblem.hint(forStructured: text, at: paths[slot])
    {
      described.hint = hint
    }
    unsafe note(described, row: row)
  }

  func note(_ problem: RecordProblem, row: Int) {
    var problem = problem
    problem.entity = unsafe plan.entity.name
    unsafe decoded.addProblem(ofRecord: record(of: row), problem)
  }

  func hasProblem(row: Int, property: String) -> Bool {
    unsafe decoded.problems[record(of: row)]?.contains { $0.property == property } ?? false
  }

  private func nodeRow(of row: Int) -> Int { unsafe owners.map { Int($0[row]) } ?? row }

  private func record(of row: Int) -> Int { unsafe Int(node.records[nodeRow(of: row)]) }

  func noteInsertProblem(
    row: Int, property: String, code: String = "value.missing", message: String, hint: String
  ) {
    unsafe node.insertProblems[Int32(nodeRow(of: row)), default: []].append(
      RecordProblem(
        rawOffset: nil, entity: plan.entity.name, property: property, code: code, value: "", message: message,
        hint: hint))
  }
}
