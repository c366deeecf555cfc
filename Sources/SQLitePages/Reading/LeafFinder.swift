/// Finds the leaves of a table, by a row id or one after the other in the order of row ids. It remembers the interior
/// pages on the way from the root.
///
/// Each level has a copy of its page in memory of its own, since a page that `load` gives is good until the next call
/// only. A cell's start is compared with the page's size before it is read. The first `depth` levels are in use.
@safe final class LeafFinder<File: PageFileReading> {
  /// An interior page on the way.
  private struct Level {
    let memory: PageMemory
    var number: UInt32 = 0
    var cellCount = 0
    /// The child that the way takes; `cellCount` is the rightmost one.
    var child = 0
  }

  private let file: File
  private let root: UInt32
  private var levels: [Level] = []
  private var depth = 0
  private var leafCount: UInt32 = 0
  private static var maximumDepth: Int { 20 }

  init(_ file: File, root: UInt32) {
    self.file = file
    self.root = root
  }

  /// The leaf on which a row id is, or would be.
  /// - Parameter load: gives a page, valid until it is called again.
  @unsafe func leaf(of rowID: Int64, _ load: (UInt32) throws(PageError) -> UnsafeRawPointer) throws(PageError) -> UInt32
  {
    depth = 0
    leafCount = 0
    return unsafe try descend(from: root, to: rowID, load)
  }

  /// The leaf behind the one that was given last; nil behind the last one.
  @unsafe func nextLeaf(_ load: (UInt32) throws(PageError) -> UnsafeRawPointer) throws(PageError) -> UInt32? {
    while depth > 0 {
      let last = depth - 1
      if levels[last].child < levels[last].cellCount {
        levels[last].child += 1
        return unsafe try descend(from: child(last), to: .min, load)
      }
      depth -= 1
    }
    return nil
  }

  @unsafe private func descend(
    from start: UInt32, to rowID: Int64, _ load: (UInt32) throws(PageError) -> UnsafeRawPointer
  ) throws(PageError) -> UInt32 {
    var number = start
    while true {
      // A tree is never deeper; a damaged one could lead back to itself.
      guard number == root || number > 1, depth < Self.maximumDepth else { throw file.malformed(number) }
      if depth < levels.count, levels[depth].number == number {
        // The page of this level is loaded already.
      } else {
        let bytes = unsafe try load(number)
        guard let page = unsafe TreePage(number, bytes, file.geometry) else { throw file.malformed(number) }
        if unsafe page.kind == .leafTable {
          // A tree has no more leaves than the file has pages; a damaged one could go on for ever.
          leafCount += 1
          guard leafCount <= file.readablePageCount else { throw file.malformed(number) }
          return number
        }
        guard unsafe page.kind == .interiorTable else { throw file.malformed(number) }
        if depth == levels.count { levels.append(Level(memory: PageMemory(file.geometry, pages: 1))) }
        // Safety: both are a page long.
        unsafe levels[depth].memory.base.copyMemory(from: bytes, byteCount: file.geometry.pageSize)
        levels[depth].number = number
        levels[depth].cellCount = unsafe page.cellCount
      }
      levels[depth].child = try position(of: rowID, depth)
      depth += 1
      number = try child(depth - 1)
    }
  }

  @unsafe private func page(_ level: Int) throws(PageError) -> TreePage {
    let bytes = unsafe UnsafeRawPointer(levels[level].memory.base)
    guard let page = unsafe TreePage(levels[level].number, bytes, file.geometry) else {
      throw file.malformed(levels[level].number)
    }
    return unsafe page
  }

  /// The first child whose greatest row id is no less.
  private func position(of rowID: Int64, _ level: Int) throws(PageError) -> Int {
    let page = unsafe try page(level)
    var (low, high) = (0, levels[level].cellCount)
    while low < high {
      let middle = (low + high) / 2
      let cell = unsafe page.cell(middle) + 4
      guard cell < file.geometry.usableSize else { throw file.malformed(levels[level].number) }
      let (key, size) = unsafe Varint.read(page.bytes + cell, limit: file.geometry.usableSize - cell)
      guard size > 0 else { throw file.malformed(levels[level].number) }
      if Int64(bitPattern: key) < rowID { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func child(_ level: Int) throws(PageError) -> UInt32 {
    let page = unsafe try page(level)
    if levels[level].child == levels[level].cellCount { return unsafe page.rightmostChild }
    let cell = unsafe page.cell(levels[level].child)
    guard cell + 4 <= file.geometry.usableSize else { throw file.malformed(levels[level].number) }
    return UInt32(bigEndian: unsafe page.bytes.loadUnaligned(fromByteOffset: cell, as: UInt32.self))
  }
}
