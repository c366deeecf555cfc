import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Loops for the most frequent fields: plain whole numbers, times of day and text keys. They look at bare pointers only
/// and leave every other cell to the general decoding, with which the tests compare them.
///
/// The pointers rest on what `NodeDecoder` states. The bytes of the fields are taken once for a whole column here,
/// which is sound because no cell of these columns unescapes anything into the record batch: an object or an array
/// where a number belongs is noted as a problem, and read from a copy at most. Eight bytes may be read from any field,
/// because a record batch's buffer has 64 readable bytes behind its last one (`ByteBuffer.slack`).
extension NodeDecoder {
  /// Whether an empty text is null, and no other text is; nil where other texts are null too.
  private func emptyIsNull(_ cell: CellPlan) -> Bool? {
    if cell.isRestored { return nil }
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
    let values = unsafe batch.integers(cell.column)
    // There are two loops, so that neither has to check the kind of its texts for each row.
    if parser.isDuration {
      unsafe decodePlain(cell, parser, slot: slot, slices, into: batch) { field, count, row in
        let value = unsafe PlainNumber.timeOfDay(bytes + field, count: count)
        unsafe values[row] = value
        return value
      }
    } else {
      unsafe decodePlain(cell, parser, slot: slot, slices, into: batch) { field, count, row in
        let value = unsafe PlainNumber.digits(bytes + field, count: count)
        unsafe values[row] = value
        return value
      }
    }
    return true
  }

  /// - Parameter parse: puts the number in a text into its cell, and returns it; -1 when the general decoding is
  ///   needed.
  @inline(__always)
  private func decodePlain(
    _ cell: CellPlan, _ parser: IntegerCell, slot: Int, _ slices: UnsafePointer<FieldSlice>, into batch: RowBatch,
    _ parse: (_ offset: Int, _ count: Int, _ row: Int) -> Int64
  ) {
    let fieldCount = unsafe table.fieldCount
    let states = unsafe batch.states[cell.column]
    let lower = max(parser.range.lowerBound, parser.minimum, 0)
    let upper = min(parser.range.upperBound, parser.maximum)
    unsafe entries.withUnsafeBufferPointer { entries in
      for row in 0..<entries.count {
        // Safety: the table has `fieldCount` slices for each entry, and the planner gave `slot` under it.
        let slice = unsafe slices[Int(entries[row]) &* fieldCount &+ slot]
        if slice.kind == .string || slice.kind == .number {
          let value = parse(Int(slice.offset), Int(slice.length), row)
          if value >= lower, value <= upper {
            unsafe states[row] = RowBatch.State.value.rawValue
            continue
          }
        }
        unsafe decodeField(cell, slot: slot, parser, row: row, into: batch)
      }
    }
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
      // Safety: all texts together and the eight bytes that `copyText` may write too far; nothing else is appended
      // before `commitArena`, so the arena stays where it is.
      let target = unsafe batch.reserveArena(total + 8)
      var offset = 0
      for row in 0..<rows.count {
        let slice = unsafe slices[Int(rows[row]) &* fieldCount &+ slot]
        let state = unsafe plainState(slice, emptyIsNull: emptyIsNull)
        if state == .value {
          unsafe copyText(target + offset, bytes + Int(slice.offset), Int(slice.length))
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

  /// Copies a text. Most are short: eight bytes may be read and written in any case.
  @inline(__always)
  private func copyText(_ target: UnsafeMutableRawPointer, _ source: UnsafeRawPointer, _ count: Int) {
    if count <= 8 {
      unsafe target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
    } else {
      unsafe target.copyMemory(from: source, byteCount: count)
    }
  }

  /// The state of a cell whose field is a plain text, null or absent.
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
        keys.bytes = unsafe Array(unsafeUninitializedCapacity: total + 8) { text, used in
          var offset = 0
          for row in 0..<rows.count {
            let slice = unsafe slices[Int(rows[row]) &* fieldCount &+ slot]
            let state = unsafe plainState(slice, emptyIsNull: emptyIsNull)
            let length = state == .value ? slice.length : 0
            if let target = text.baseAddress, length > 0 {
              // Safety: `total` is the sum of these lengths, and eight bytes more were asked for.
              unsafe copyText(UnsafeMutableRawPointer(target + offset), bytes + Int(slice.offset), Int(length))
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
  /// One to 18 digits without a sign. Eight bytes may be read, however few there are.
  ///
  /// Up to eight are taken at once, padded on the left with "0": neighbouring digits are combined, then pairs, then
  /// fours.
  /// - Returns: -1 when the bytes are anything else.
  @inline(__always)
  @unsafe static func digits(_ bytes: UnsafeRawPointer, count: Int) -> Int64 {
    let first = unsafe bytes.load(as: UInt8.self) &- 0x30
    if count == 1 { return first > 9 ? -1 : Int64(first) }
    guard count > 0, count <= 8 else { return unsafe longDigits(bytes, count: count) }
    let zeros: UInt64 = 0x3030_3030_3030_3030
    let unused = UInt64(truncatingIfNeeded: 8 &- count) &* 8
    var word = UInt64(littleEndian: unsafe bytes.loadUnaligned(as: UInt64.self)) &<< unused
    word = (word | zeros & ((1 &<< unused) &- 1)) ^ zeros
    // A digit minus its 0 is at most 9, and adding 0x76 to that does not reach the high bit.
    guard ((word &+ 0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080 == 0 else { return -1 }
    word = (word &* 10 &+ word &>> 8) & 0x00FF_00FF_00FF_00FF
    word = (word &* 100 &+ word &>> 16) & 0x0000_FFFF_0000_FFFF
    return Int64(truncatingIfNeeded: (word &* 10_000 &+ word &>> 32) & 0xFFFF_FFFF)
  }

  @unsafe private static func longDigits(_ bytes: UnsafeRawPointer, count: Int) -> Int64 {
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
  /// It checks all eight bytes at once: a digit minus "0" is below 10 exactly when adding 0x76 does not reach the high
  /// bit, and a colon minus ":" must be 0. Then neighbouring digits are joined into numbers, of which three are used.
  /// - Returns: -1 when the bytes are anything else.
  @inline(__always)
  @unsafe static func timeOfDay(_ bytes: UnsafeRawPointer, count: Int) -> Int64 {
    guard count == 8 else { return -1 }
    let word = UInt64(littleEndian: unsafe bytes.loadUnaligned(as: UInt64.self)) ^ 0x3030_3A30_303A_3030
    guard ((word &+ 0x7676_7F76_767F_7676) | word) & 0x8080_8080_8080_8080 == 0 else { return -1 }
    let pairs = word &* 10 &+ word &>> 8
    let minutes = Int64(truncatingIfNeeded: pairs &>> 24 & 0xFF)
    let seconds = Int64(truncatingIfNeeded: pairs &>> 48 & 0xFF)
    guard minutes < 60, seconds < 60 else { return -1 }
    return Int64(truncatingIfNeeded: pairs & 0xFF) &* 3600 &+ minutes &* 60 &+ seconds
  }
}
