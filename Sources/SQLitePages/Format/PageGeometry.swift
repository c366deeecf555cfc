/// The sizes and places that follow from a database's page size (SQLite file format, sections 1.5 to 1.8).
public struct PageGeometry: Sendable, Hashable {
  /// Bytes per page: a power of two from 512 to 65,536.
  public let pageSize: Int
  /// Bytes of a page without the reserved ones at its end.
  public let usableSize: Int
  /// The most payload bytes that a table leaf's cell keeps on its page.
  let maximumTableLocal: Int
  /// The most payload bytes that an index cell keeps on its page: at least four cells fit on a page.
  let maximumIndexLocal: Int
  /// The least bytes that a cell keeps when its payload spills to overflow pages.
  let minimumLocal: Int

  /// - Parameter reservedBytes: bytes at the end of every page that SQLite leaves alone; 0 nearly always.
  public init(pageSize: Int, reservedBytes: Int = 0) {
    self.pageSize = pageSize
    usableSize = pageSize - reservedBytes
    maximumTableLocal = usableSize - 35
    maximumIndexLocal = (usableSize - 12) * 64 / 255 - 23
    minimumLocal = (usableSize - 12) * 32 / 255 - 23
  }

  /// How many bytes of a payload stay in its cell.
  @inline(__always)
  func localSize(_ payloadSize: Int, maximum: Int) -> Int {
    if payloadSize <= maximum { return payloadSize }
    let size = minimumLocal + (payloadSize - minimumLocal) % (usableSize - 4)
    return size <= maximum ? size : minimumLocal
  }

  /// The page that holds the bytes from 1 GiB on, which locks are taken on; it never holds data.
  var lockBytePage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }

  /// How many pages one pointer-map page describes: those right behind it.
  var entriesPerPointerMap: UInt32 { UInt32(usableSize / 5) }

  /// The pointer-map page that describes a page, or the page itself when it is one.
  func pointerMapPage(for page: UInt32) -> UInt32 {
    guard page >= 2 else { return 0 }
    let group = (page - 2) / (entriesPerPointerMap + 1)
    let map = group * (entriesPerPointerMap + 1) + 2
    return map == lockBytePage ? map + 1 : map
  }

  /// The last page that the same pointer-map page describes.
  func lastPage(besides page: UInt32) -> UInt32 {
    let group = (max(page, 2) - 2) / (entriesPerPointerMap + 1)
    return group * (entriesPerPointerMap + 1) + 2 + entriesPerPointerMap
  }

  /// Whether a page holds no data: a pointer-map page, or the one of the lock bytes.
  func isSetAside(_ page: UInt32, hasPointerMap: Bool) -> Bool {
    page == lockBytePage || (hasPointerMap && pointerMapPage(for: page) == page)
  }
}
