import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Checks the structure of a database file without a log: every page belongs to exactly one tree, overflow chain or list
/// of free pages, the pointer map says the same, rows are in the order of their ids, all leaves of a tree have one
/// depth, cells lie within their pages and do not overlap, and every index has as many entries as its table has rows.
///
/// This is what SQLite's `quick_check` looks at and the number of index entries besides, on several threads. It does not
/// compare the values of an index with those of the rows, as `integrity_check` does.
public struct DatabaseCheck: Sendable {
  /// A b-tree, as `sqlite_schema` has it.
  public struct Tree: Sendable, Hashable {
    /// Name of the table or index, for messages.
    public var name: String
    /// Its root page.
    public var root: UInt32
    /// For an index over all rows of a table: the table's root page, whose rows it has an entry for each.
    public var tableRoot: UInt32?
    /// Whether it is an index, or a table without row ids.
    public var isIndex: Bool

    /// A tree.
    public init(name: String, root: UInt32, isIndex: Bool, tableRoot: UInt32? = nil) {
      self.name = name
      self.root = root
      self.isIndex = isIndex
      self.tableRoot = tableRoot
    }
  }

  private let path: String
  private let trees: [Tree]
  private let workers: Int

  /// - Parameters:
  ///   - trees: all trees of the file but that of the schema itself.
  ///   - workers: threads.
  public init(path: String, trees: [Tree], workers: Int) {
    self.path = path
    self.trees = [Tree(name: "sqlite_schema", root: 1, isIndex: false)] + trees
    self.workers = max(workers, 1)
  }

  /// - Returns: what is wrong, a sentence each; empty when nothing is.
  /// - Throws: `PageError` when the file cannot be read.
  public func problems() throws(PageError) -> [String] {
    let file = try CheckedFile(path: path)
    let outcomes = Mutex<[Int: Result<TreeCheck, PageError>]>([:])
    let next = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let index = next.withLock { position in
          position += 1
          return position - 1
        }
        guard index < trees.count else { return }
        let result: Result<TreeCheck, PageError>
        do throws(PageError) {
          var check = TreeCheck(file: file, tree: trees[index])
          try check.run()
          result = .success(check)
        } catch {
          result = .failure(error)
        }
        outcomes.withLock { $0[index] = result }
      }
    }
    let found = outcomes.withLock { $0 }
    var problems: [String] = []
    var used = [UInt8](repeating: 0, count: Int(file.pageCount) + 1)
    var rows: [UInt32: Int] = [:]
    for index in trees.indices {
      guard let result = found[index] else { continue }
      let check = try result.get()
      problems += check.problems
      for page in check.pages where used[Int(page)] < 2 { used[Int(page)] += 1 }
      rows[trees[index].root] = check.entryCount
    }
    for page in try file.freePages(&problems) where used[Int(page)] < 2 { used[Int(page)] += 1 }
    for tree in trees {
      guard let tableRoot = tree.tableRoot, let rowCount = rows[tableRoot], let entryCount = rows[tree.root],
        rowCount != entryCount
      else { continue }
      problems.append("the index \(tree.name) has \(entryCount) entries for \(rowCount) rows")
    }
    for page in 1...max(file.pageCount, 1) {
      let isSetAside = file.geometry.isSetAside(page, hasPointerMap: file.hasPointerMap)
      if used[Int(page)] == 0 && !isSetAside { problems.append("page \(page) is used by nothing") }
      if used[Int(page)] > 1 || (used[Int(page)] == 1 && isSetAside) {
        problems.append("page \(page) is used more than once")
      }
      if problems.count > 20 { break }
    }
    return problems
  }
}

/// The file that is checked, open for reading.
@safe private final class CheckedFile: Sendable {
  let geometry: PageGeometry
  let pageCount: UInt32
  let hasPointerMap: Bool
  private let path: String
  private let descriptor: Int32
  private let firstTrunk: UInt32
  private let freeCount: UInt32
  /// Contents of the pointer-map pages, by page.
  private let maps: [UInt32: [UInt8]]

