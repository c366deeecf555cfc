import ObjectModel
import SeedFormats
import StoreInterface

/// Loops for what most fields of most files are: plain whole numbers, times of day and text keys. They look at bare
/// pointers only and leave every cell that is anything else to the general way, which is also what the tests compare
/// them with.
extension NodeDecoder {
  /// Whether an empty text is null, and no other text is; nil where it is not as simple as that.
  private func emptyIsNull(_ cell: CellPlan) -> Bool? {
    if cell.isStored { return nil }
    if cell.nulls.isEmpty { return false }
    return cell.nulls.count == 1 && cell.nulls[0].isEmpty ? true : nil
  }

  /// Whole numbers and times of day in plain digits.
  /// - Returns: false when the column has to be decoded the general way.
  func decodePlainIntegers(_ cell: CellPlan, _ parser: IntegerCell, into batch: RowBatch) -> Bool {
    guard let slot = cell.input.slot, unsafe emptyIsNull(cell) != nil, let slices = unsafe table.slices.baseAddress,
      let bytes = unsafe table.records.bytes.baseAddress
    else { return false }
    switch cell.input {
    case .field, .duration: break
    default: return false
    }
    let fieldCount = unsafe table.fieldCount
    let states = unsafe batch.states[cell.column]
    let values = unsafe batch.integers(cell.column)
    let lower = max(parser.range.lowerBound, parser.minimum)
    let upper = min(parser.range.upperBound, parser.maximum)
    unsafe entries.withUnsafeBufferPointer { entries in
      for row in 0..<entries.count {
        let slice = unsafe slices[Int(entries[row]) &* fieldCount &+ slot]
        if slice.kind == .string || slice.kind == .number {
          let field = unsafe bytes + Int(slice.offset)
          let value =
            parser.isDuration
            ? unsafe PlainNumber.timeOfDay(field, count: Int(slice.length))
            : unsafe PlainNumber.digits(field, count: Int(slice.length))
          if value >= 0, value >= lower, value <= upper {
            unsafe values[row] = value
            unsafe states[row] = RowBatch.State.value.rawValue
            continue
          }
        }
        unsafe decodeField(cell, slot: slot, parser, row: row, into: batch)
      }
    }
    return true
  }

  /// Texts as they stand in their fields, copied one behind the other.
  /// - Returns: false when the column has to be decoded the general way; nothing has been done then.
  func decodePlainTexts(_ cell: CellPlan, into batch: RowBatch) -> Bool {
    guard case .field(let slot) = cell.input, let emptyIsNull = unsafe emptyIsNull(cell),
      cell.attribute.type == .string,
      cell.pattern == nil, cell.attribute.minimumValue == .null, cell.attribute.maximumValue == .null,
      let slices = unsafe table.slices.baseAddress, let bytes = unsafe table.records.bytes.baseAddress
    else { return false }
    let fieldCount = unsafe table.fieldCount
    let respectsQuotes = unsafe table.respectsQuotes
    let states = unsafe batch.states[cell.column]
    let values = unsafe batch.slices(cell.column)
    return unsafe entries.withUnsafeBufferPointer { rows in
      guard
        let total = unsafe plainLength(
          rows, slices, fieldCount: fieldCount, slot: slot, respectsQuotes: respectsQuotes)
      else { return false }
      let start = batch.arenaCount
      let target = unsafe batch.reserveArena(total)
      var offset = 0
      for row in 0..<rows.count {
        let slice = unsafe slices[Int(rows[row]) &* fieldCount &+ slot]
        let state = unsafe plainState(slice, emptyIsNull: emptyIsNull)
        if state == .value {
          unsafe (target + offset).copyMemory(from: bytes + Int(slice.offset), byteCount: Int(slice.length))
          unsafe values[row] = RowBatch.Slice(
            offset: UInt32(truncatingIfNeeded: start &+ offset), length: slice.length)
          offset &+= Int(slice.length)
        }
        unsafe states[row] = state.rawValue
      }
      batch.commitArena(offset)
      return true
    }
  }

  /// The bytes of all texts of a slot; nil where one is not a plain text or null.
  @inline(__always)
  private func plainLength(
    _ rows: UnsafeBufferPointer<Int32>, _ slices: UnsafePointer<FieldSlice>, fieldCount: Int, slot: Int,
    respectsQuotes: Bool
  ) -> Int? {
    var total = 0
    for row in 0..<rows.count {
      let slice = unsafe slices[Int(rows[row]) &* fieldCount &+ slot]
      switch slice.kind {
      case .string:
        // A quoted text may be an empty text, or hold an escaped NUL.
        if slice.isQuoted && (slice.length == 0 || !respectsQuotes) { return nil }
        total &+= Int(slice.length)
      case .absent, .null: break
      default: return nil
      }
    }
    return total
  }

