/// Reads the places and sizes of a tree's cells, but not their contents. Nothing outside their page is read.
struct CellForm {
  /// The payload and the key of a cell, and where they are.
  struct Cell {
    var rowID: Int64 = 0
    var payloadSize = 0
    /// Where the part of the payload begins that is on the page.
    var payload = 0
    /// Where the number of the first overflow page lies; 0 when there is none.
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
  /// - Parameter bytes: a page.
  @inline(__always)
  @unsafe func read(_ start: Int, _ bytes: UnsafeRawPointer) -> Cell {
    var cell = Cell()
    guard start < usable else { return cell }
    let (size, sizeCount) = unsafe Varint.read(bytes + start, limit: usable - start)
    guard sizeCount > 0, size <= UInt64(Int32.max) else { return cell }
    var position = start + sizeCount
    if !isIndex {
      let (key, count) = unsafe Varint.read(bytes + position, limit: usable - position)
      guard count > 0 else { return cell }
      cell.rowID = Int64(bitPattern: key)
      position += count
    }
    cell.payloadSize = Int(size)
    cell.payload = position
    var end = position + cell.payloadSize
    if cell.payloadSize > maximum {
      cell.overflow = position + geometry.localSize(cell.payloadSize, maximum: maximum)
      end = cell.overflow + 4
    }
    if end <= usable { cell.end = end }
    return cell
  }
}
