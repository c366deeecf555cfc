/// Walks one tree in the order of its keys.
///
/// Nothing that the file says is trusted. What the unsafe code relies on: a page pointer of `window` is a whole page
/// and good until the next page is asked for, so an interior page is copied before the pages below it are visited.
/// Pointers to cells are read only after their number was compared with the page's size, and `CellForm.read` looks at
/// nothing outside the page; a cell whose `end` is above 0 lies within it, the number of its overflow page included.
struct TreeCheck {
  let file: CheckedFile
  let tree: DatabaseCheck.Tree
  private var problems: [String] = []
  private var pages: [UInt32] = []
  private var entryCount = 0
  private var lastRowID: Int64?
  private var leafDepth: Int?
  private let window: PageWindow<PageFile>
  private let form: CellForm

  init(file: CheckedFile, tree: DatabaseCheck.Tree) {
    window = PageWindow(file.file)
    form = CellForm(file.geometry, isIndex: tree.isIndex)
    self.file = file
    self.tree = tree
  }

  /// What the check of a tree found.
  struct Outcome: Sendable {
    var problems: [String]
    /// Pages of the tree and of its overflow chains.
    var pages: [UInt32]
    /// Rows of a table, or entries of an index.
    var entryCount: Int
  }

  mutating func run() throws(PageError) -> Outcome {
    if !file.pointer(of: tree.root, is: 1, parent: 0) {
      note(tree.root, "is a root, and the pointer map does not say so")
    }
    try visit(tree.root, parent: 0, depth: 0)
    return Outcome(problems: problems, pages: pages, entryCount: entryCount)
  }

  private mutating func note(_ page: UInt32, _ what: String) {
    if problems.count < 20 { problems.append("\(tree.name): page \(page) \(what)") }
  }

