/// Pages of trees that are written anew, in ascending order. New pages are taken from them first.
struct RecycledPages {
  private var pages: [UInt32] = []
  private var taken = 0

  /// The page that `take` will give.
  var first: UInt32? { taken < pages.count ? pages[taken] : nil }

  /// The page that comes after it.
  var second: UInt32? { taken + 1 < pages.count ? pages[taken + 1] : nil }

  /// Pages that were not taken.
  var rest: ArraySlice<UInt32> { pages[taken...] }

  mutating func add(_ added: [UInt32]) {
    pages = (pages[taken...] + added).sorted()
    taken = 0
  }

  mutating func take() -> UInt32? {
    guard taken < pages.count else { return nil }
    taken += 1
    return pages[taken - 1]
  }

  mutating func removeAll() {
    pages = []
    taken = 0
  }
}

/// An entry of the pointer map.
struct PagePointer {
  var kind: DatabaseFile.PointerKind
  var parent: UInt32
}

extension DatabaseFile {
  /// Gives up pages of an old tree, which nothing may name any more.
  func recycle(_ pages: [UInt32]) { recycled.add(pages) }

  /// Takes free pages of the file for new ones, as SQLite would before the file grows.
  /// - Parameter wanted: more are left alone, but for those that are listed on one page with them.
  func recycleFreePages(_ wanted: Int) throws(PageError) {
    var pages: [UInt32] = []
    var trunk = try number(at: 32)
    let freeCount = try number(at: 36)
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    while trunk != 0, pages.count < wanted {
      unsafe try read(trunk, into: bytes)
      pages.append(trunk)
      let count = Int(UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
      guard trunk > 1, count <= geometry.usableSize / 4 - 2, pages.count < firstNewPage else {
        throw PageError(kind: .malformed, message: "page \(trunk) of \(path) is no list of free pages")
      }
      for index in 0..<count {
        pages.append(UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8 + index * 4, as: UInt32.self)))
      }
      trunk = UInt32(bigEndian: unsafe bytes.loadUnaligned(as: UInt32.self))
    }
    guard pages.allSatisfy({ $0 > 1 && $0 < firstNewPage }), pages.count <= freeCount else {
      throw PageError(kind: .malformed, message: "the list of free pages of \(path) names pages that are not there")
    }
    try writeNumber(trunk, at: 32)
    try writeNumber(freeCount - UInt32(pages.count), at: 36)
    recycle(pages)
  }

  /// Adds the pages that were not taken to the list of free pages: trunk pages, each with the number of the next one, how
  /// many free pages it names, and those.
  func freeRecycled() throws(PageError) {
    var rest = recycled.rest
    if rest.isEmpty { return }
    var next = try number(at: 32)
    let freeCount = try number(at: 36) + UInt32(rest.count)
    // SQLite leaves the last six places of a trunk page free, because old versions take full ones for damaged.
    let capacity = geometry.usableSize / 4 - 8
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    while let trunk = rest.popFirst() {
      let leaves = rest.prefix(capacity)
      rest = rest.dropFirst(leaves.count)
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize)
      unsafe bytes.storeBytes(of: next.bigEndian, as: UInt32.self)
      unsafe bytes.storeBytes(of: UInt32(leaves.count).bigEndian, toByteOffset: 4, as: UInt32.self)
      for (position, leaf) in leaves.enumerated() {
        unsafe bytes.storeBytes(of: leaf.bigEndian, toByteOffset: 8 + position * 4, as: UInt32.self)
        setPointer(leaf, .free, parent: 0)
      }
      setPointer(trunk, .free, parent: 0)
      unsafe try replace(trunk, bytes)
      next = trunk
    }
    try writeNumber(next, at: 32)
    try writeNumber(freeCount, at: 36)
    recycled.removeAll()
  }

  /// Writes what the pointer map says of pages that were there before, one map page after the other.
  func writeChangedPointers() throws(PageError) {
    let changes = changedPointers.sorted { $0.key < $1.key }
    changedPointers = [:]
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    var current: UInt32 = 0
    for (page, pointer) in changes {
      let map = geometry.pointerMapPage(for: page)
      if map != current {
        if current != 0 { unsafe try replace(current, bytes) }
        unsafe try read(map, into: bytes)
        current = map
      }
      let offset = Int(page - map - 1) * 5
      unsafe bytes.storeBytes(of: pointer.kind.rawValue, toByteOffset: offset, as: UInt8.self)
      unsafe bytes.storeBytes(of: pointer.parent.bigEndian, toByteOffset: offset + 1, as: UInt32.self)
    }
    if current != 0 { unsafe try replace(current, bytes) }
  }

  /// A number of the header.
  private func number(at offset: Int) throws(PageError) -> UInt32 {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    unsafe try read(1, into: bytes)
    return UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
