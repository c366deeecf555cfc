import StoreInterface

/// Turns the cells of some columns into one byte string that identifies a natural key.
///
/// Integers and reals take eight bytes; a text or blob carries its length unless it is the last part, so that no two
/// different tuples share an encoding. The column list of a key is always the same, so no type tags are needed.
enum KeyEncoding {
  enum Result {
    case key
    /// Every part is null or absent.
    case noKey
    /// Some parts are there, others null or absent.
    case incomplete
  }

  /// Appends the encoding of a row's key to `buffer`; leaves it as it was unless the result is `.key`.
  @inline(__always)
  static func append(_ columns: [Int], of batch: RowBatch, row: Int, to buffer: inout [UInt8]) -> Result {
    let start = buffer.count
    var present = 0
    // Safety: callers name columns of the batch and a row under its count; the cell is copied at once.
    for (position, column) in columns.enumerated() {
      guard unsafe batch.states[column][row] == RowBatch.State.value.rawValue else { continue }
      present += 1
      switch batch.columns[column].storage {
      case .integer:
        unsafe append(UInt64(bitPattern: batch.integers(column)[row]), to: &buffer)
      case .real:
        let value = unsafe batch.reals(column)[row]
        append(value == 0 ? 0 : value.bitPattern, to: &buffer)
      case .bytes:
        let bytes = unsafe batch.cellBytes(column, row)
        if position + 1 < columns.count { append(UInt64(bytes.count), to: &buffer) }
        unsafe buffer.append(contentsOf: bytes)
      }
    }
    if present == columns.count { return .key }
    buffer.removeSubrange(start...)
    return present == 0 ? .noKey : .incomplete
  }

  private static func append(_ word: UInt64, to buffer: inout [UInt8]) {
    unsafe withUnsafeBytes(of: word.littleEndian) { unsafe buffer.append(contentsOf: $0) }
  }
}
