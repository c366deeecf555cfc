/// Pages of trees that are written anew. New pages are taken from them first, the lowest number before all others.
struct RecycledPages {
  /// A binary heap: no page has a greater number than the two that hang on it.
  private var heap: [UInt32] = []

  /// The page that `removeFirst` will give.
  var first: UInt32? { heap.first }

  /// The page that comes after it.
  var second: UInt32? { heap.dropFirst().prefix(2).min() }

  /// Pages that were not taken, in ascending order.
  var rest: ArraySlice<UInt32> { heap.sorted()[...] }

  mutating func add(_ added: [UInt32]) {
    for page in added {
      heap.append(page)
      var place = heap.count - 1
      while place > 0, heap[(place - 1) / 2] > page {
        heap[place] = heap[(place - 1) / 2]
        place = (place - 1) / 2
      }
      heap[place] = page
    }
  }

  mutating func removeFirst() -> UInt32? {
    guard let taken = heap.first, let last = heap.popLast() else { return nil }
    if heap.isEmpty { return taken }
    var place = 0
    while true {
      var child = place * 2 + 1
      if child >= heap.count { break }
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      if heap[child] >= last { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = last
    return taken
  }

  mutating func removeAll() { heap = [] }
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
  /// - Parameter wanted: how many are needed. Those that one page lists are taken together, so there may be more.
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

  /// Adds the pages that were not taken to the list of free pages: trunk pages, each with the number of the next one,
  /// how many free pages it names, and those.
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
      // Safety: `capacity` keeps the numbers within the page.
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
      // Safety: a map page comes before the pages that it has entries for, which are as many as fit.
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
