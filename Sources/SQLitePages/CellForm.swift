/// How cells of a tree's leaves are read, without looking at what they hold.
struct CellForm {
  /// The payload and the key of a cell, and where they are.
  struct Cell {
    var rowID: Int64 = 0
    var payloadSize = 0
    /// Where the overflow chain is named; 0 when there is none.
    var overflow = 0
    /// Where the cell ends; 0 when it does not lie within its page.
    var end = 0
  }

  private let geometry: PageGeometry
  private let isIndex: Bool
  private let usable: Int
  private let maximum: Int

  init(_ geometry: PageGeometry, isIndex: Bool) {
    self.geometry = geometry
    self.isIndex = isIndex
    usable = geometry.usableSize
    maximum = isIndex ? geometry.maximumIndexLocal : geometry.maximumTableLocal
  }

  /// How many bytes of a cell's payload are on its page.
  func localSize(_ cell: Cell) -> Int { geometry.localSize(cell.payloadSize, maximum: maximum) }

  /// Reads a cell of a leaf, or what follows the child's number in one of an interior index page.
  /// - Parameter bytes: a page, and 16 bytes that may be read behind it.
  @inline(__always)
  @unsafe func read(_ start: Int, _ bytes: UnsafeRawPointer) -> Cell {
    var cell = Cell()
    guard start < usable else { return cell }
    let (size, sizeCount) = unsafe CellForm.varint(bytes + start)
    guard size <= UInt64(Int32.max) else { return cell }
    var position = start + sizeCount
    if !isIndex {
      guard position < usable else { return cell }
      let (key, count) = unsafe CellForm.varint(bytes + position)
      cell.rowID = Int64(bitPattern: key)
      position += count
    }
    cell.payloadSize = Int(size)
    var end = position + cell.payloadSize
    if cell.payloadSize > maximum {
      cell.overflow = position + geometry.localSize(cell.payloadSize, maximum: maximum)
      end = cell.overflow + 4
    }
    if end <= usable { cell.end = end }
    return cell
  }

  /// Reads a variable-length integer. Bytes behind the page count as its own; the caller looks where the cell ends.
  @inline(__always)
  @unsafe static func varint(_ bytes: UnsafeRawPointer) -> (value: UInt64, size: Int) {
    let first = unsafe bytes.load(as: UInt8.self)
    if first < 0x80 { return (UInt64(first), 1) }
    let word = UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self))
    let ends = ~word & 0x8080_8080_8080_8080
    if ends == 0 { return unsafe Varint.read(bytes, limit: 9) }
    // The groups of seven bits are pushed together: two, four, then eight at a time.
    let size = ends.leadingZeroBitCount / 8 + 1
    var value = (word >> UInt64(64 - 8 * size)) & 0x7f7f_7f7f_7f7f_7f7f
    value = (value & 0x7f00_7f00_7f00_7f00) >> 1 | value & 0x007f_007f_007f_007f
    value = (value & 0x3fff_0000_3fff_0000) >> 2 | value & 0x0000_3fff_0000_3fff
    value = (value & 0x0fff_ffff_0000_0000) >> 4 | value & 0x0000_0000_0fff_ffff
    return (value, size)
  }
}
