import Foundation
import Platform

/// The rows of a table's b-tree, read where they lie: the file is mapped into memory, so that any row is at hand
/// without a call of the system.
///
/// No connection may write while this is in use, nobody may shorten the file, and the file must have no log. Damaged
/// pages give errors, never wild reads.
@safe public final class MappedTable: @unchecked Sendable {
  /// Pages of the table that hold rows, in the order of row ids.
  public let leaves: [UInt32]
  let geometry: PageGeometry
  private let path: String
  @unsafe private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  private let pageCount: UInt32
  private let ownsMapping: Bool

  /// A row as it lies on its page.
  @unsafe struct Cell {
    var rowID: Int64
    /// The part of the record that is on the page.
    var bytes: UnsafeRawPointer
    var local: Int
    /// Bytes of the whole record.
    var size: Int
  }

  /// Maps a file and finds the leaves of one of its tables.
  ///
  /// The descriptor that this takes is closed again, and with it the system drops all locks that the process has on the
  /// file: for files that nobody else can have open.
  /// - Parameter root: as `sqlite_schema` names it.
  /// - Throws: `PageError` of kind `unsuitable` when the file has a log, another encoding than UTF-8 or a header that
  ///   does not fit its size.
  public convenience init(path: String, root: UInt32) throws(PageError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw PageError(kind: .inputOutput, message: "cannot open \(path): \(unsafe String(cString: strerror(errno)))")
    }
    // The mapping stays when the file is closed.
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size >= 100 else {
      throw PageError(kind: .unsuitable, message: "\(path) has no database header")
    }
    let size = Int(status.st_size)
    let mapped = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
      throw PageError(kind: .inputOutput, message: "cannot map \(path): \(unsafe String(cString: strerror(errno)))")
    }
    do {
      unsafe try self.init(
        bytes: UnsafeRawBufferPointer(start: mapped, count: size), path: path, root: root, ownsMapping: true)
    } catch {
      unsafe munmap(mapped, size)
      throw error
    }
  }

  /// Finds the leaves of a table of a file that somebody else has mapped, and keeps mapped while this is in use.
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - path: for messages.
  ///   - root: as `sqlite_schema` names it.
  /// - Throws: as the other initializer.
  @unsafe public convenience init(bytes: UnsafeRawBufferPointer, path: String, root: UInt32) throws(PageError) {
    unsafe try self.init(bytes: bytes, path: path, root: root, ownsMapping: false)
  }

  @unsafe private init(
    bytes: UnsafeRawBufferPointer, path: String, root: UInt32, ownsMapping: Bool
  ) throws(PageError) {
    guard let start = bytes.baseAddress, bytes.count >= 100 else {
      throw PageError(kind: .unsuitable, message: "\(path) has no database header")
    }
    let header = unsafe Array(bytes[..<100])
    func number(_ offset: Int) -> UInt32 { (0..<4).reduce(0) { $0 << 8 | UInt32(header[offset + $1]) } }
    let stated = Int(header[16]) << 8 | Int(header[17])
    let pageSize = stated == 1 ? 65_536 : stated
    guard header.starts(with: Array("SQLite format 3\0".utf8)), header[18] == 1, header[19] == 1, number(56) == 1,
      pageSize >= 512, pageSize & (pageSize - 1) == 0, pageSize - Int(header[20]) >= 480, number(28) >= 1,
      Int(number(28)) * pageSize == bytes.count
    else {
      throw PageError(
        kind: .unsuitable, message: "\(path) is no UTF-8 database without a log whose header fits its size")
    }
    self.path = path
    self.ownsMapping = ownsMapping
    geometry = PageGeometry(pageSize: pageSize, reservedBytes: Int(header[20]))
    byteCount = bytes.count
    pageCount = number(28)
    unsafe base = UnsafeMutableRawPointer(mutating: start)
    leaves = unsafe try LeafFinder(
      base: start, geometry: geometry, pageCount: pageCount, path: path
    ).leaves(of: root)
  }

  deinit {
    if ownsMapping { unsafe munmap(base, byteCount) }
  }

  /// Gives the memory of the pages back that were read so far; they are read again when they are needed.
  public func releasePages() { unsafe _ = madvise(base, byteCount, MADV_DONTNEED) }

  /// The number of rows on a leaf.
  @inline(__always)
  func cellCount(_ leaf: Int) throws(PageError) -> Int {
    let page = leaves[leaf]
    let bytes = unsafe UnsafeRawPointer(base) + Int(page - 1) * geometry.pageSize
    let header = page == 1 ? 100 : 0
    let count = Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: header + 3, as: UInt16.self)))
    guard unsafe bytes.load(fromByteOffset: header, as: UInt8.self) == PageBuilder.Kind.leafTable.rawValue,
      header + 8 + count * 2 <= geometry.usableSize
    else { throw malformed(page) }
    return count
  }

  /// A row of a leaf.
  /// - Parameter index: under the leaf's `cellCount`.
  @inline(__always)
  @unsafe func cell(_ leaf: Int, _ index: Int) throws(PageError) -> Cell {
    let page = unsafe leaves.withUnsafeBufferPointer { unsafe $0[leaf] }
    let bytes = unsafe UnsafeRawPointer(base) + Int(page - 1) * geometry.pageSize
    let header = page == 1 ? 100 : 0
    var place = Int(
      UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: header + 8 + index * 2, as: UInt16.self)))
    let (size, sizeCount) = unsafe Varint.read(bytes + place, limit: geometry.usableSize - place)
    place += sizeCount
    let (key, keyCount) = unsafe Varint.read(bytes + place, limit: geometry.usableSize - place)
    place += keyCount
    guard sizeCount > 0, keyCount > 0, size <= UInt64(Int32.max) else { throw malformed(page) }
    let local = geometry.localSize(Int(size), maximum: geometry.maximumTableLocal)
    guard place + local + (local == Int(size) ? 0 : 4) <= geometry.usableSize else { throw malformed(page) }
    return unsafe Cell(rowID: Int64(bitPattern: key), bytes: bytes + place, local: local, size: Int(size))
  }

  /// The whole record of a row.
  /// - Parameter overflow: holds a record whose end lies on other pages.
  @inline(__always)
  @unsafe func record(_ cell: Cell, overflow: RecordScratch) throws(PageError) -> UnsafeRawPointer {
    if unsafe cell.local == cell.size { return unsafe cell.bytes }
    return unsafe try assemble(cell, into: overflow)
  }

  @inline(never)
  @unsafe private func assemble(_ cell: Cell, into overflow: RecordScratch) throws(PageError) -> UnsafeRawPointer {
    // No record is longer than its file; a forged length must not make memory be asked for.
    guard unsafe cell.size < byteCount else { throw unsafe malformed(overflowPage(of: cell)) }
    let target = unsafe overflow.reserve(cell.size)
    unsafe target.copyMemory(from: cell.bytes, byteCount: cell.local)
    var done = unsafe cell.local
    var next = unsafe overflowPage(of: cell)
    while unsafe done < cell.size {
      guard next >= 1, next <= pageCount else { throw malformed(next) }
      let page = unsafe UnsafeRawPointer(base) + Int(next - 1) * geometry.pageSize
      let part = unsafe min(geometry.usableSize - 4, cell.size - done)
      unsafe (target + done).copyMemory(from: page + 4, byteCount: part)
      done += part
      next = UInt32(bigEndian: unsafe page.loadUnaligned(as: UInt32.self))
    }
    return UnsafeRawPointer(target)
  }

  @unsafe private func overflowPage(of cell: Cell) -> UInt32 {
    UInt32(bigEndian: unsafe cell.bytes.loadUnaligned(fromByteOffset: cell.local, as: UInt32.self))
  }

  func malformed(_ page: UInt32) -> PageError {
    PageError(kind: .malformed, message: "page \(page) of \(path) is not the table's")
  }
}

