/// Writes a table's b-tree: rows in the order of their ids become packed leaf pages, with interior pages above them.
///
/// The root page stays where it is, so that the schema needs no change. The leaves of a table that has rows stay as
/// they are as well, unless rows change, and new ones come behind them; its interior pages are written anew, on the
/// pages of the old ones.
///
/// `buffer` is the page that `leaf` builds, `scratch` one for reading and for overflow pages; both belong to the
/// writer. A cell is written only after `hasRoom` was true for its whole size, or to an empty page, which holds the
/// largest possible cell.
@safe public final class TableTreeWriter {
  let file: DatabaseFile
  let root: UInt32
  let levels: InteriorLevels
  let geometry: PageGeometry
  /// Threads that fill leaves.
  let workers: Int
  @unsafe private let buffer: UnsafeMutableRawPointer
  @unsafe private let scratch: UnsafeMutableRawPointer
  var leaf: PageBuilder
  var lastRowID: Int64 = 0
  /// Whether no row was added.
  public internal(set) var isEmpty = true
  /// First overflow pages of cells on the current leaf.
  var overflowHeads: [UInt32] = []
  /// Where the table has rows: the new leaves, each with its greatest row id. Nothing that was there is touched before
  /// `finish`.
  var newLeaves: [(page: UInt32, lastRowID: Int64)]?
  var firstNewRowID: Int64 = 0

  /// - Parameters:
  ///   - root: the page of the table, as `sqlite_schema` names it.
  ///   - greatestRowID: for a table that has rows: its greatest row id, or any number between that and the first new
  ///     one. Nil for an empty table.
  ///   - workers: threads that fill leaves; the pages are the same with any number.
  /// - Throws: `PageError` when the table should be empty and is not.
  public init(
    file: DatabaseFile, root: UInt32, after greatestRowID: Int64? = nil, workers: Int = 1
  ) throws(PageError) {
    self.file = file
    self.root = root
    self.workers = workers
    geometry = file.geometry
    unsafe buffer = .allocate(byteCount: geometry.pageSize, alignment: 16)
    unsafe scratch = .allocate(byteCount: geometry.pageSize, alignment: 16)
    unsafe leaf = PageBuilder(.leafTable, geometry: geometry, page: buffer)
    levels = InteriorLevels(file: file, kind: .interiorTable)
    if let greatestRowID {
      lastRowID = greatestRowID
      newLeaves = []
    } else {
      unsafe try file.requireEmpty(root, .leafTable, scratch)
    }
  }

  deinit {
    unsafe buffer.deallocate()
    unsafe scratch.deallocate()
  }

  /// Adds a row.
  /// - Parameters:
  ///   - rowID: greater than that of the row before.
  ///   - payload: the record.
  @inline(__always)
  @unsafe public func append(rowID: Int64, payload: UnsafeRawPointer, count: Int) throws(PageError) {
    guard rowID > lastRowID || (isEmpty && newLeaves == nil) else { throw TableTreeWriter.disorder(rowID, lastRowID) }
    let local = geometry.localSize(count, maximum: geometry.maximumTableLocal)
    let keySize = Varint.size(UInt64(bitPattern: rowID))
    let size = Varint.size(UInt64(count)) + keySize + local + (local < count ? 4 : 0)
    if !leaf.hasRoom(for: size) { try emitLeaf() }
    if isEmpty { firstNewRowID = rowID }
    lastRowID = rowID
    isEmpty = false
    var head: UInt32 = 0
    if local < count {
      head = unsafe try file.appendOverflow(payload + local, count: count - local, scratch: scratch)
      overflowHeads.append(head)
    }
    var cell = unsafe leaf.addCell(size)
    unsafe cell += Varint.write(UInt64(count), to: cell)
    unsafe cell += Varint.write(UInt64(bitPattern: rowID), to: cell)
    unsafe cell.copyMemory(from: payload, byteCount: local)
    if local < count { unsafe (cell + local).storeBytes(of: head.bigEndian, as: UInt32.self) }
  }

