/// Writes an index's b-tree from keys in their order. The index must be empty; its root page stays where it is.
///
/// What its unsafe code relies on: `buffer`, `scratch` and `divider` are a page long and belong to the writer, and
/// `leaf` builds its page in `buffer`. A cell of an index takes less than a quarter of a page, so an empty page has
/// room for it, a full one has several cells, and `divider` can hold any. A payload is read during `append` only. The
/// writer is used by one thread at a time.
@safe public final class IndexTreeWriter {
  private let file: DatabaseFile
  private let root: UInt32
  private let levels: InteriorLevels
  private let geometry: PageGeometry
  @unsafe private let buffer: UnsafeMutableRawPointer
  @unsafe private let scratch: UnsafeMutableRawPointer
  private var leaf: PageBuilder
  private var lastCellSize = 0
  private var isEmpty = true
  /// Whether any key has overflow pages.
  private var hasOverflow = false
  /// The key that did not fit the current leaf. It divides the leaf from the next one, if another key follows.
  @unsafe private let divider: UnsafeMutableRawPointer
  private var dividerSize = 0

  /// - Parameter root: the page of the empty index, as `sqlite_schema` names it.
  /// - Throws: `PageError` when the page is no empty index.
  public init(file: DatabaseFile, root: UInt32) throws(PageError) {
    self.file = file
    self.root = root
    geometry = file.geometry
    unsafe buffer = .allocate(byteCount: geometry.pageSize, alignment: 16)
    unsafe scratch = .allocate(byteCount: geometry.pageSize, alignment: 16)
    unsafe divider = .allocate(byteCount: geometry.pageSize, alignment: 16)
    unsafe leaf = PageBuilder(.leafIndex, geometry: geometry, page: buffer)
    levels = InteriorLevels(file: file, kind: .interiorIndex)
    unsafe try file.requireEmpty(root, .leafIndex, scratch)
  }

  deinit {
    unsafe buffer.deallocate()
    unsafe scratch.deallocate()
    unsafe divider.deallocate()
  }

  /// Adds a key, which the caller guarantees to come after the one before.
  /// - Parameter payload: the index record: the key's columns and the row id.
  @inline(__always)
  @unsafe public func append(payload: UnsafeRawPointer, count: Int) throws(PageError) {
    let local = geometry.localSize(count, maximum: geometry.maximumIndexLocal)
    let size = Varint.size(UInt64(count)) + local + (local < count ? 4 : 0)
    if dividerSize > 0 { try emitLeaf() }
    isEmpty = false
    var head: UInt32 = 0
    if local < count {
      head = unsafe try file.appendOverflow(payload + local, count: count - local, scratch: scratch)
      hasOverflow = true
    }
    // Safety: `localSize` keeps cells of an index under a quarter of a page, so `divider`, a page long, holds any.
    var cell: UnsafeMutableRawPointer
    if leaf.hasRoom(for: size) {
      unsafe cell = leaf.addCell(size)
      lastCellSize = size
    } else {
      unsafe cell = divider
      dividerSize = size
    }
    unsafe cell += Varint.write(UInt64(count), to: cell)
    unsafe cell.copyMemory(from: payload, byteCount: local)
    if local < count { unsafe (cell + local).storeBytes(of: head.bigEndian, as: UInt32.self) }
  }

  /// Writes the current leaf, followed by the key in `divider`.
  private func emitLeaf() throws(PageError) {
    let number = unsafe try file.append(leaf.finish())
    adoptOverflow(number)
    leaf.removeAll()
    unsafe try levels.append(number, divider: divider, count: dividerSize)
    dividerSize = 0
  }

  /// The last key does not fit the leaf: the one before it becomes the divider, and it gets a leaf of its own.
  private func splitLast() throws(PageError) {
    let size = dividerSize
    let last = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    defer { unsafe last.deallocate() }
    unsafe last.copyMemory(from: divider, byteCount: size)
    dividerSize = lastCellSize
    // Safety: the leaf has no room, so it has cells, and `lastCellSize` is the size of the last one: the key that came
    // after it is in `divider`.
    unsafe try leaf.removeLastCell(dividerSize) { (cell) throws(PageError) in
      unsafe divider.copyMemory(from: cell, byteCount: dividerSize)
    }
    try emitLeaf()
    unsafe leaf.addCell(size).copyMemory(from: last, byteCount: size)
  }

  private func adoptOverflow(_ parent: UInt32) {
    guard hasOverflow else { return }
    for index in 0..<leaf.cellCount { unsafe file.adoptOverflow(ofIndexCell: leaf.cell(index), parent: parent) }
  }

  /// Writes the last leaf and the levels above. An empty index stays as it is.
  public func finish() throws(PageError) {
    if isEmpty { return }
    if dividerSize > 0 { try splitLast() }
    if levels.isEmpty {
      unsafe try file.replace(root, leaf.finish())
      adoptOverflow(root)
    } else {
      let number = unsafe try file.append(leaf.finish())
      adoptOverflow(number)
      try levels.finish(last: number, root: root)
    }
  }
}
