import Foundation
import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// A Double, Float or Date of a dump: a number with the infinities in words. A Date may also be ISO 8601 text; as a
/// number it is seconds since 2001-01-01T00:00:00Z.
///
/// Of all parsers here: the bytes need to live for the call only, as texts are copied to the batch's arena. `column`
/// and `row` are within the batch, and the column has the type that the parser writes, which the planner sees to.
struct StoredRealCell: CellParser {
  /// Set for a Date.
  let dates: DateParser?
  let isFloat: Bool

  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    let value: Double
    if kind == .number {
      guard let number = unsafe Double(String(decoding: bytes, as: UTF8.self)), number.isFinite else {
        return .notFinite
      }
      // As dumps write them: a number beyond what a Float can be has the digits of a Double.
      let narrow = unsafe Float(String(decoding: bytes, as: UTF8.self)) ?? Float(number)
      value = isFloat && (narrow.isNormal || number == 0) ? Double(narrow) : number
    } else if let infinity = unsafe Self.infinity(bytes) {
      value = infinity
    } else {
      guard let dates else { return .notAReal }
      guard let seconds = unsafe dates.parse(bytes) else { return .notADate }
      value = seconds
    }
    unsafe batch.reals(column)[row] = value
    return .none
  }

  private static func infinity(_ bytes: UnsafeRawBufferPointer) -> Double? {
    guard bytes.count == 8 || bytes.count == 9 else { return nil }
    switch unsafe String(decoding: bytes, as: UTF8.self) {
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    default: return nil
    }
  }
}

/// A Decimal or URI of a dump: the stored text.
struct StoredTextCell: CellParser {
  let isNumber: Bool

  func parse(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, into batch: RowBatch, column: Int, row: Int
  ) -> CellProblem {
    if isNumber, unsafe !NumberParsing.isReal(bytes) { return .notADecimal }
    unsafe batch.store(bytes: bytes, column: column, row: row)
    return .none
  }
}

extension NodeDecoder {
  /// Decodes the stored values of types whose stored form is wider than what an import accepts.
  /// - Returns: false for the other types, which are decoded as in any import.
  func decodeStored(_ cell: CellPlan, into batch: RowBatch) -> Bool {
    switch cell.attribute.type {
    case .integer16, .integer32:
      // The column is as wide as SQLite's integers.
      unsafe decode(
        cell, IntegerCell(range: .min ... .max, minimum: .min, maximum: .max, isDuration: false), into: batch)
    case .double: unsafe decode(cell, StoredRealCell(dates: nil, isFloat: false), into: batch)
    case .float: unsafe decode(cell, StoredRealCell(dates: nil, isFloat: true), into: batch)
    case .date: unsafe decode(cell, StoredRealCell(dates: cell.dates, isFloat: false), into: batch)
    case .decimal: unsafe decode(cell, StoredTextCell(isNumber: true), into: batch)
    case .uri: unsafe decode(cell, StoredTextCell(isNumber: false), into: batch)
    default: return false
    }
    return true
  }
}
