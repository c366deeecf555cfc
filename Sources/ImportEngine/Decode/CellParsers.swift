import Foundation
import Pipelines
import Predicates
import SeedFormats
import StoreInterface

/// Why a cell could not be decoded. Trivial on purpose: it is turned into a `RecordProblem` outside the hot loops.
enum CellProblem: UInt8 {
  case none
  case notAnInteger, notAReal, notADecimal, notABoolean, notADate, notAUUID, notAURI, notBase64, notADuration
  case outOfRange, notFinite, tooSmall, belowMinimum, aboveMaximum
  case tooShort, tooLong, doesNotMatch, isUndecided
  case isStructured, hasNUL
  case isFile, tooMuchData
  case isMissing
}

/// Writes one cell from the bytes of a field. Each conforming type is specialised into its own loop.
///
/// The column is one of the batch, of the storage that the parser writes, and the row is under its capacity. The bytes
/// are no part of the batch's arena, which may move when a value is added to it.
protocol CellParser {
  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem
}

/// Integer 16, 32 and 64, with the range of the type narrowed by the model's minimum and maximum.
struct IntegerCell: CellParser {
  /// Range of the type.
  let range: ClosedRange<Int64>
  /// Limits that the model sets.
  let minimum: Int64
  let maximum: Int64
  /// Whether the field is a duration such as `25:10:00`.
  let isDuration: Bool

  @inline(__always)
  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    let value: Int64
    if isDuration {
      guard let seconds = unsafe DurationParser.parse(bytes) else { return .notADuration }
      value = seconds
    } else {
      switch unsafe NumberParsing.integer(bytes) {
      case .value(let parsed): value = parsed
      case .outOfRange: return .outOfRange
      case .notANumber:
        // A JSON number may be written with a fraction or an exponent and still be an integer.
        guard kind == .number else { return .notAnInteger }
        switch unsafe NumberParsing.exactInteger(bytes) {
        case .value(let parsed): value = parsed
        case .outOfRange: return .outOfRange
        case .notANumber: return .notAnInteger
        }
      }
    }
    guard range.contains(value) else { return .outOfRange }
    guard value >= minimum else { return .belowMinimum }
    guard value <= maximum else { return .aboveMaximum }
    unsafe batch.integers(column)[row] = value
    return .none
  }
}

struct BooleanCell: CellParser {
  @inline(__always)
  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    let value: Bool
    switch kind {
    case .true: value = true
    case .false: value = false
    default:
      guard let parsed = unsafe NumberParsing.boolean(bytes) else { return .notABoolean }
      value = parsed
    }
    unsafe batch.integers(column)[row] = value ? 1 : 0
    return .none
  }
}

/// Double and Float. A Float is rounded once and widened again, as Core Data stores it.
struct RealCell: CellParser {
  let isFloat: Bool
  let minimum: Double
  let maximum: Double

  @inline(__always)
  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    guard kind != .true, kind != .false else { return .notAReal }
    var value: Double
    switch unsafe NumberParsing.real(bytes) {
    case .value(let parsed): value = parsed
    case .notFinite: return .notFinite
    case .tooSmall: return .tooSmall
    case .notANumber: return .notAReal
    }
    if isFloat {
      var narrow = Float(value)
      // A value just halfway between two Floats may be there only because the Double was rounded.
      if value.bitPattern & 0x0FFF_FFFF == 0, Double(narrow) != value {
        narrow = unsafe Float(String(decoding: bytes, as: UTF8.self)) ?? narrow
      }
      guard narrow.isFinite else { return .outOfRange }
      guard narrow != 0 || value == 0 else { return .tooSmall }
      value = Double(narrow)
    }
    guard value >= minimum else { return .belowMinimum }
    guard value <= maximum else { return .aboveMaximum }
    unsafe batch.reals(column)[row] = value
    return .none
  }
}

/// Decimal, kept as canonical text so that equal numbers are equal keys.
struct DecimalCell: CellParser {
  let minimum: Decimal?
  let maximum: Decimal?

  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    switch unsafe NumberParsing.real(bytes) {
    case .notFinite: return unsafe NumberParsing.isReal(bytes) ? .outOfRange : .notFinite
    case .tooSmall: return .tooSmall
    case .notANumber: return .notADecimal
    case .value: break
    }
    guard unsafe NumberParsing.isDecimal(bytes),
      let value = unsafe Decimal(
        string: String(decoding: bytes, as: UTF8.self), locale: Locale(identifier: "en_US_POSIX")),
      value.isFinite
    else { return .outOfRange }
    if let minimum, value < minimum { return .belowMinimum }
    if let maximum, value > maximum { return .aboveMaximum }
    unsafe batch.store(text: "\(value)", column: column, row: row)
    return .none
  }
}

/// String, checked for length in characters and for the regular expression where the model states them.
struct StringCell: CellParser {
  let minimumLength: Int?
  let maximumLength: Int?
  /// Matches whole texts only.
  let pattern: NSRegularExpression?
  /// Whether the field is stored case-, diacritic- and width-folded.
  let isNormalized: Bool

  /// Any text as it is.
  static let plain = StringCell(minimumLength: nil, maximumLength: nil, pattern: nil, isNormalized: false)