  init(path: String) throws(PageError) {
    self.path = path
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw PageError(kind: .inputOutput, message: "cannot open \(path)") }
    self.descriptor = descriptor
    var header = [UInt8](repeating: 0, count: 100)
    let count = unsafe header.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, 100, 0) }
    var status = stat()
    guard count == 100, unsafe fstat(descriptor, &status) == 0 else {
      close(descriptor)
      throw PageError(kind: .unsuitable, message: "\(path) has no database header")
    }
    func number(_ offset: Int) -> UInt32 { (0..<4).reduce(0) { $0 << 8 | UInt32(header[offset + $1]) } }
    let stated = Int(header[16]) << 8 | Int(header[17])
    let pageSize = stated == 1 ? 65_536 : stated
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0, pageSize - Int(header[20]) >= 480, number(28) >= 1,
      Int(number(28)) * pageSize == Int(status.st_size)
    else {
      close(descriptor)
      throw PageError(kind: .unsuitable, message: "the header of \(path) does not fit its size")
    }
    geometry = PageGeometry(pageSize: pageSize, reservedBytes: Int(header[20]))
    pageCount = number(28)
    hasPointerMap = number(52) != 0
    firstTrunk = number(32)
    freeCount = number(36)
    var maps: [UInt32: [UInt8]] = [:]
    if hasPointerMap {
      var page: UInt32 = 2
      while page <= pageCount {
        let map = geometry.pointerMapPage(for: page)
        var bytes = [UInt8](repeating: 0, count: pageSize)
        let read = unsafe bytes.withUnsafeMutableBytes {
          unsafe pread(descriptor, $0.baseAddress, pageSize, off_t(map - 1) * off_t(pageSize))
        }
        guard read == pageSize else {
          close(descriptor)
          throw PageError(kind: .inputOutput, message: "cannot read page \(map) of \(path)")
        }
        maps[map] = bytes
        page = geometry.lastPage(besides: page) + 1
      }
    }
    self.maps = maps
  }

  deinit { close(descriptor) }

  @unsafe func read(_ page: UInt32, into bytes: UnsafeMutableRawPointer) throws(PageError) {
    guard page >= 1, page <= pageCount else {
      throw PageError(kind: .malformed, message: "a tree names page \(page) of \(pageCount)")
    }
    guard
      unsafe pread(descriptor, bytes, geometry.pageSize, off_t(page - 1) * off_t(geometry.pageSize))
        == geometry.pageSize
    else { throw PageError(kind: .inputOutput, message: "cannot read page \(page) of \(path)") }
  }

  /// Whether the pointer map says this of a page; true when the file has none.
  func pointer(of page: UInt32, is kind: UInt8, parent: UInt32) -> Bool {
    guard hasPointerMap, page > 1 else { return true }
    let map = geometry.pointerMapPage(for: page)
    guard let bytes = maps[map], page > map else { return false }
    let offset = Int(page - map - 1) * 5
    let stored = (1...4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[offset + $1]) }
    return bytes[offset] == kind && stored == parent
  }

  /// The pages of the list of free pages.
  func freePages(_ problems: inout [String]) throws(PageError) -> [UInt32] {
    var pages: [UInt32] = []
    var trunk = firstTrunk
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    while trunk != 0, pages.count <= Int(freeCount) {
      unsafe try read(trunk, into: bytes)
      pages.append(trunk)
      let count = Int(UInt32(bigEndian: unsafe bytes.load(fromByteOffset: 4, as: UInt32.self)))
      guard count <= geometry.usableSize / 4 - 2 else {
        problems.append("the list of free pages is damaged at page \(trunk)")
        break
      }
      for index in 0..<count {
        let page = UInt32(bigEndian: unsafe bytes.load(fromByteOffset: 8 + index * 4, as: UInt32.self))
        guard page >= 2, page <= pageCount else {
          problems.append("the list of free pages names page \(page)")
          continue
        }
        pages.append(page)
      }
      trunk = UInt32(bigEndian: unsafe bytes.load(as: UInt32.self))
    }
    if pages.count != Int(freeCount) { problems.append("\(pages.count) pages are free, the header says \(freeCount)") }
    for page in pages where !pointer(of: page, is: 2, parent: 0) {
      problems.append("the pointer map does not say that page \(page) is free")
    }
    return pages
  }
}

/// Walks one tree in the order of its keys.
private struct TreeCheck {
  let file: CheckedFile
  let tree: DatabaseCheck.Tree
  var problems: [String] = []
  var pages: [UInt32] = []
  var entryCount = 0
  private var lastRowID: Int64?
  private var leafDepth: Int?

  init(file: CheckedFile, tree: DatabaseCheck.Tree) {
    self.file = file
    self.tree = tree
  }

