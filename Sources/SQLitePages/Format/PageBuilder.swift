/// A b-tree page that is being filled: cell pointers grow from the front, cells from the end.
///
/// Callers ask `hasRoom` before they add a cell, or have summed up `room(for:)` beforehand: pointers and cells never
/// meet. A cell stays where it is until the page is emptied.
@safe struct PageBuilder {
  let kind: PageKind
  private let geometry: PageGeometry
  @unsafe private let page: UnsafeMutableRawPointer
  private(set) var cellCount = 0
  /// Where the lowest cell begins.
  private var contentStart: Int
  /// Where the next cell pointer goes.
  private var pointerEnd: Int

  /// - Parameter page: `pageSize` bytes that outlive the builder.
  @unsafe init(_ kind: PageKind, geometry: PageGeometry, page: UnsafeMutableRawPointer) {
    self.kind = kind
    self.geometry = geometry
    unsafe self.page = page
    contentStart = geometry.usableSize
    pointerEnd = kind.headerSize
    unsafe page.initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize)
  }

  /// Empties the page.
  mutating func removeAll() {
    unsafe page.initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize)
    cellCount = 0
    contentStart = geometry.usableSize
    pointerEnd = kind.headerSize
  }

  /// SQLite gives every cell at least four bytes, so that a freed one has room for a free-block header.
  @inline(__always) private static func allocated(_ size: Int) -> Int { max(size, 4) }

  @inline(__always)
  func hasRoom(for size: Int) -> Bool { contentStart - pointerEnd >= PageBuilder.room(for: size) }

  /// The bytes that a cell takes of a page, its pointer included.
  @inline(__always) static func room(for size: Int) -> Int { allocated(size) + 2 }

  /// Makes room for the next cell, which the caller fills. There must be room.
  @inline(__always)
  @unsafe mutating func addCell(_ size: Int) -> UnsafeMutableRawPointer {
    // Safety: there is room for the cell and its pointer, as the caller says.
    contentStart -= PageBuilder.allocated(size)
    unsafe (page + pointerEnd).storeBytes(of: UInt16(truncatingIfNeeded: contentStart).bigEndian, as: UInt16.self)
    pointerEnd += 2
    cellCount += 1
    return unsafe page + contentStart
  }

  /// Where a cell begins.
  @unsafe func cell(_ index: Int) -> UnsafeMutableRawPointer {
    let pointer = UInt16(
      bigEndian: unsafe (page + kind.headerSize + index * 2).loadUnaligned(as: UInt16.self))
    return unsafe page + Int(pointer)
  }

  /// Takes the last cell off the page and clears its bytes. They are still there while `body` runs.
  /// - Parameter size: the size that `addCell` was given.
  @unsafe mutating func removeLastCell(
    _ size: Int, _ body: (UnsafeRawPointer) throws(PageError) -> Void
  ) throws(PageError) {
    let start = unsafe page + contentStart
    unsafe try body(start)
    unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: PageBuilder.allocated(size))
    contentStart += PageBuilder.allocated(size)
    pointerEnd -= 2
    unsafe (page + pointerEnd).storeBytes(of: 0, as: UInt16.self)
    cellCount -= 1
  }

  /// Writes the page's header and hands out the finished page.
  /// - Parameter rightmost: the last child of an interior page.
  @unsafe func finish(rightmost: UInt32 = 0) -> UnsafeRawPointer {
    unsafe page.storeBytes(of: kind.rawValue, as: UInt8.self)
    unsafe (page + 3).storeBytes(of: UInt16(truncatingIfNeeded: cellCount).bigEndian, as: UInt16.self)
    // 65,536 is written as 0.
    unsafe (page + 5).storeBytes(of: UInt16(truncatingIfNeeded: contentStart).bigEndian, as: UInt16.self)
    if kind.headerSize == 12 { unsafe (page + 8).storeBytes(of: rightmost.bigEndian, as: UInt32.self) }
    return unsafe UnsafeRawPointer(page)
  }
}