/// Memory for one record at a time; bytes after its end may be read.
@safe final class RecordScratch {
  @unsafe private var bytes: UnsafeMutableRawPointer
  private var capacity: Int

  init() {
    capacity = 1 << 13
    unsafe bytes = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { unsafe bytes.deallocate() }

  @unsafe func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if count + 8 > capacity {
      unsafe bytes.deallocate()
      capacity = count + count / 4 + 8
      unsafe bytes = .allocate(byteCount: capacity, alignment: 8)
    }
    return unsafe bytes
  }
}

/// Walks the interior pages of a table. Leaves are not looked at: all have one depth.
@safe private struct LeafFinder {
  @unsafe private let base: UnsafeRawPointer
  private let geometry: PageGeometry
  private let pageCount: UInt32
  private let path: String

  @unsafe init(base: UnsafeRawPointer, geometry: PageGeometry, pageCount: UInt32, path: String) {
    unsafe self.base = base
    self.geometry = geometry
    self.pageCount = pageCount
    self.path = path
  }

  func leaves(of root: UInt32) throws(PageError) -> [UInt32] {
    var depth = 0
    var page = root
    while try kind(page) != .leafTable {
      depth += 1
      guard depth < 20 else { throw malformed(page) }
      page = try child(of: page, 0)
    }
    var leaves: [UInt32] = []
    try collect(root, depth: depth, into: &leaves)
    return leaves
  }