  /// Adds rows whose ids follow one another.
  /// - Parameters:
  ///   - firstRowID: greater than that of the row before.
  ///   - payloads: the records, one behind the other.
  ///   - ends: where each of them ends.
  @unsafe public func append(
    firstRowID: Int64, payloads: UnsafeRawPointer, ends: UnsafePointer<Int>, count: Int
  ) throws(PageError) {
    if count == 0 { return }
    guard firstRowID > lastRowID || (isEmpty && newLeaves == nil) else {
      throw TableTreeWriter.disorder(firstRowID, lastRowID)
    }
    let maximumLocal = geometry.maximumTableLocal
    var start = 0
    var row = 0
    while row < count {
      // The page is filled with a copy of its builder, which costs no exclusivity check per row.
      var page = leaf
      while row < count {
        let size = unsafe ends[row] - start
        if size > maximumLocal { break }
        let rowID = firstRowID &+ Int64(row)
        let cellSize = size &+ Varint.size(UInt64(size)) &+ Varint.size(UInt64(bitPattern: rowID))
        if !page.hasRoom(for: cellSize) { break }
        var cell = unsafe page.addCell(cellSize)
        unsafe cell += Varint.write(UInt64(size), to: cell)
        unsafe cell += Varint.write(UInt64(bitPattern: rowID), to: cell)
        // Safety: the records lie one behind the other up to `ends[count - 1]`, as the caller says.
        unsafe cell.copyMemory(from: payloads + start, byteCount: size)
        start &+= size
        row &+= 1
      }
      leaf = page
      if row > 0 {
        if isEmpty { firstNewRowID = firstRowID }
        lastRowID = firstRowID &+ Int64(row &- 1)
        isEmpty = false
      }
      guard row < count else { return }
      if workers > 1, count - row >= TableTreeWriter.leastSharedRows {
        let done = unsafe try appendLeaves(firstRowID, payloads, ends, row..<count)
        if done > row {
          unsafe start = ends[done - 1]
          row = done
          continue
        }
      }
      // The row that needs another page, or overflow pages.
      let end = unsafe ends[row]
      unsafe try append(rowID: firstRowID &+ Int64(row), payload: payloads + start, count: end - start)
      start = end
      row += 1
    }
  }

  func emitLeaf() throws(PageError) {
    let number = unsafe try file.append(leaf.finish())
    adoptOverflow(number)
    leaf.removeAll()
    try noteLeaf(number, lastRowID: lastRowID)
  }

  /// Notes a written leaf, which another one follows.
  func noteLeaf(_ number: UInt32, lastRowID: Int64) throws(PageError) {
    if newLeaves == nil { try enter(number, lastRowID: lastRowID) } else { newLeaves?.append((number, lastRowID)) }
  }

  /// Enters a leaf, which another one follows, in the level above.
  func enter(_ page: UInt32, lastRowID: Int64) throws(PageError) {
    unsafe try withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { (bytes) throws(PageError) in
      guard let base = bytes.baseAddress else { return }
      let count = unsafe Varint.write(UInt64(bitPattern: lastRowID), to: base)
      unsafe try levels.append(page, divider: base, count: count)
    }
  }

  private func adoptOverflow(_ parent: UInt32) {
    if overflowHeads.isEmpty { return }
    for head in overflowHeads { file.setPointer(head, .overflowHead, parent: parent) }
    overflowHeads.removeAll(keepingCapacity: true)
  }

  /// Writes the last leaf and the levels above. A table without new rows stays as it is.
  /// - Parameter changes: of rows that the table had before; if there are some, all of its old rows are written anew.
  public func finish(changing changes: RowChanges? = nil) throws(PageError) {
    if let changes, changes.count > 0 { return try rewrite(changes) }
    if isEmpty { return }
    if let leaves = newLeaves {
      let last = unsafe try file.append(leaf.finish())
      adoptOverflow(last)
      try enterOldLeaves()
      for leaf in leaves { try enter(leaf.page, lastRowID: leaf.lastRowID) }
      return try levels.finish(last: last, root: root)
    }
    try finishFresh()
  }

  /// Writes what is left of a tree that has only new leaves.
  func finishFresh() throws(PageError) {
    if levels.isEmpty {
      unsafe try file.replace(root, leaf.finish())
      adoptOverflow(root)
    } else {
      let number = unsafe try file.append(leaf.finish())
      adoptOverflow(number)
      try levels.finish(last: number, root: root)
    }
  }

  /// Enters the leaves that were there before in the level above, and gives up the pages that were above them.
  private func enterOldLeaves() throws(PageError) {
    let pages = try TreePages(PageBuffer(file), root: root, isIndex: false)
    file.recycle(pages.interior)
    for page in pages.leaves {
      unsafe try file.read(page, into: scratch)
      let cells = unsafe StoredLeaf(scratch, geometry)
      guard let greatest = cells?.lastRowID, greatest < firstNewRowID else {
        throw PageError(kind: .malformed, message: "page \(page) is not the table's, or has rows behind the new ones")
      }
      guard page == root else {
        try enter(page, lastRowID: greatest)
        continue
      }
      // The only leaf so far gives its place to an interior page.
      let moved = unsafe try file.append(scratch)
      for head in cells?.overflowHeads ?? [] { file.setPointer(head, .overflowHead, parent: moved) }
      try enter(moved, lastRowID: greatest)
    }
  }

  private static func disorder(_ rowID: Int64, _ last: Int64) -> PageError {
    PageError(kind: .malformed, message: "row \(rowID) comes after row \(last)")
  }
}