  /// What a field that is a plain text, null or absent leaves in its cell.
  @inline(__always)
  private func plainState(_ slice: FieldSlice, emptyIsNull: Bool) -> RowBatch.State {
    if slice.kind == .absent { return .absent }
    return slice.kind == .string && (slice.length > 0 || !emptyIsNull) ? .value : .null
  }

  /// The keys of a reference by one text as it stands in its field.
  /// - Returns: false when the keys have to be decoded the general way; nothing has been done then.
  func decodePlainKeys(_ reference: ReferencePlan, into keys: inout ReferenceKeys) -> Bool {
    guard reference.parts.count == 1, let part = reference.parts.first, case .field(let slot) = part.input,
      part.attribute.type == .string, let emptyIsNull = unsafe emptyIsNull(part), part.attribute.isOptional,
      part.defaultValue == nil,
      part.pattern == nil, part.attribute.minimumValue == .null, part.attribute.maximumValue == .null,
      let slices = unsafe table.slices.baseAddress, let bytes = unsafe table.records.bytes.baseAddress
    else { return false }
    let fieldCount = unsafe table.fieldCount
    let respectsQuotes = unsafe table.respectsQuotes
    return unsafe entries.withUnsafeBufferPointer { rows in
      guard
        let total = unsafe plainLength(
          rows, slices, fieldCount: fieldCount, slot: slot, respectsQuotes: respectsQuotes)
      else { return false }
      keys.entries = unsafe Array(unsafeUninitializedCapacity: rows.count) { entries, count in
        keys.bytes = unsafe Array(unsafeUninitializedCapacity: total) { text, used in
          var offset = 0
          for row in 0..<rows.count {
            let slice = unsafe slices[Int(rows[row]) &* fieldCount &+ slot]
            let state = unsafe plainState(slice, emptyIsNull: emptyIsNull)
            let length = state == .value ? slice.length : 0
            if let target = text.baseAddress, length > 0 {
              unsafe UnsafeMutableRawPointer(target + offset).copyMemory(
                from: bytes + Int(slice.offset), byteCount: Int(length))
            }
            offset &+= Int(length)
            unsafe entries.initializeElement(
              at: row,
              to: ReferenceKeys.Entry(
                row: Int32(truncatingIfNeeded: row), state: state,
                offset: UInt32(truncatingIfNeeded: offset) &- length, length: length,
                rawOffset: slice.kind == .absent ? 0 : slice.rawOffset))
          }
          used = offset
        }
        count = rows.count
      }
      return true
    }
  }
}

/// Numbers in the plainest form, from bare bytes.
enum PlainNumber {
  /// One to 18 digits without a sign.
  /// - Returns: -1 when the bytes are anything else.
  @inline(__always)
  @unsafe static func digits(_ bytes: UnsafeRawPointer, count: Int) -> Int64 {
    guard count > 0, count <= 18 else { return -1 }
    var value: UInt64 = 0
    for index in 0..<count {
      let digit = unsafe bytes.load(fromByteOffset: index, as: UInt8.self) &- 0x30
      if digit > 9 { return -1 }
      value = value &* 10 &+ UInt64(digit)
    }
    return Int64(truncatingIfNeeded: value)
  }

  /// The seconds of `HH:MM:SS`, hours up to 99.
  ///
  /// All eight bytes at once: what is left of a digit after taking its 0 away is below 10 exactly when adding 0x76 does
  /// not reach the high bit; of a colon nothing may be left.
  /// - Returns: -1 when the bytes are anything else.
  @inline(__always)
  @unsafe static func timeOfDay(_ bytes: UnsafeRawPointer, count: Int) -> Int64 {
    guard count == 8 else { return -1 }
    let word = UInt64(littleEndian: unsafe bytes.loadUnaligned(as: UInt64.self)) ^ 0x3030_3A30_303A_3030
    guard ((word &+ 0x7676_7F76_767F_7676) | word) & 0x8080_8080_8080_8080 == 0 else { return -1 }
    func digit(_ index: UInt64) -> Int64 { Int64(truncatingIfNeeded: word >> (index &* 8) & 0xF) }
    guard digit(3) < 6, digit(6) < 6 else { return -1 }
    let hours = digit(0) &* 10 &+ digit(1)
    let minutes = digit(3) &* 10 &+ digit(4)
    return (hours &* 60 &+ minutes) &* 60 &+ digit(6) &* 10 &+ digit(7)
  }
}
