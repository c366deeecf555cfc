/// Memory for some pages, and a few bytes behind them that may be read.
///
/// It is owned by this object alone, never moves, and has been written from the first byte to the last of the slack:
/// pointers into it are good as long as the object is held.
@safe final class PageMemory {
  /// Bytes behind the pages that may be read, whatever they are.
  static let slack = 16

  let pages: Int
  @unsafe let base: UnsafeMutableRawPointer

  init(_ geometry: PageGeometry, pages: Int) {
    self.pages = pages
    let size = pages * geometry.pageSize + PageMemory.slack
    unsafe base = .allocate(byteCount: size, alignment: 16)
    unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { unsafe base.deallocate() }
}

/// Memory for one record at a time. Up to eight bytes behind its end may be read.
///
/// `reserve` may move it and does not keep what was there, so a pointer is good until the next call.
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