  private func collect(_ page: UInt32, depth: Int, into leaves: inout [UInt32]) throws(PageError) {
    // A tree cannot have more leaves than the file has pages; a damaged one could go on for ever.
    guard page >= 1, page <= pageCount, leaves.count < pageCount else { throw malformed(page) }
    if depth == 0 {
      leaves.append(page)
      return
    }
    guard try kind(page) == .interiorTable else { throw malformed(page) }
    let last = try childCount(page)
    for index in 0...last { try collect(child(of: page, index), depth: depth - 1, into: &leaves) }
  }

  private func byte(_ page: UInt32, _ offset: Int) throws(PageError) -> UInt8 {
    unsafe try bytes(page, offset, count: 1).load(as: UInt8.self)
  }

  private func short(_ page: UInt32, _ offset: Int) throws(PageError) -> Int {
    Int(UInt16(bigEndian: unsafe try bytes(page, offset, count: 2).loadUnaligned(as: UInt16.self)))
  }

  private func word(_ page: UInt32, _ offset: Int) throws(PageError) -> UInt32 {
    UInt32(bigEndian: unsafe try bytes(page, offset, count: 4).loadUnaligned(as: UInt32.self))
  }

  @unsafe private func bytes(_ page: UInt32, _ offset: Int, count: Int) throws(PageError) -> UnsafeRawPointer {
    guard page >= 1, page <= pageCount, offset + count <= geometry.usableSize else { throw malformed(page) }
    return unsafe base + Int(page - 1) * geometry.pageSize + offset
  }

  private func header(_ page: UInt32) -> Int { page == 1 ? 100 : 0 }

  private func kind(_ page: UInt32) throws(PageError) -> PageBuilder.Kind? {
    PageBuilder.Kind(rawValue: try byte(page, header(page)))
  }

  /// Children besides the rightmost.
  private func childCount(_ page: UInt32) throws(PageError) -> Int { try short(page, header(page) + 3) }

  private func child(of page: UInt32, _ index: Int) throws(PageError) -> UInt32 {
    let header = header(page)
    if try index >= childCount(page) { return try word(page, header + 8) }
    return try word(page, short(page, header + 12 + index * 2))
  }

  private func malformed(_ page: UInt32) -> PageError {
    PageError(kind: .malformed, message: "page \(page) of \(path) is not the table's")
  }
}
