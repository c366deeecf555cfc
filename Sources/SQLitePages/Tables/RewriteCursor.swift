/// Goes through the rows of a table that is written anew, in the order of their ids.
///
/// Pages are given up as soon as they are in memory, so that new ones can take them: the file hardly grows. `cell`
/// points into the window, which keeps its bytes when the pages in the file are overwritten.
@safe struct RewriteCursor: ~Copyable {
  /// The row's id.
  private(set) var rowID = Int64.min
  /// The row as it lies on its page, valid until the next `advance`.
  @unsafe private(set) var cell: UnsafePointer<UInt8>
  private(set) var cellCount = 0
  /// Bytes of the row's record.
  private(set) var payloadCount = 0
  /// Bytes of the cell before the record.
  private(set) var prefixCount = 0
  /// Where the cell has the number of its first overflow page; 0 when there is none.
  private(set) var overflowPlace = 0

  private let file: DatabaseFile
  private let root: UInt32
  private let form: CellForm
  private let leaves: [UInt32]
  /// The next leaf that is not in the window.
  private var nextLeaf = 0
  private let window: PageMemory
  /// Leaves in the window, and the next one of them.
  private var loaded = 0..<0
  @unsafe private var page: UnsafePointer<UInt8>
  private var cellIndex = 0
  private var pageCellCount = 0
  private let overflow = RecordScratch()
  private let overflowPages: PageBuffer<DatabaseFile>

  init(_ pages: TreePages, of file: DatabaseFile, root: UInt32) {
    self.file = file
    self.root = root
    form = CellForm(file.geometry, isIndex: false)
    leaves = pages.leaves
    window = PageMemory(file.geometry, pages: max(1, (1 << 18) / file.geometry.pageSize))
    overflowPages = PageBuffer(file)
    unsafe page = UnsafePointer(window.base.assumingMemoryBound(to: UInt8.self))
    unsafe cell = unsafe page
  }

  /// Goes to the next row; false at the end.
  @inline(__always)
  mutating func advance() throws(PageError) -> Bool {
    while cellIndex == pageCellCount {
      if try !nextPage() { return false }
    }
    // Safety: `TreePage` has checked that so many pointers fit the page, and `read` that the cell lies within it. A
    // leaf that is written anew is never page 1, whose pointers begin elsewhere.
    let pointer = unsafe UnsafeRawPointer(page + 8 + cellIndex * 2).loadUnaligned(as: UInt16.self)
    let start = Int(UInt16(bigEndian: pointer))
    cellIndex += 1
    let found = unsafe form.read(start, UnsafeRawPointer(page))
    guard found.end > 0, found.rowID > rowID || rowID == .min else { throw malformed() }
    rowID = found.rowID
    unsafe cell = page + start
    cellCount = found.end - start
    payloadCount = found.payloadSize
    overflowPlace = found.overflow == 0 ? 0 : found.overflow - start
    prefixCount = found.payload - start
    return true
  }

  private mutating func nextPage() throws(PageError) -> Bool {
    if loaded.isEmpty {
      guard nextLeaf < leaves.count else { return false }
      // Leaves that follow each other in the file are read together.
      var count = 1
      while count < window.pages, nextLeaf + count < leaves.count,
        leaves[nextLeaf + count] == leaves[nextLeaf] + UInt32(count)
      { count += 1 }
      unsafe try file.read(leaves[nextLeaf], count: count, into: window.base)
      file.recycle(leaves[nextLeaf..<(nextLeaf + count)].filter { $0 != root })
      nextLeaf += count
      loaded = 0..<count
    }
    unsafe page = UnsafePointer(
      window.base.assumingMemoryBound(to: UInt8.self) + loaded.lowerBound * file.geometry.pageSize)
    loaded.removeFirst()
    cellIndex = 0
    guard let leaf = unsafe TreePage(leaves[nextLeaf - 1], page, file.geometry), unsafe leaf.kind == .leafTable else {
      throw malformed()
    }
    pageCellCount = unsafe leaf.cellCount
    return true
  }

  /// The row's whole record, valid until the next one is asked for.
  @inline(__always)
  @unsafe func record() throws(PageError) -> UnsafeRawPointer {
    let local = unsafe UnsafeRawPointer(cell + prefixCount)
    if overflowPlace == 0 { return unsafe local }
    return unsafe try OverflowChain.assemble(
      local, localCount: overflowPlace - prefixCount, size: payloadCount, of: overflowPages, into: overflow)
  }

  /// Gives up the pages that hold the end of the row's record.
  func recycleOverflow() throws(PageError) {
    if overflowPlace == 0 { return }
    var pages: [UInt32] = []
    unsafe try OverflowChain.forEachPage(
      from: overflowHead, count: payloadCount - (overflowPlace - prefixCount), of: overflowPages
    ) { (page, _) in pages.append(page) }
    file.recycle(pages)
  }

  /// The first page that holds the end of the row's record; 0 when there is none.
  var overflowHead: UInt32 {
    if overflowPlace == 0 { return 0 }
    return UInt32(bigEndian: unsafe UnsafeRawPointer(cell + overflowPlace).loadUnaligned(as: UInt32.self))
  }

  private func malformed() -> PageError {
    PageError(kind: .malformed, message: "a page of \(file.path) is not the table's (root \(root))")
  }
}
