/// A column of cells in memory, of which writers take many rows at once.
///
/// It only points at the cells: they must stay in place, unchanged, as long as a writer uses the column.
@safe public struct CellColumn {
  /// How a cell is kept and written.
  public enum Kind: UInt8, Sendable {
    /// An Int64.
    case integer
    /// A Double.
    case real
    /// An Int64, written as `false` when it is 0 and `true` when it is not.
    case boolean
    /// UTF-8 text: two UInt32, the offset in the text buffer and the length.
    case text
  }

  /// How the cells are kept.
  public let kind: Kind
  /// One byte per row.
  @unsafe let states: UnsafePointer<UInt8>
  /// The state of a row that has a value; every other state is an empty cell.
  let valueState: UInt8
  /// Eight bytes per row.
  @unsafe let cells: UnsafeRawPointer
  /// Where the texts lie.
  @unsafe let text: UnsafeRawPointer?

  /// - Parameters:
  ///   - states: one byte per row, `valueState` where the cell has a value.
  ///   - cells: eight bytes per row, as the kind says.
  ///   - text: where the texts lie; needed for `text` alone.
  @unsafe public init(
    kind: Kind, states: UnsafePointer<UInt8>, valueState: UInt8, cells: UnsafeRawPointer, text: UnsafeRawPointer? = nil
  ) {
    self.kind = kind
    unsafe self.states = unsafe states
    self.valueState = valueState
    unsafe self.cells = unsafe cells
    unsafe self.text = unsafe text
  }

  /// The text of a row; empty unless the column is of texts.
  @inline(__always)
  @unsafe func text(at row: Int) -> UnsafeRawBufferPointer {
    // Safety: callers keep the row under the number of states and cells, and ask only where the state says a value.
    let offset = unsafe cells.load(fromByteOffset: row * 8, as: UInt32.self)
    let length = unsafe cells.load(fromByteOffset: row * 8 + 4, as: UInt32.self)
    return unsafe UnsafeRawBufferPointer(
      start: text.map { unsafe $0 + Int(offset) }, count: text == nil ? 0 : Int(length))
  }
}