  private mutating func visit(_ page: UInt32, parent: UInt32, depth: Int) throws(PageError) {
    guard page >= 1, page <= file.pageCount, depth < 20, pages.count <= Int(file.pageCount) else {
      return note(parent, "leads to page \(page)")
    }
    pages.append(page)
    if depth > 0, !file.pointer(of: page, is: 5, parent: parent) {
      note(page, "hangs under page \(parent), and the pointer map does not say so")
    }
    // Safety: a page has 512 bytes at least, so its header lies within it, behind the file's header too.
    let bytes = unsafe try window.page(page)
    let start = page == 1 ? DatabaseHeader.byteCount : 0
    let byte = unsafe bytes.load(fromByteOffset: start, as: UInt8.self)
    guard let kind = PageKind(rawValue: byte), (kind == .leafIndex || kind == .interiorIndex) == tree.isIndex else {
      return note(page, "has the kind \(byte)")
    }
    let isLeaf = kind.isLeaf
    let usable = file.geometry.usableSize
    let cellCount = Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: start + 3, as: UInt16.self)))
    let stated = Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: start + 5, as: UInt16.self)))
    let content = stated == 0 ? 65_536 : stated
    let pointers = start + kind.headerSize
    // Safety: from here on the pointers to the cells lie within the page; each cell is checked before more of it is
    // read.
    guard pointers + cellCount * 2 <= content, content <= usable else { return note(page, "has cells in its header") }
    let cells = Cells(page: page, pointers: pointers, count: cellCount, content: content, usable: usable)
    if isLeaf {
      if leafDepth == nil { leafDepth = depth }
      if leafDepth != depth { note(page, "is a leaf of another depth") }
      if cellCount == 0 && depth > 0 { note(page, "is empty") }
      return unsafe try checkLeaf(bytes, cells)
    }
    // The window goes on to other pages below.
    let copy = UnsafeMutableRawPointer.allocate(byteCount: file.geometry.pageSize, alignment: 16)
    defer { unsafe copy.deallocate() }
    unsafe copy.copyMemory(from: bytes, byteCount: file.geometry.pageSize)
    if unsafe try checkInterior(copy, cells, depth) {
      let rightmost = UInt32(bigEndian: unsafe copy.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self))
      try visit(rightmost, parent: page, depth: depth + 1)
    }
  }

  /// Where the cells of a page are.
  private struct Cells {
    var page: UInt32
    /// Where the pointers to the cells begin.
    var pointers: Int
    var count: Int
    /// Where the cells begin.
    var content: Int
    /// Where they end at the latest.
    var usable: Int

    @inline(__always)
    @unsafe func start(_ index: Int, _ bytes: UnsafeRawPointer) -> Int {
      Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: pointers + index * 2, as: UInt16.self)))
    }
  }

  @unsafe private mutating func checkLeaf(_ bytes: UnsafeRawPointer, _ cells: Cells) throws(PageError) {
    let form = self.form
    let isIndex = tree.isIndex
    var last = lastRowID ?? .min
    var isFirst = lastRowID == nil
    var lastStart = cells.usable
    var isDescending = true
    var chains: [CellForm.Cell] = []
    for index in 0..<cells.count {
      let start = unsafe cells.start(index, bytes)
      let cell = unsafe form.read(start, bytes)
      guard start >= cells.content, cell.end > 0 else {
        return note(cells.page, "has a cell that does not lie within it")
      }
      if !isIndex {
        if last >= cell.rowID && !isFirst { note(cells.page, "has row \(cell.rowID) after row \(last)") }
        last = cell.rowID
        isFirst = false
      }
      if max(cell.end, start + 4) > lastStart { isDescending = false }
      lastStart = start
      if cell.overflow > 0 { chains.append(cell) }
    }
    if !isFirst { lastRowID = last }
    entryCount += cells.count
    if !isDescending { unsafe checkOverlaps(bytes, cells, childSize: 0) }
    try unsafe follow(chains, bytes, cells.page)
  }

  /// Checks the cells of an interior page and the pages below them.
  /// - Parameter bytes: a copy of the page, which stays while other pages are read.
  /// - Returns: false when the rest of the page cannot be read.
  @unsafe private mutating func checkInterior(
    _ bytes: UnsafeRawPointer, _ cells: Cells, _ depth: Int
  ) throws(PageError) -> Bool {
    for index in 0..<cells.count {
      let start = unsafe cells.start(index, bytes)
      guard start >= cells.content, start + 4 < cells.usable else {
        note(cells.page, "has a cell that does not lie within it")
        return false
      }
      let child = UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
      try visit(child, parent: cells.page, depth: depth + 1)
      if tree.isIndex {
        let cell = unsafe form.read(start + 4, bytes)
        guard cell.end > 0 else {
          note(cells.page, "has a cell that does not lie within it")
          return false
        }
        entryCount += 1
        if cell.overflow > 0 { try unsafe follow([cell], bytes, cells.page) }
      } else {
        let key = Int64(bitPattern: unsafe Varint.read(bytes + start + 4, limit: cells.usable - start - 4).value)
        if let lastRowID, lastRowID > key { note(cells.page, "has a divider below its rows") }
        lastRowID = key
      }
    }
    unsafe checkOverlaps(bytes, cells, childSize: 4)
    return true
  }

  /// Packed pages have their cells from the end to the front; those of others are sorted to find overlaps.
  @unsafe private mutating func checkOverlaps(_ bytes: UnsafeRawPointer, _ cells: Cells, childSize: Int) {
    var extents: [(start: Int, end: Int)] = []
    for index in 0..<cells.count {
      let start = unsafe cells.start(index, bytes)
      var end = 0
      // Safety: the callers have checked each cell's start, of interior pages with the child's four bytes.
      if tree.isIndex || childSize == 0 {
        end = unsafe form.read(start + childSize, bytes).end
      } else {
        end = unsafe start + 4 + Varint.read(bytes + start + 4, limit: cells.usable - start - 4).size
      }
      extents.append((start, max(end, start + 4)))
    }
    extents.sort { $0.start < $1.start }
    for index in extents.indices.dropFirst() where extents[index].start < extents[index - 1].end {
      return note(cells.page, "has cells that overlap")
    }
  }

  /// Walks the overflow chains of cells.
  @unsafe private mutating func follow(_ cells: [CellForm.Cell], _ bytes: UnsafeRawPointer, _ page: UInt32)
    throws(PageError)
  {
    for cell in cells {
      // Safety: the callers pass only cells that lie within the page. Chains are read into memory of their own, so the
      // page stays where it is.
      let head = UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: cell.overflow, as: UInt32.self))
      try follow(head, count: cell.payloadSize - form.localSize(cell), from: page)
    }
  }

  /// Walks an overflow chain.
  private mutating func follow(_ head: UInt32, count: Int, from page: UInt32) throws(PageError) {
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: file.geometry.pageSize, alignment: 16)
    defer { unsafe scratch.deallocate() }
    var left = count
    var next = head
    var previous = page
    var kind: UInt8 = 3
    while left > 0 {
      guard next >= 1, next <= file.pageCount, pages.count <= Int(file.pageCount) else {
        return note(page, "has an overflow chain that leads to page \(next)")
      }
      pages.append(next)
      if !file.pointer(of: next, is: kind, parent: previous) {
        note(next, "is of an overflow chain, and the pointer map does not say so")
      }
      unsafe try file.file.read(next, into: scratch)
      previous = next
      kind = 4
      next = UInt32(bigEndian: unsafe scratch.load(as: UInt32.self))
      left -= file.geometry.usableSize - 4
    }
    if next != 0 { note(page, "has an overflow chain that is too long") }
  }
}
