/// The pages of a tree that was there before, besides its root.
///
/// Of a table the interior pages and the leaves, whose overflow chains stay with them. Of an index the interior pages,
/// the leaves and the chains.
@safe struct TreePages {
  /// Pages between the root and the leaves.
  private(set) var interior: [UInt32] = []
  /// In the order of the tree; the root where it is a leaf itself.
  private(set) var leaves: [UInt32] = []
  /// Pages of an index's overflow chains.
  private(set) var overflow: [UInt32] = []
  private let file: DatabaseFile
  private let isIndex: Bool

  /// - Throws: `PageError` of kind `malformed` when the pages are no such tree.
  init(_ file: DatabaseFile, root: UInt32, isIndex: Bool) throws(PageError) {
    self.file = file
    self.isIndex = isIndex
    var depth = 0
    var page = root
    while let child = try children(of: page).first {
      depth += 1
      guard depth < 20 else { throw malformed(page) }
      page = child
    }
    try visit(root, depth: depth, isRoot: true)
  }

  private mutating func visit(_ page: UInt32, depth: Int, isRoot: Bool) throws(PageError) {
    guard leaves.count < file.firstNewPage else { throw malformed(page) }
    if depth == 0 {
      leaves.append(page)
      if isIndex { try collectOverflow(of: page) }
      return
    }
    if !isRoot { interior.append(page) }
    let children = try children(of: page)
    if children.isEmpty { throw malformed(page) }
    if isIndex { try collectOverflow(of: page) }
    for child in children { try visit(child, depth: depth - 1, isRoot: false) }
  }

  /// None for a leaf.
  private func children(of page: UInt32) throws(PageError) -> [UInt32] {
    unsafe try withPage(page) { (bytes) throws(PageError) in
      let kind = PageBuilder.Kind(rawValue: unsafe bytes[0])
      guard kind == (isIndex ? .interiorIndex : .interiorTable) else {
        guard kind == (isIndex ? .leafIndex : .leafTable) else { throw malformed(page) }
        return []
      }
      var children: [UInt32] = []
      for cell in unsafe try cells(of: page, bytes, headerSize: 12) {
        guard cell + 4 <= file.geometry.usableSize else { throw malformed(page) }
        children.append(UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: cell, as: UInt32.self)))
      }
      children.append(UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
      return children
    }
  }

  private mutating func collectOverflow(of page: UInt32) throws(PageError) {
    let heads = unsafe try withPage(page) { (bytes) throws(PageError) in
      let isLeaf = unsafe bytes[0] == PageBuilder.Kind.leafIndex.rawValue
      let usable = file.geometry.usableSize
      var heads: [UInt32] = []
      for cell in unsafe try cells(of: page, bytes, headerSize: isLeaf ? 8 : 12) {
        let start = cell + (isLeaf ? 0 : 4)
        guard start < usable, let base = bytes.baseAddress else { throw malformed(page) }
        let (size, count) = unsafe Varint.read(base + start, limit: usable - start)
        guard count > 0, size <= UInt64(Int32.max) else { throw malformed(page) }
        if size <= UInt64(file.geometry.maximumIndexLocal) { continue }
        let place = start + count + file.geometry.localSize(Int(size), maximum: file.geometry.maximumIndexLocal)
        guard place + 4 <= usable else { throw malformed(page) }
        heads.append(UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
      }
      return heads
    }
    for head in heads {
      var next = head
      while next != 0 {
        guard overflow.count < file.firstNewPage else { throw malformed(page) }
        overflow.append(next)
        next = unsafe try withPage(next) { (bytes) throws(PageError) in
          UInt32(bigEndian: unsafe bytes.loadUnaligned(as: UInt32.self))
        }
      }
    }
  }

  /// Where the cells of a page begin.
  @unsafe private func cells(
    of page: UInt32, _ bytes: UnsafeRawBufferPointer, headerSize: Int
  ) throws(PageError) -> [Int] {
    let count = Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 3, as: UInt16.self)))
    guard headerSize + count * 2 <= file.geometry.usableSize else { throw malformed(page) }
    return (0..<count).map {
      Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: headerSize + $0 * 2, as: UInt16.self)))
    }
  }

  private func withPage<Result>(
    _ page: UInt32, _ body: (UnsafeRawBufferPointer) throws(PageError) -> Result
  ) throws(PageError) -> Result {
    // The first page is the schema's.
    guard page > 1 else { throw malformed(page) }
    let size = file.geometry.pageSize
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { unsafe bytes.deallocate() }
    unsafe try file.read(page, into: bytes)
    return try unsafe body(UnsafeRawBufferPointer(start: bytes, count: size))
  }

  private func malformed(_ page: UInt32) -> PageError {
    PageError(kind: .malformed, message: "page \(page) of \(file.path) is not the tree's")
  }
}

extension DatabaseFile {
  /// Empties an index: its root becomes an empty leaf, and all its other pages may be taken by new ones.
  func emptyIndex(root: UInt32) throws(PageError) {
    let pages = try TreePages(self, root: root, isIndex: true)
    recycle(pages.interior + pages.overflow + (pages.leaves == [root] ? [] : pages.leaves))
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    let page = unsafe PageBuilder(.leafIndex, geometry: geometry, page: bytes)
    unsafe try replace(root, page.finish())
  }
}
