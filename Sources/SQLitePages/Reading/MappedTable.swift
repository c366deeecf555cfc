import Foundation
import Platform

/// The rows of a table's b-tree, read in place: the file is mapped into memory, so that any row can be read without a
/// system call.
///
/// No connection may write while this is in use, nothing may shorten the file, and the file must have no log. Damaged
/// pages give errors, never wild reads.
@safe public final class MappedTable: @unchecked Sendable {
  /// Pages of the table that hold rows, in the order of row ids.
  public let leaves: [UInt32]
  let geometry: PageGeometry
  private let pages: MappedPages
  private let form: CellForm
  @unsafe private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  /// The mapping that keeps the bytes, where they were mapped here.
  private let mapping: MappedMemory?

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
  /// file: for files that no other process can have open.
  /// - Parameter root: as `sqlite_schema` names it.
  /// - Throws: `PageError` of kind `unsuitable` when the file has a log, another encoding than UTF-8 or a header that
  ///   does not fit its size.
  public convenience init(path: String, root: UInt32) throws(PageError) {
    let file: MappedMemory?
    do throws(SystemError) {
      file = try MappedMemory.file(path)
    } catch {
      throw PageError(error)
    }
    guard let file else { throw PageError(kind: .unsuitable, message: "\(path) has no database header") }
    unsafe try self.init(
      bytes: UnsafeRawBufferPointer(start: file.base, count: file.count), path: path, root: root, mapping: file)
  }

  /// Finds the leaves of a table of a file that the caller has mapped, and keeps mapped while this is in use.
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - path: for messages.
  ///   - root: as `sqlite_schema` names it.
  /// - Throws: as the other initializer.
  @unsafe public convenience init(bytes: UnsafeRawBufferPointer, path: String, root: UInt32) throws(PageError) {
    unsafe try self.init(bytes: bytes, path: path, root: root, mapping: nil)
  }

  @unsafe private init(
    bytes: UnsafeRawBufferPointer, path: String, root: UInt32, mapping: MappedMemory?
  ) throws(PageError) {
    guard let start = bytes.baseAddress else {
      throw PageError(kind: .unsuitable, message: "\(path) has no database header")
    }
    let header = unsafe try DatabaseHeader(bytes, fileSize: bytes.count, path: path)
    try header.requirePlain(path)
    self.mapping = mapping
    geometry = header.geometry
    form = CellForm(geometry, isIndex: false)
    byteCount = bytes.count
    unsafe base = UnsafeMutableRawPointer(mutating: start)
    // Safety: the header says as many pages as the bytes have; `mapping`, or the caller, keeps them in place.
    pages = unsafe MappedPages(base: start, geometry: geometry, pageCount: header.pageCount, path: path)
    leaves = try TreePages(pages, root: root, isIndex: false).leaves
  }

  /// Gives back the memory of the pages that were read so far; they are read again when they are needed.
  public func releasePages() { unsafe _ = madvise(base, byteCount, MADV_DONTNEED) }

  /// The number of rows on a leaf.
  @inline(__always)
  func cellCount(_ leaf: Int) throws(PageError) -> Int {
    let page = unsafe try TreePage(leaves[leaf], of: pages)
    guard unsafe page.kind == .leafTable else { throw malformed(leaves[leaf]) }
    return unsafe page.cellCount
  }

  /// A row of a leaf.
  /// - Parameter index: under the leaf's `cellCount`.
  @inline(__always)
  @unsafe func cell(_ leaf: Int, _ index: Int) throws(PageError) -> Cell {
    // Safety: callers have asked for the leaf's `cellCount`, so it is a page of the file whose pointers lie within it.
    let page = unsafe leaves.withUnsafeBufferPointer { unsafe $0[leaf] }
    let bytes = unsafe UnsafeRawPointer(base) + Int(page - 1) * geometry.pageSize
    let pointers = page == 1 ? DatabaseHeader.byteCount + 8 : 8
    let start = unsafe bytes.loadUnaligned(fromByteOffset: pointers + index * 2, as: UInt16.self)
    let cell = unsafe form.read(Int(UInt16(bigEndian: start)), bytes)
    guard cell.end > 0 else { throw malformed(page) }
    return unsafe Cell(
      rowID: cell.rowID, bytes: bytes + cell.payload,
      local: (cell.overflow == 0 ? cell.end : cell.overflow) - cell.payload, size: cell.payloadSize)
  }

  /// The whole record of a row.
  /// - Parameter overflow: holds a record whose end lies on other pages.
  @inline(__always)
  @unsafe func record(_ cell: Cell, overflow: RecordScratch) throws(PageError) -> UnsafeRawPointer {
    if unsafe cell.local == cell.size { return unsafe cell.bytes }
    return unsafe try OverflowChain.assemble(
      cell.bytes, localCount: cell.local, size: cell.size, of: pages, into: overflow)
  }

  func malformed(_ page: UInt32) -> PageError { pages.malformed(page) }
}

/// The pages of a file in memory.
@safe private struct MappedPages: PageSource {
  @unsafe private let base: UnsafeRawPointer
  let geometry: PageGeometry
  let pageCount: UInt32
  let path: String

  @unsafe init(base: UnsafeRawPointer, geometry: PageGeometry, pageCount: UInt32, path: String) {
    unsafe self.base = base
    self.geometry = geometry
    self.pageCount = pageCount
    self.path = path
  }

  @inline(__always)
  @unsafe func page(_ number: UInt32) throws(PageError) -> UnsafeRawPointer {
    guard number >= 1, number <= pageCount else { throw malformed(number) }
    return unsafe base + Int(number - 1) * geometry.pageSize
  }
}