  mutating func run() throws(PageError) {
    if !file.pointer(of: tree.root, is: 1, parent: 0) {
      note(tree.root, "is a root, and the pointer map does not say so")
    }
    try visit(tree.root, parent: 0, depth: 0)
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
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: file.geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    unsafe try file.read(page, into: bytes)
    let start = page == 1 ? 100 : 0
    let kind = unsafe bytes.load(fromByteOffset: start, as: UInt8.self)
    let isLeaf = kind == 13 || kind == 10
    guard kind == (tree.isIndex ? 10 : 13) || kind == (tree.isIndex ? 2 : 5) else {
      return note(page, "has the kind \(kind)")
    }
    let usable = file.geometry.usableSize
    func short(_ offset: Int) -> Int {
      Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }
    let cellCount = short(start + 3)
    let pointers = start + (isLeaf ? 8 : 12)
    let content = short(start + 5) == 0 ? 65_536 : short(start + 5)
    guard pointers + cellCount * 2 <= content, content <= usable else { return note(page, "has cells in its header") }
    if isLeaf {
      if leafDepth == nil { leafDepth = depth }
      if leafDepth != depth { note(page, "is a leaf of another depth") }
      if cellCount == 0 && depth > 0 { note(page, "is empty") }
    }
    var extents: [(start: Int, end: Int)] = []
    extents.reserveCapacity(cellCount)
    var isDescending = true
    for index in 0..<cellCount {
      let cell = short(pointers + index * 2)
      guard cell >= content, let end = unsafe try check(cell, bytes, page, isLeaf, usable, depth) else {
        return note(page, "has a cell that does not lie within it")
      }
      if let last = extents.last, end > last.start { isDescending = false }
      extents.append((cell, end))
    }
    // Packed pages have their cells from the end to the front; others are sorted to find overlaps.
    if !isDescending {
      extents.sort { $0.start < $1.start }
      for index in extents.indices.dropFirst() where extents[index].start < extents[index - 1].end {
        note(page, "has cells that overlap")
        break
      }
    }
    if !isLeaf {
      let rightmost = UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self))
      try visit(rightmost, parent: page, depth: depth + 1)
    }
  }

  /// Checks a cell and what hangs on it.
  /// - Returns: where it ends on the page; nil when it does not lie within it.
  @unsafe private mutating func check(
    _ cell: Int, _ bytes: UnsafeMutableRawPointer, _ page: UInt32, _ isLeaf: Bool, _ usable: Int, _ depth: Int
  ) throws(PageError) -> Int? {
    var position = cell
    if !isLeaf {
      guard position + 4 <= usable else { return nil }
      let child = UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
      try visit(child, parent: page, depth: depth + 1)
      position += 4
    }
    if !tree.isIndex && !isLeaf {
      let (key, count) = unsafe Varint.read(bytes + position, limit: usable - position)
      guard count > 0 else { return nil }
      if let lastRowID, lastRowID > Int64(bitPattern: key) { note(page, "has a divider below its rows") }
      lastRowID = Int64(bitPattern: key)
      return position + count
    }
    let (size, sizeCount) = unsafe Varint.read(bytes + position, limit: usable - position)
    guard sizeCount > 0, size <= UInt64(Int32.max) else { return nil }
    position += sizeCount
    if !tree.isIndex {
      let (key, count) = unsafe Varint.read(bytes + position, limit: usable - position)
      guard count > 0 else { return nil }
      position += count
      let rowID = Int64(bitPattern: key)
      if let lastRowID, lastRowID >= rowID { note(page, "has row \(rowID) after row \(lastRowID)") }
      lastRowID = rowID
    }
    entryCount += 1
    let maximum = tree.isIndex ? file.geometry.maximumIndexLocal : file.geometry.maximumTableLocal
    let local = file.geometry.localSize(Int(size), maximum: maximum)
    let end = position + local + (local < Int(size) ? 4 : 0)
    guard end <= usable else { return nil }
    if local < Int(size) {
      let head = UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: position + local, as: UInt32.self))
      try follow(head, count: Int(size) - local, from: page)
    }
    return max(end, cell + 4)
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
      unsafe try file.read(next, into: scratch)
      previous = next
      kind = 4
      next = UInt32(bigEndian: unsafe scratch.load(as: UInt32.self))
      left -= file.geometry.usableSize - 4
    }
    if next != 0 { note(page, "has an overflow chain that is too long") }
  }
}
