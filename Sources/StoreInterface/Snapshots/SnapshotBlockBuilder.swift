package import ObjectModel

/// Packs rows into blocks. The row that is being filled lies in the builder's own memory, which is used again for
/// every block.
@safe package final class SnapshotBlockBuilder {
  /// The greatest number of rows in a block, which one object can keep in memory.
  package static let rowsPerBlock = 128
  /// Bytes of texts after which a block ends early.
  private static let byteLimit = 1 << 18
  /// Longer texts stand by themselves.
  private static let longestPooledText = 1 << 16

  private let shape: SnapshotBlock.Shape
  private let cells: UnsafeMutablePointer<Int64>
  private let forms: UnsafeMutablePointer<UInt16>
  private let bytes: UnsafeMutableRawPointer
  private var byteCount = 0
  private var count = 0
  private var values: [Value] = []
  private var blocks: [SnapshotBlock] = []

  /// Cells of a row.
  package var width: Int { shape.width }

  package init(shape: SnapshotBlock.Shape) {
    self.shape = shape
    unsafe cells = .allocate(capacity: Self.rowsPerBlock * (shape.width + 2))
    unsafe cells.initialize(repeating: 0, count: Self.rowsPerBlock * (shape.width + 2))
    unsafe forms = .allocate(capacity: Self.rowsPerBlock * (shape.width + 1))
    unsafe forms.initialize(repeating: 0, count: Self.rowsPerBlock * (shape.width + 1))
    unsafe bytes = .allocate(byteCount: Self.byteLimit + Self.longestPooledText, alignment: 8)
  }

  deinit {
    unsafe cells.deallocate()
    unsafe forms.deallocate()
    unsafe bytes.deallocate()
  }

  /// A row to be filled: its cells and their forms, all of which must be set, in the order of the shape. Good until the
  /// next row begins: the builder's memory stays, but it is used again.
  @unsafe package struct Row {
    package let cells: UnsafeMutablePointer<Int64>
    package let forms: UnsafeMutablePointer<UInt16>
  }

  /// Begins a row.
  /// - Parameter kind: the position in `Shape.kinds`.
  @unsafe package func beginRow(kind: Int, primaryKey: Int64, version: Int64) -> Row {
    if count == Self.rowsPerBlock || byteCount >= Self.byteLimit { endBlock() }
    let start = unsafe cells + count * (shape.width + 2)
    let startForms = unsafe forms + count * (shape.width + 1)
    unsafe start[0] = primaryKey
    unsafe start[1] = version
    unsafe startForms[0] = UInt16(truncatingIfNeeded: kind)
    count += 1
    return unsafe Row(cells: start + 2, forms: startForms + 1)
  }

  /// Sets a cell of the row at hand to a text.
  @unsafe package func setText(_ text: UnsafeRawBufferPointer, in row: Row, at index: Int) {
    guard text.count <= Self.longestPooledText, byteCount <= Self.byteLimit else {
      return unsafe set(.string(String(decoding: text, as: UTF8.self)), in: row, at: index)
    }
    // Safety: the pool has room for one longest text more than the limit.
    if let first = text.baseAddress { unsafe (bytes + byteCount).copyMemory(from: first, byteCount: text.count) }
    unsafe row.cells[index] = Int64(byteCount) << 32 | Int64(text.count)
    unsafe row.forms[index] = SnapshotBlock.Form.string
    byteCount += text.count
  }

  /// Sets a cell of the row at hand to a value that has no packed form.
  @unsafe package func set(_ value: Value, in row: Row, at index: Int) {
    unsafe row.cells[index] = Int64(values.count)
    unsafe row.forms[index] = SnapshotBlock.Form.value
    values.append(value)
  }

  /// Room for rows that are packed elsewhere, behind those of the block at hand. Good until the next call of the
  /// builder.
  @unsafe package struct Room {
    /// Primary key, version and `width` cells of each row.
    package let cells: UnsafeMutablePointer<Int64>
    /// The kind and `width` forms of each row.
    package let forms: UnsafeMutablePointer<UInt16>
    package let width: Int
    /// Rows that there is room for, at least one.
    package let capacity: Int
    package let bytes: UnsafeMutableRawBufferPointer
    /// The offset of `bytes` in the block's texts.
    package let offset: Int
  }

  /// Room for at least one row.
  @unsafe package func room() -> Room {
    if count == Self.rowsPerBlock || byteCount >= Self.byteLimit { endBlock() }
    // Safety: the places behind the rows and bytes that are there already.
    return unsafe Room(
      cells: cells + count * (shape.width + 2), forms: forms + count * (shape.width + 1), width: shape.width,
      capacity: Self.rowsPerBlock - count,
      bytes: UnsafeMutableRawBufferPointer(
        start: bytes + byteCount, count: Self.byteLimit + Self.longestPooledText - byteCount), offset: byteCount)
  }

  /// Takes the rows that were packed into the room that was given last.
  /// - Parameter isFull: whether the room was too small for another row.
  package func add(rows: Int, bytes: Int, isFull: Bool) {
    count += rows
    byteCount += bytes
    if isFull { endBlock() }
  }

  /// The rows since the last call. Begins anew also when the last rows were given up because of an error.
  package func finish() -> [SnapshotBlock] {
    endBlock()
    defer { blocks = [] }
    return blocks
  }

  private func endBlock() {
    if count > 0 {
      blocks.append(
        unsafe SnapshotBlock(
          shape: shape, count: count, cells: cells, forms: forms,
          text: UnsafeRawBufferPointer(start: bytes, count: byteCount), values: values))
    }
    count = 0
    byteCount = 0
    values = []
  }
}
