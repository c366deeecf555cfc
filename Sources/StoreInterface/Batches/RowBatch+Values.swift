import Foundation
package import ObjectModel

extension RowBatch {
  /// Sets a cell to a value, or to null.
  /// - Parameter row: under the capacity.
  /// - Returns: false for a value that the column's storage cannot keep; the cell is as before then.
  package func set(_ value: Value, column: Int, row: Int) -> Bool {
    precondition(row < capacity, "the batch has no room for the row")
    // Safety: the row is under the capacity, and the cells are of the storage that is asked for.
    switch (value, columns[column].storage) {
    case (.null, _):
      unsafe states[column][row] = State.null.rawValue
      return true
    case (.integer(let number), .integer): unsafe integers(column)[row] = number
    case (.boolean(let flag), .integer): unsafe integers(column)[row] = flag ? 1 : 0
    case (.double(let number), .real): unsafe reals(column)[row] = number
    case (.date(let date), .real): unsafe reals(column)[row] = date.timeIntervalSinceReferenceDate
    case (.integer(let number), .real): unsafe reals(column)[row] = Double(number)
    case (.string(let text), .bytes): set(text, column, row)
    case (.uri(let uri), .bytes): set(uri.absoluteString, column, row)
    case (.decimal(let number), .bytes): set(number.description, column, row)
    case (.integer(let number), .bytes): set(String(number), column, row)
    case (.data(let data), .bytes): unsafe data.withUnsafeBytes { unsafe set($0, column, row) }
    case (.uuid(let uuid), .bytes): unsafe withUnsafeBytes(of: uuid.uuid) { unsafe set($0, column, row) }
    default: return false
    }
    unsafe states[column][row] = State.value.rawValue
    return true
  }

  private func set(_ text: String, _ column: Int, _ row: Int) {
    var text = text
    text.withUTF8 { unsafe set(UnsafeRawBufferPointer($0), column, row) }
  }

  private func set(_ bytes: UnsafeRawBufferPointer, _ column: Int, _ row: Int) {
    unsafe slices(column)[row] =
      bytes.baseAddress.map { unsafe append($0, count: bytes.count) } ?? Slice(offset: 0, length: 0)
  }
}
