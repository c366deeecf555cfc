/// The interior pages of a tree that is written from left to right.
///
/// Children come in order, each with the divider that follows it: in a table the greatest row id of the child, in an
/// index a key that stands between two children. A child that does not fit a page any more becomes its rightmost one,
/// and the divider behind that child moves up, once it is known that another child follows.
///
/// Each level's page has a buffer in `buffers`, which are freed with this object: pages are written to the file and
/// emptied, but a level keeps its buffer.
@safe final class InteriorLevels {
  private struct Level {
    var page: PageBuilder
    /// Bytes of the last cell.
    var lastCellSize = 0
    /// A child and the divider behind it that did not fit.
    var waiting: [UInt8] = []
  }

  private let file: DatabaseFile
  private let kind: PageKind
  private var levels: [Level] = []
  @unsafe private var buffers: [UnsafeMutableRawPointer] = unsafe []

  init(file: DatabaseFile, kind: PageKind) {
    self.file = file
    self.kind = kind
  }

  deinit { unsafe buffers.forEach { unsafe $0.deallocate() } }

  var isEmpty: Bool { levels.isEmpty }

  /// Adds a child that is followed by another one.
  /// - Parameters:
  ///   - divider: the bytes after the child's number in the cell.
  @unsafe func append(_ child: UInt32, divider: UnsafeRawPointer, count: Int, level: Int = 0) throws(PageError) {
    if level == levels.count { addLevel() }
    if !levels[level].waiting.isEmpty { try emit(level) }
    let size = count + 4
    if !levels[level].page.hasRoom(for: size) {
      unsafe withUnsafeBytes(of: child.bigEndian) { unsafe levels[level].waiting += $0 }
      unsafe levels[level].waiting += UnsafeRawBufferPointer(start: divider, count: count)
      return
    }
    let cell = unsafe levels[level].page.addCell(size)
    unsafe cell.storeBytes(of: child.bigEndian, as: UInt32.self)
    unsafe (cell + 4).copyMemory(from: divider, byteCount: count)
    levels[level].lastCellSize = size
  }

  private func addLevel() {
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: file.geometry.pageSize, alignment: 16)
    unsafe buffers.append(buffer)
    levels.append(Level(page: unsafe PageBuilder(kind, geometry: file.geometry, page: buffer)))
  }

  /// Writes a full page: the child that waits becomes the rightmost one, and the divider behind it goes up.
  private func emit(_ level: Int) throws(PageError) {
    let cell = levels[level].waiting
    levels[level].waiting = []
    let rightmost = cell[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    let number = unsafe try file.append(levels[level].page.finish(rightmost: rightmost))
    adopt(levels[level].page, rightmost: rightmost, parent: number)
    levels[level].page.removeAll()
    let result: Result<Void, PageError> = unsafe cell.withUnsafeBytes { bytes in
      do throws(PageError) {
        guard let base = bytes.baseAddress else { return .success(()) }
        return .success(unsafe try append(number, divider: base + 4, count: bytes.count - 4, level: level + 1))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// The page is full, and one child without a divider follows the waiting child: these two start a new interior page.
  /// The last child of the full page becomes its rightmost.
  private func split(_ level: Int) throws(PageError) {
    guard levels[level].page.cellCount > 1 else {
      throw PageError(kind: .malformed, message: "an interior page holds less than two cells")
    }
    let cell = levels[level].waiting
    let size = levels[level].lastCellSize
    var moved: [UInt8] = []
    unsafe try levels[level].page.removeLastCell(size) { (last) throws(PageError) in
      unsafe moved += UnsafeRawBufferPointer(start: last, count: size)
    }
    levels[level].waiting = moved
    try emit(level)
    let place = unsafe levels[level].page.addCell(cell.count)
    unsafe cell.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { unsafe place.copyMemory(from: base, byteCount: bytes.count) }
    }
  }

  /// Writes the last page of each level; the topmost page takes the place of the root.
  /// - Parameter last: the last child, which no divider follows.
  func finish(last: UInt32, root: UInt32) throws(PageError) {
    var rightmost = last
    var level = 0
    while level < levels.count {
      if !levels[level].waiting.isEmpty { try split(level) }
      let page = unsafe levels[level].page.finish(rightmost: rightmost)
      var number = root
      if level == levels.count - 1 {
        unsafe try file.replace(root, page)
      } else {
        number = unsafe try file.append(page)
      }
      adopt(levels[level].page, rightmost: rightmost, parent: number)
      rightmost = number
      level += 1
    }
  }

  /// Enters a page as the parent of its children, and of the overflow chains of its own keys.
  private func adopt(_ page: PageBuilder, rightmost: UInt32, parent: UInt32) {
    for index in 0..<page.cellCount {
      let cell = unsafe page.cell(index)
      file.setPointer(UInt32(bigEndian: unsafe cell.loadUnaligned(as: UInt32.self)), .tree, parent: parent)
      if kind == .interiorIndex { unsafe file.adoptOverflow(ofIndexCell: cell + 4, parent: parent) }
    }
    file.setPointer(rightmost, .tree, parent: parent)
  }
}

extension DatabaseFile {
  /// Enters a page as the parent of the overflow chain of a key that is stored on it.
  /// - Parameter cell: from its payload size on.
  @unsafe func adoptOverflow(ofIndexCell cell: UnsafeRawPointer, parent: UInt32) {
    // Safety: only cells that this writer has put on its own page come here, each with all that its size announces.
    let (size, count) = unsafe Varint.read(cell, limit: 9)
    guard size > geometry.maximumIndexLocal else { return }
    let local = geometry.localSize(Int(size), maximum: geometry.maximumIndexLocal)
    let head = UInt32(bigEndian: unsafe (cell + count + local).loadUnaligned(as: UInt32.self))
    setPointer(head, .overflowHead, parent: parent)
  }

  /// Writes the part of a payload that does not fit its cell, as a chain of pages.
  /// - Parameter scratch: `pageSize` bytes.
  /// - Returns: the first page. Its parent is still to be set.
  @unsafe func appendOverflow(
    _ bytes: UnsafeRawPointer, count: Int, scratch: UnsafeMutableRawPointer
  ) throws(PageError) -> UInt32 {
    let room = geometry.usableSize - 4
    var head: UInt32 = 0
    var previous: UInt32 = 0
    var done = 0
    while done < count {
      let part = min(room, count - done)
      unsafe scratch.initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize)
      unsafe (scratch + 4).copyMemory(from: bytes + done, byteCount: part)
      done += part
      let next = done < count ? pageAfterNext : 0
      unsafe scratch.storeBytes(of: next.bigEndian, as: UInt32.self)
      let number = unsafe try append(scratch)
      if previous == 0 { head = number } else { setPointer(number, .overflow, parent: previous) }
      previous = number
    }
    return head
  }
}
