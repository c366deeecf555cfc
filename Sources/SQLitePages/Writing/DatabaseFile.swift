import Foundation
import Platform

/// A database file that pages are added to, behind SQLite's back.
///
/// No connection may be in a transaction on it meanwhile, nor hold it in exclusive locking mode. `finish` raises the
/// change counter, upon which every connection forgets what it had cached. Until then the file looks to SQLite as it
/// did before, as the header still has the old number of pages. There is no way back once `finish` has begun: the
/// caller throws the file away when it fails.
///
/// What its unsafe code relies on: every page that is given or asked for is `pageSize` bytes of the caller's, which are
/// copied or written before a call returns. `window` has `windowCapacity` pages and belongs to this object. One thread
/// uses it at a time; only `write(_:pages:at:)`, which uses nothing but the descriptor and the geometry, may be called
/// by several at once.
@safe public final class DatabaseFile: PageFileReading {
  /// The sizes of this file's pages.
  public let geometry: PageGeometry
  /// Pages of the file, the new ones included.
  public private(set) var pageCount: UInt32
  /// How many pages were written or reserved so far, replaced ones included.
  public private(set) var writtenPageCount = 0
  let path: String
  private let descriptor: Int32
  let firstNewPage: UInt32
  /// Pages that were there before.
  var readablePageCount: UInt32 { firstNewPage - 1 }
  let hasPointerMap: Bool
  private var changeCounter: UInt32
  /// Type and parent, 5 bytes for each new page.
  private var pointers: [UInt8] = []
  /// Pages of old trees, which new ones take before the file grows.
  var recycled = RecycledPages()
  /// The first and the number of consecutive recycled pages with new contents that are not written yet.
  private var renewed: (first: UInt32, count: Int) = (0, 0)
  private var renewal: PageMemory?
  /// The new entries of the pointer map for pages that were there before.
  var changedPointers: [UInt32: PagePointer] = [:]
  /// Pages `windowFirst...` that are not written yet.
  @unsafe private let window: UnsafeMutableRawPointer
  private let windowCapacity: Int
  private var windowFirst: UInt32
  private var isOpen = true

  /// The kinds of pages in the pointer map.
  enum PointerKind: UInt8 {
    /// A page that nothing uses; it has no parent.
    case free = 2
    /// The first page of a chain; its parent is the page with the cell.
    case overflowHead = 3
    /// A further page of a chain; its parent is the one before.
    case overflow = 4
    /// A page of a b-tree; its parent is the interior page above.
    case tree = 5
  }

  /// Opens a file that SQLite has closed or has no transaction on.
  /// - Throws: `PageError` when it is no database, has a write-ahead log, or an encoding other than UTF-8.
  public init(path: String) throws(PageError) {
    self.path = path
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    self.descriptor = descriptor
    guard descriptor >= 0 else { throw DatabaseFile.failure("cannot open \(path)") }
    let header: DatabaseHeader
    do throws(PageError) {
      header = try DatabaseHeader(ofFile: descriptor, path: path)
      try header.requirePlain(path)
      if !header.isPageCountValid {
        throw PageError(kind: .unsuitable, message: "the header of \(path) does not fit its size")
      }
    } catch {
      FileDescriptor.close(descriptor)
      throw error
    }
    geometry = header.geometry
    pageCount = header.pageCount
    firstNewPage = header.pageCount + 1
    windowFirst = header.pageCount + 1
    hasPointerMap = header.hasPointerMap
    changeCounter = header.changeCounter
    windowCapacity = max(1, (1 << 20) / geometry.pageSize)
    unsafe window = .allocate(byteCount: windowCapacity * geometry.pageSize, alignment: 16)
  }

  deinit {
    unsafe window.deallocate()
    if isOpen { close(descriptor) }
  }

  // MARK: - Adding pages

  /// The number that the page after the next one will get.
  var pageAfterNext: UInt32 {
    if let second = recycled.second { return second }
    return recycled.first == nil ? page(after: page(after: pageCount)) : page(after: pageCount)
  }

