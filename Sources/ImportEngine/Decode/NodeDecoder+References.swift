import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

extension NodeDecoder {
  /// Decodes and encodes the keys of a reference for all rows.
  func decode(_ reference: ReferencePlan) {
    var keys = ReferenceKeys()
    if reference.parts.isEmpty {
      // `property: null` clears the relationship.
      unsafe keys.states = entries.map { _ in .null }
      if !reference.relationship.isToMany {
        unsafe keys.entries = entries.indices.map { row in
          ReferenceKeys.Entry(row: Int32(row), state: .null, offset: 0, length: 0, rawOffset: 0)
        }
      }
    } else if reference.relationship.isToMany {
      unsafe decodeToMany(reference, into: &keys)
    } else if unsafe decodePlainKeys(reference, into: &keys) {
      // Done.
    } else {
      let batch = unsafe RowBatch(
        entity: reference.table.entity, columns: reference.keyColumns, capacity: max(entries.count, 1))
      unsafe batch.count = entries.count
      for part in reference.parts { unsafe decode(part, into: batch) }
      let columns = Array(reference.keyColumns.indices)
      unsafe keys.entries.reserveCapacity(entries.count)
      for row in unsafe entries.indices {
        unsafe appendKey(reference, columns, batch, keyRow: row, row: row, to: &keys)
      }
    }
    unsafe node.keys.append(keys)
  }

  /// Notes required to-one relationships that the record sets to null. It is refused for that whatever is stored,
  /// before records with one key are compared. A relationship that a new object lacks because the record does not name
  /// it is noted later. Where no records are compared, `DecodedBatch.refuseMissingDestinations` notes both.
  func refuseNullDestinations() {
    if unsafe decoded.root.plan.match.isEmpty { return }
    let entity = unsafe plan.entity.name
    func refuse(_ row: Int, _ relationship: Relationship, at rawOffset: UInt32?) {
      if unsafe hasProblem(row: row, property: relationship.name) { return }
      unsafe note(.missingDestination(of: relationship, entity, at: rawOffset), row: row)
    }
    for (index, reference) in unsafe plan.references.enumerated()
    where reference.relationship.requiresDestination && !reference.isRestored {
      for entry in unsafe node.keys[index].entries where entry.state == .null {
        refuse(Int(entry.row), reference.relationship, at: entry.rawOffset)
      }
    }
    for (index, child) in unsafe plan.children.enumerated() where child.relationship.requiresDestination {
      for (row, state) in unsafe node.childStates[index].enumerated() where state == .null {
        refuse(row, child.relationship, at: nil)
      }
    }
  }

  /// Decodes the record keys of all rows.
  func decode(recordKey: CellPlan) {
    let column = RowBatch.Column(.attribute(recordKey.property), .bytes)
    let batch = unsafe RowBatch(entity: plan.entity, columns: [column], capacity: max(entries.count, 1))
    unsafe batch.count = entries.count
    unsafe decode(recordKey, into: batch)
    var keys = ReferenceKeys()
    unsafe keys.entries.reserveCapacity(entries.count)
    for row in unsafe entries.indices {
      let offset = keys.bytes.count
      let state: RowBatch.State = KeyEncoding.append([0], of: batch, row: row, to: &keys.bytes) == .key ? .value : .null
      keys.entries.append(
        ReferenceKeys.Entry(
          row: Int32(row), state: state, offset: UInt32(offset), length: UInt32(keys.bytes.count - offset),
          rawOffset: 0))
    }
    unsafe node.recordKeys = keys
  }

  private func appendKey(
    _ reference: ReferencePlan, _ columns: [Int], _ batch: RowBatch, keyRow: Int, row: Int,
    to keys: inout ReferenceKeys
  ) {
    let offset = keys.bytes.count
    let rawOffset = unsafe table.rawOffset(
      Int(entries[keyRow]), slot: reference.relationship.isToMany ? 0 : reference.parts[0].input.slot)
    var state = RowBatch.State.value
    switch KeyEncoding.append(columns, of: batch, row: keyRow, to: &keys.bytes) {
    case .key: break
    case .noKey:
      let isAbsent = columns.allSatisfy { unsafe batch.states[$0][keyRow] == RowBatch.State.absent.rawValue }
      state = isAbsent ? .absent : .null
    case .incomplete where unsafe reference.isOptional && lacksPart(columns, of: batch, row: keyRow):
      state = .absent
    case .incomplete:
      state = .null
      // The problem of a part that could not be decoded is noted already.
      if unsafe hasProblem(row: keyRow, property: reference.property) { break }
      unsafe note(
        RecordProblem(
          rawOffset: rawOffset, property: reference.property, code: "reference.incomplete", value: "",
          message: "the key of \(plan.entity.name).\(reference.property) has a part that is empty",
          hint: "fill in every part of the key, or none"), row: keyRow)
    }
    keys.entries.append(
      ReferenceKeys.Entry(
        row: Int32(row), state: state, offset: UInt32(offset), length: UInt32(keys.bytes.count - offset),
        rawOffset: rawOffset ?? 0))
  }