  @inline(__always)
  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    if minimumLength == nil, maximumLength == nil, pattern == nil, !isNormalized, kind == .string || kind == .number {
      unsafe batch.store(bytes: bytes, column: column, row: row)
      return .none
    }
    if isNormalized, minimumLength == nil, maximumLength == nil, pattern == nil, kind == .string,
      unsafe storeFolded(bytes, into: batch, column: column, row: row)
    {
      return .none
    }
    return unsafe parseChecked(bytes, kind, into: batch, column: column, row: row)
  }

  /// - Returns: false, with nothing stored, when the folding takes more than a table.
  private func storeFolded(
    _ bytes: UnsafeRawBufferPointer, into batch: RowBatch, column: Int, row: Int
  ) -> Bool {
    // Safety: folding makes no more than `growth` bytes of each, so the room is enough.
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(bytes.count, 1) * TextNormalization.growth) {
      room in
      guard let base = room.baseAddress, let count = unsafe TextNormalization.foldLatin(bytes, into: room) else {
        return false
      }
      unsafe batch.slices(column)[row] = batch.append(base, count: count)
      return true
    }
  }

  private func parseChecked(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    var text: String
    switch kind {
    case .true: text = "true"
    case .false: text = "false"
    // As the evaluator sees a number.
    case .number where isNormalized: text = unsafe RecordExpressionValue(number: bytes).text
    default: text = unsafe String(decoding: bytes, as: UTF8.self)
    }
    if isNormalized { text = TextNormalization.normalized(text) }
    if minimumLength != nil || maximumLength != nil {
      // As `AttributeValidator` counts.
      let length = text.utf16.count
      if let minimumLength, length < minimumLength { return .tooShort }
      if let maximumLength, length > maximumLength { return .tooLong }
    }
    if let pattern {
      guard let isMatch = pattern.matchesWhole(text) else { return .isUndecided }
      if !isMatch { return .doesNotMatch }
    }
    unsafe batch.store(text: text, column: column, row: row)
    return .none
  }
}

struct DateCell: CellParser {
  let parser: DateParser
  /// Seconds since 2001.
  let minimum: Double
  let maximum: Double

  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    guard let seconds = unsafe parser.parse(bytes) else { return .notADate }
    return put(seconds, into: batch, column: column, row: row)
  }

  func put(_ seconds: Double, into batch: RowBatch, column: Int, row: Int) -> CellProblem {
    guard seconds >= minimum else { return .belowMinimum }
    guard seconds <= maximum else { return .aboveMaximum }
    unsafe batch.reals(column)[row] = seconds
    return .none
  }
}

struct UUIDCell: CellParser {
  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    // Safety: 16 bytes were asked for, and `uuid` writes no more; when it fails, none of them is committed.
    let offset = batch.arenaCount
    guard unsafe TextParsing.uuid(bytes, into: batch.reserveArena(16)) else { return .notAUUID }
    batch.commitArena(16)
    unsafe batch.slices(column)[row] = RowBatch.Slice(offset: UInt32(offset), length: 16)
    return .none
  }
}

struct URICell: CellParser {
  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    guard kind == .string, unsafe TextParsing.isURI(bytes), let base = bytes.baseAddress else { return .notAURI }
    unsafe batch.slices(column)[row] = batch.append(base, count: bytes.count)
    return .none
  }
}

/// Binary and Transformable, from base64.
struct BinaryCell: CellParser {
  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    guard kind == .string, let data = unsafe TextParsing.base64(bytes) else { return .notBase64 }
    unsafe data.withUnsafeBytes { raw in
      unsafe batch.store(bytes: raw, column: column, row: row)
    }
    return .none
  }
}

extension RowBatch {
  /// Stores a text in a `bytes` cell.
  @unsafe func store(text: String, column: Int, row: Int) {
    var text = text
    text.withUTF8 { utf8 in
      let raw = UnsafeRawBufferPointer(utf8)
      unsafe store(bytes: raw, column: column, row: row)
    }
  }

  /// Stores bytes in a `bytes` cell; an empty slice where there are none.
  @inline(__always) @unsafe func store(bytes: UnsafeRawBufferPointer, column: Int, row: Int) {
    if let base = bytes.baseAddress {
      unsafe slices(column)[row] = append(base, count: bytes.count)
    } else {
      unsafe slices(column)[row] = Slice(offset: UInt32(arenaCount), length: 0)
    }
  }

  /// A batch of its own with the same rows.
  func copy() -> RowBatch {
    let copy = RowBatch(entity: entity, columns: columns, capacity: capacity, arenaCapacity: arenaCount)
    copy.count = count
    // Safety: both batches have the same columns and capacity, and cells of every storage take 8 bytes.
    for column in columns.indices {
      unsafe copy.states[column].update(from: states[column], count: count)
      unsafe copy.rawCells(column).copyMemory(from: rawCells(column), byteCount: count * 8)
    }
    _ = unsafe copy.append(arena, count: arenaCount)
    return copy
  }

  /// Keeps only the rows for which the mask is true, in order. Arena bytes of dropped rows stay behind unused.
  func keepRows(_ keep: [Bool]) {
    var target = 0
    for row in 0..<count where keep[row] {
      if target != row {
        for column in columns.indices {
          unsafe states[column][target] = states[column][row]
          // Cells of every storage are 8 bytes wide.
          unsafe integers(column)[target] = integers(column)[row]
        }
      }
      target += 1
    }
    for row in target..<count { for column in columns.indices { unsafe states[column][row] = 0 } }
    count = target
  }
}