  /// The number of the first page behind another one that may hold data.
  private func page(after number: UInt32) -> UInt32 {
    var next = number + 1
    while geometry.isSetAside(next, hasPointerMap: hasPointerMap) { next += 1 }
    return next
  }

  /// Adds a page, at the end if there is no recycled one.
  /// - Parameter bytes: `pageSize` bytes.
  /// - Returns: its number.
  @unsafe func append(_ bytes: UnsafeRawPointer) throws(PageError) -> UInt32 {
    writtenPageCount += 1
    if let page = recycled.removeFirst() {
      unsafe try renew(page, bytes)
      return page
    }
    let number = page(after: pageCount)
    // Pages that are set aside are filled with zeros here; pointer maps get their contents at the end.
    while pageCount + 1 < number {
      pageCount += 1
      unsafe try place(pageCount).initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize)
    }
    pageCount = number
    unsafe try place(number).copyMemory(from: bytes, byteCount: geometry.pageSize)
    return number
  }

  /// Gives the next page to the caller, which fills it with `write`.
  func reservePage() throws(PageError) -> UInt32 {
    writtenPageCount += 1
    if let page = recycled.removeFirst() { return page }
    if pageCount >= windowFirst { try flush(count: Int(pageCount - windowFirst) + 1) }
    pageCount = page(after: pageCount)
    windowFirst = pageCount + 1
    return pageCount
  }

  /// Writes reserved pages that lie one behind the other. Several threads may do so at once.
  @unsafe func write(_ bytes: UnsafeRawPointer, pages: Int, at first: UInt32) throws(PageError) {
    unsafe try writeAll(bytes, count: pages * geometry.pageSize, at: offset(first))
  }

  /// Gives a recycled page its new contents. Those of pages that follow one another are written together.
  @unsafe private func renew(_ page: UInt32, _ bytes: UnsafeRawPointer) throws(PageError) {
    let memory = renewal ?? PageMemory(geometry, pages: max(1, (1 << 17) / geometry.pageSize))
    renewal = memory
    if renewed.count == memory.pages || page != renewed.first + UInt32(renewed.count) { try flushRenewed() }
    if renewed.count == 0 { renewed.first = page }
    unsafe (memory.base + renewed.count * geometry.pageSize).copyMemory(from: bytes, byteCount: geometry.pageSize)
    renewed.count += 1
  }

  private func flushRenewed() throws(PageError) {
    guard let renewal, renewed.count > 0 else { return }
    unsafe try write(renewal.base, pages: renewed.count, at: renewed.first)
    renewed.count = 0
  }

  /// Room for the page in the window, which is written out when it is full.
  @unsafe private func place(_ page: UInt32) throws(PageError) -> UnsafeMutableRawPointer {
    if Int(page - windowFirst) >= windowCapacity {
      try flush(count: windowCapacity)
      windowFirst = page
    }
    // Safety: pages come in ascending order without gaps, those that are set aside included, so a page that is not
    // behind the window lies in it. The room is good until the next call.
    return unsafe window + Int(page - windowFirst) * geometry.pageSize
  }

  private func flush(count: Int) throws(PageError) {
    unsafe try writeAll(window, count: count * geometry.pageSize, at: offset(windowFirst))
  }

  /// Enters the parent of a page in the pointer map.
  func setPointer(_ page: UInt32, _ kind: PointerKind, parent: UInt32) {
    guard hasPointerMap else { return }
    if page < firstNewPage {
      changedPointers[page] = PagePointer(kind: kind, parent: parent)
      return
    }
    let index = Int(page - firstNewPage) * 5
    if index + 5 > pointers.count {
      pointers += [UInt8](repeating: 0, count: max(index + 5 - pointers.count, pointers.count, 4096))
    }
    pointers[index] = kind.rawValue
    for shift in 0..<4 { pointers[index + 1 + shift] = UInt8(truncatingIfNeeded: parent >> (24 - 8 * UInt32(shift))) }
  }

  /// Replaces a page that was there before, such as the root of a tree.
  @unsafe func replace(_ page: UInt32, _ bytes: UnsafeRawPointer) throws(PageError) {
    writtenPageCount += 1
    unsafe try writeAll(bytes, count: geometry.pageSize, at: offset(page))
  }

  /// Reads pages that were there before this object was made, as they were then or as `replace` has left them.
  /// - Parameter count: how many that lie one behind the other.
  @unsafe func read(_ page: UInt32, count: Int = 1, into bytes: UnsafeMutableRawPointer) throws(PageError) {
    guard page >= 1, count >= 1, Int(page) + count <= Int(firstNewPage) else {
      throw PageError(kind: .malformed, message: "\(path) has no page \(page)")
    }
    let size = count * geometry.pageSize
    guard unsafe pread(descriptor, bytes, size, off_t(offset(page))) == size else {
      throw DatabaseFile.failure("cannot read \(path)")
    }
  }

  // MARK: - The end

  /// Takes the new pages back and closes the file, which is then as it was. Not after `finish` has begun, and only
  /// where no page was replaced or recycled.
  public func abandon() throws(PageError) {
    guard isOpen else { return }
    isOpen = false
    let size = off_t(Int(firstNewPage - 1) * geometry.pageSize)
    let isShort = ftruncate(descriptor, size) == 0
    guard close(descriptor) == 0, isShort else { throw DatabaseFile.failure("cannot shorten \(path)") }
  }

  /// Writes the pages in memory, the pointer map and the header, and closes the file.
  public func finish() throws(PageError) {
    guard isOpen else { return }
    try flushRenewed()
    if pageCount >= windowFirst { try flush(count: Int(pageCount - windowFirst) + 1) }
    if pageCount >= firstNewPage {
      if hasPointerMap { try writePointerMap() }
      try writeNumber(pageCount, at: 28)
    }
    try freeRecycled()
    try writeChangedPointers()
    // Equal counters say that the number of pages in the header is valid.
    try writeNumber(changeCounter &+ 1, at: 92)
    try writeNumber(changeCounter &+ 1, at: 24)
    isOpen = false
    guard close(descriptor) == 0 else { throw DatabaseFile.failure("cannot close \(path)") }
  }

  private func writePointerMap() throws(PageError) {
    var page = firstNewPage
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    while page <= pageCount {
      let map = geometry.pointerMapPage(for: page)
      let first = page
      let last = min(pageCount, geometry.lastPage(besides: page))
      if map < firstNewPage {
        unsafe try read(map, into: bytes)
      } else {
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize)
      }
      var number = first
      while number <= last {
        let source = Int(number - firstNewPage) * 5
        if number > map, source + 5 <= pointers.count {
          let target = unsafe bytes + Int(number - map - 1) * 5
          for index in 0..<5 {
            unsafe target.storeBytes(of: pointers[source + index], toByteOffset: index, as: UInt8.self)
          }
        }
        number += 1
      }
      if last >= map { unsafe try writeAll(bytes, count: geometry.pageSize, at: offset(map)) }
      page = max(last, map) + 1
    }
  }

  func writeNumber(_ number: UInt32, at offset: Int) throws(PageError) {
    let bytes = number.bigEndian
    try unsafe withUnsafeBytes(of: bytes) { (bytes) throws(PageError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try writeAll(base, count: 4, at: offset)
    }
  }

  // MARK: - Plumbing

  private func offset(_ page: UInt32) -> Int { Int(page - 1) * geometry.pageSize }

  /// The most that is handed to the system at once. Linux gives a file's cache memory in blocks as large as what is
  /// written: small ones are there, while a virtual machine's large ones may first have to be asked from its host,
  /// which takes ten times as long as the writing (measured: 128 MB in 0.03 and 0.4 s).
  private static let writeSize = 64 << 10

  @unsafe private func writeAll(_ bytes: UnsafeRawPointer, count: Int, at offset: Int) throws(PageError) {
    var done = 0
    while done < count {
      let written = unsafe pwrite(
        descriptor, bytes + done, min(count - done, DatabaseFile.writeSize), off_t(offset + done))
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw DatabaseFile.failure("cannot write \(path)") }
      done += written
    }
  }

  static func failure(_ what: String) -> PageError {
    PageError(kind: .inputOutput, message: "\(what): \(unsafe String(cString: strerror(errno)))")
  }
}