  /// Whether the record has not even a field for one of the key's parts.
  private func lacksPart(_ columns: [Int], of batch: RowBatch, row: Int) -> Bool {
    columns.contains { unsafe batch.states[$0][row] == RowBatch.State.absent.rawValue }
  }

  private func decodeToMany(_ reference: ReferencePlan, into keys: inout ReferenceKeys) {
    guard let slot = reference.slot else { return }
    let part = reference.parts[0]
    var pieces: [FieldSlice] = []
    var elements: [FieldSlice] = []
    var owners: [Int32] = []
    let arrays = JSONFields.ofArrays()
    for row in unsafe entries.indices {
      let slice = unsafe table.slice(Int(entries[row]), slot: slot)
      var state = RowBatch.State.value
      switch slice.kind {
      case .absent: state = .absent
      case .null: state = .null
      case .array:
        do {
          try unsafe arrays.elements(of: slice, in: decoded.records, into: &elements)
          pieces += elements
        } catch {
          unsafe note(RecordProblem(error, rawOffset: slice.rawOffset, property: reference.property), row: row)
        }
      default:
        if slice.kind == .string, unsafe part.nulls.containsText(table.bytes(of: slice)) {
          state = .null
        } else if slice.kind == .string, let separator = reference.separator {
          unsafe split(slice, separator: separator, into: &pieces)
        } else {
          pieces.append(slice)
        }
      }
      keys.states.append(state)
      while owners.count < pieces.count { owners.append(Int32(row)) }
    }
    unsafe decodeElements(reference, part: part, pieces: pieces, owners: owners, into: &keys)
  }

  /// Decodes the single keys of all rows' fields.
  private func decodeElements(
    _ reference: ReferencePlan, part: CellPlan, pieces: [FieldSlice], owners: [Int32], into keys: inout ReferenceKeys
  ) {
    let single = part.ofPieces()
    let batch = RowBatch(
      entity: reference.table.entity, columns: reference.keyColumns, capacity: max(pieces.count, 1))
    batch.count = pieces.count
    unsafe pieces.withUnsafeBufferPointer { slices in
      let inner = unsafe NodeDecoder(
        plan: plan, table: FieldTable(records: decoded.records, slices: slices, fieldCount: 1, respectsQuotes: false),
        node: node, decoded: decoded, entries: Array(0..<Int32(slices.count)), owners: owners)
      unsafe inner.decode(single, into: batch)
      keys.entries.reserveCapacity(slices.count)
      for piece in slices.indices {
        unsafe inner.appendKey(reference, [0], batch, keyRow: piece, row: Int(owners[piece]), to: &keys)
      }
    }
  }

  /// Splits a text into its keys, blanks around each trimmed; empty pieces do not count.
  private func split(_ slice: FieldSlice, separator: [UInt8], into pieces: inout [FieldSlice]) {
    // Safety: nothing is added to the records while the text is taken apart, so the bytes stay in place.
    let bytes = unsafe table.bytes(of: slice)
    var start = 0
    var index = 0
    while index <= bytes.count {
      let isAtEnd = index == bytes.count
      guard unsafe isAtEnd || bytes[index...].starts(with: separator) else {
        index += 1
        continue
      }
      var from = start
      var to = index
      while from < to, unsafe bytes[from] == 32 { from += 1 }
      while to > from, unsafe bytes[to - 1] == 32 { to -= 1 }
      if to > from {
        pieces.append(
          FieldSlice(
            offset: slice.offset + UInt32(from), length: UInt32(to - from), kind: .string, isQuoted: false,
            rawOffset: slice.rawOffset + UInt32(from)))
      }
      index += isAtEnd ? 1 : separator.count
      start = index
    }
  }
}
