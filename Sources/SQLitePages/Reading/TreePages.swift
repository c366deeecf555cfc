/// The pages of a tree.
///
/// Of a table it has the interior pages and the leaves, whose overflow chains stay with them; of an index the interior
/// pages, the leaves and the chains. Of a table only the first leaf is read, because all leaves have one depth.
///
/// A source's page is good until the next one is asked for. A `TreePage` lets its header and cell pointers be read;
/// where a pointer leads is compared with the page's size here, or by `CellForm.read`, before a byte is read there.
struct TreePages {
  /// Pages between the root and the leaves.
  private(set) var interior: [UInt32] = []
  /// The leaves in the order of the tree; the root where it is a leaf itself.
  private(set) var leaves: [UInt32] = []
  /// Pages of an index's overflow chains.
  private(set) var overflow: [UInt32] = []

  private static let maximumDepth = 20

  /// - Throws: `PageError` of kind `malformed` when the pages are no such tree.
  init(_ source: some PageSource, root: UInt32, isIndex: Bool) throws(PageError) {
    var depth = 0
    var page = root
    while let child = try Self.children(of: page, source, isIndex: isIndex).first {
      depth += 1
      guard depth < Self.maximumDepth else { throw source.malformed(page) }
      page = child
    }
    try visit(root, depth: depth, isRoot: true, source, isIndex: isIndex)
  }

  private mutating func visit(
    _ page: UInt32, depth: Int, isRoot: Bool, _ source: some PageSource, isIndex: Bool
  ) throws(PageError) {
    // The first page is the schema's root. A tree has no more leaves than the file has pages; a damaged one could go on
    // for ever.
    guard isRoot || page > 1, page <= source.pageCount, leaves.count < source.pageCount else {
      throw source.malformed(page)
    }
    if isIndex { try collectOverflow(of: page, source) }
    if depth == 0 {
      leaves.append(page)
      return
    }
    if !isRoot { interior.append(page) }
    let children = try Self.children(of: page, source, isIndex: isIndex)
    if children.isEmpty { throw source.malformed(page) }
    for child in children { try visit(child, depth: depth - 1, isRoot: false, source, isIndex: isIndex) }
  }

  /// None for a leaf.
  private static func children(
    of number: UInt32, _ source: some PageSource, isIndex: Bool
  ) throws(PageError) -> [UInt32] {
    // Safety: no other page is asked for while this one is read.
    let page = unsafe try TreePage(number, of: source)
    if unsafe page.kind == (isIndex ? .leafIndex : .leafTable) { return [] }
    guard unsafe page.kind == (isIndex ? .interiorIndex : .interiorTable) else { throw source.malformed(number) }
    var children: [UInt32] = []
    unsafe children.reserveCapacity(page.cellCount + 1)
    for index in unsafe 0..<page.cellCount {
      let cell = unsafe page.cell(index)
      guard cell + 4 <= source.geometry.usableSize else { throw source.malformed(number) }
      children.append(UInt32(bigEndian: unsafe page.bytes.loadUnaligned(fromByteOffset: cell, as: UInt32.self)))
    }
    unsafe children.append(page.rightmostChild)
    return children
  }

  private mutating func collectOverflow(of number: UInt32, _ source: some PageSource) throws(PageError) {
    // Safety: chains are noted first and followed when the page is not read any more.
    let page = unsafe try TreePage(number, of: source)
    guard let kind = unsafe page.kind, kind == .leafIndex || kind == .interiorIndex else {
      throw source.malformed(number)
    }
    let form = CellForm(source.geometry, isIndex: true)
    var chains: [(head: UInt32, count: Int)] = []
    for index in unsafe 0..<page.cellCount {
      let cell = unsafe form.read(page.cell(index) + (kind == .leafIndex ? 0 : 4), page.bytes)
      guard cell.end > 0 else { throw source.malformed(number) }
      if cell.overflow == 0 { continue }
      let head = UInt32(bigEndian: unsafe page.bytes.loadUnaligned(fromByteOffset: cell.overflow, as: UInt32.self))
      chains.append((head, cell.payloadSize - (cell.overflow - cell.payload)))
    }
    for chain in chains {
      unsafe try OverflowChain.forEachPage(from: chain.head, count: chain.count, of: source) {
        (page, _) throws(PageError) in
        guard overflow.count < source.pageCount else { throw source.malformed(page) }
        overflow.append(page)
      }
    }
  }
}

/// A page of a b-tree, whose header and cell pointers lie within it. The places that pointers lead to are not checked
/// here.
@unsafe struct TreePage {
  let bytes: UnsafeRawPointer
  /// Nil for a page of no tree.
  let kind: PageKind?
  let cellCount: Int
  /// Where the header begins: behind that of the file on the first page.
  private let start: Int
  private let pointers: Int

  /// - Throws: `PageError` of kind `malformed` when there is no such page, or its header says more than it can hold.
  @inline(__always)
  init(_ number: UInt32, of source: some PageSource) throws(PageError) {
    guard let page = unsafe TreePage(number, try source.page(number), source.geometry) else {
      throw source.malformed(number)
    }
    unsafe self = unsafe page
  }

  /// - Returns: nil when the header says more than the page can hold.
  @inline(__always)
  init?(_ number: UInt32, _ bytes: UnsafeRawPointer, _ geometry: PageGeometry) {
    unsafe self.bytes = unsafe bytes
    unsafe start = number == 1 ? DatabaseHeader.byteCount : 0
    unsafe kind = PageKind(rawValue: bytes.load(fromByteOffset: start, as: UInt8.self))
    unsafe cellCount = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 3, as: UInt16.self)))
    unsafe pointers = start + (kind?.headerSize ?? 8)
    if unsafe pointers + cellCount * 2 > geometry.usableSize { return nil }
  }

  /// Where a cell begins, as its pointer says.
  @inline(__always)
  func cell(_ index: Int) -> Int {
    Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: pointers + index * 2, as: UInt16.self)))
  }

  /// The last child of an interior page.
  var rightmostChild: UInt32 {
    UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self))
  }
}
