import Foundation
import Pipelines
import Reports
import SeedFormats

/// Fields of some records or nested objects as a decoder sees them: slices into a record batch's bytes.
///
/// `slices` belong to the record batch, to an array or to memory that the maker of the table gives back after the
/// decoder has run: a table lives no longer than the call that it is handed to.
@unsafe struct FieldTable {
  let records: RecordBatch
  /// `fieldCount` slices per entry, entry after entry.
  let slices: UnsafeBufferPointer<FieldSlice>
  let fieldCount: Int
  /// Whether null texts in quotes stay texts (CSV).
  let respectsQuotes: Bool

  // Safety: entries are counted under `slices.count / fieldCount`, slots under `fieldCount`; both come from the plan by
  // which the slices were made.
  @inline(__always)
  func slice(_ entry: Int, slot: Int) -> FieldSlice { unsafe slices[entry * fieldCount + slot] }

  /// Taken anew for every field, because unescaping nested values may move the bytes.
  @inline(__always)
  func bytes(of slice: FieldSlice) -> UnsafeRawBufferPointer {
    // Safety: a slice's end lies in the batch's bytes, because the scanner that made it found the field there and bytes
    // are only ever added behind it. An absent field is the empty slice at 0.
    let all = unsafe records.bytes
    return unsafe UnsafeRawBufferPointer(
      rebasing: all[Int(slice.offset)..<Int(slice.offset) + Int(slice.length)])
  }

  /// The bytes as text, cut to `Reject.valueLimit` characters.
  func text(of slice: FieldSlice) -> String {
    let bytes = unsafe bytes(of: slice)
    let cut = unsafe String(decoding: bytes.prefix(Reject.valueLimit * 4), as: UTF8.self)
    return cut.count > Reject.valueLimit ? String(cut.prefix(Reject.valueLimit)) + "…" : cut
  }

  /// Where a field stands in its record as written; nil when the record does not have it.
  func rawOffset(_ entry: Int, slot: Int?) -> UInt32? {
    guard let slot else { return nil }
    let slice = unsafe slice(entry, slot: slot)
    return slice.kind == .absent ? nil : slice.rawOffset
  }
}

/// One entry of a field table, for expressions.
@unsafe struct RecordFields: FieldAccess {
  let table: FieldTable
  let entry: Int
  /// Texts that mean null.
  let nulls: [[UInt8]]
  /// Whether these texts mean null in quotes too, as in fields of attributes that are no texts. An empty text in quotes
  /// never does, so that an expression can test for it.
  var takesQuotedNulls = false

  func value(slot: Int) -> RecordExpressionValue {
    let slice = unsafe table.slice(entry, slot: slot)
    let bytes = unsafe table.bytes(of: slice)
    switch slice.kind {
    case .absent: return .absent
    case .null: return .null
    case .true: return .boolean(true)
    case .false: return .boolean(false)
    case .string:
      let keepsNull = unsafe table.respectsQuotes && slice.isQuoted && (!takesQuotedNulls || bytes.isEmpty)
      if !keepsNull, unsafe nulls.containsText(bytes) { return .null }
      return unsafe .string(String(decoding: bytes, as: UTF8.self))
    case .object, .array: return unsafe .string(String(decoding: bytes, as: UTF8.self))
    case .number:
      return unsafe RecordExpressionValue(number: bytes)
    }
  }

  func firstElement(slot: Int) throws(RecordExpressionFailure) -> RecordExpressionValue {
    let slice = unsafe table.slice(entry, slot: slot)
    switch slice.kind {
    case .absent, .null, .true, .false, .string, .number: return unsafe value(slot: slot)
    case .object: throw .structuredElement()
    case .array: break
    }
    switch unsafe JSONElement.first(ofArray: table.bytes(of: slice)) {
    case nil, .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .number(let bytes): return unsafe RecordExpressionValue(number: bytes)
    case .text(let text): return unsafe nulls.containsText(Array(text.utf8)) ? .null : .string(text)
    case .structure: throw .structuredElement()
    }
  }
}

extension RecordExpressionValue {
  /// A number as JSON writes it. One that neither an Int64 nor a Double can hold stays text, so that no digit is lost.
  init(number bytes: UnsafeRawBufferPointer) {
    switch unsafe NumberParsing.integer(bytes) {
    case .value(let integer): self = .integer(integer)
    case .outOfRange: self = unsafe .string(String(decoding: bytes, as: UTF8.self))
    case .notANumber:
      if bytes.count > 16, case .double = unsafe ParsedNumber.read(bytes),
        let exact = unsafe ExactNumber.longDecimal(String(decoding: bytes, as: UTF8.self))
      {
        self = ExactNumber.value(exact)
      } else if case .value(let real) = unsafe NumberParsing.real(bytes) {
        self = .double(real)
      } else {
        self = unsafe .string(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  /// The value as text: what a text attribute takes; empty for null.
  var text: String {
    switch self {
    case .absent, .null: ""
    case .string(let text): text
    case .integer(let integer): String(integer)
    case .double(let double): String(double)
    case .decimal(let decimal): "\(decimal)"
    case .boolean(let flag): flag ? "true" : "false"
    case .date(let date): DateText.iso8601(date)
    case .data, .list: ""
    }
  }
}

extension [[UInt8]] {
  /// Whether one of the texts is these bytes.
  @inline(__always)
  func containsText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    for text in self where unsafe text.count == bytes.count && bytes.elementsEqual(text) { return true }
    return false
  }

  /// Whether one of the texts is these bytes.
  func containsText(_ bytes: [UInt8]) -> Bool { contains(bytes) }
}
