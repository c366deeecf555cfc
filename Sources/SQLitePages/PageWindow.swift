/// Pages of a checked file as they are asked for. When they follow one another, many are read at once.
@safe final class PageWindow {
  private let file: CheckedFile
  @unsafe private let bytes: UnsafeMutableRawPointer
  private let capacity: Int
  private var first: UInt32 = 0
  private var count = 0

  /// Bytes behind a page that may be read, whatever they are.
  static let slack = 16

  init(_ file: CheckedFile) {
    self.file = file
    capacity = max(1, (1 << 18) / file.geometry.pageSize)
    let size = capacity * file.geometry.pageSize + PageWindow.slack
    unsafe bytes = .allocate(byteCount: size, alignment: 16)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { unsafe bytes.deallocate() }

  /// A page, valid until the next call.
  @unsafe func page(_ number: UInt32) throws(PageError) -> UnsafeRawPointer {
    if number < first || number - first >= UInt32(count) {
      // Pages of another tree or of the pointer map may lie between.
      let end = first + UInt32(count)
      let isNext = number >= end && number - end <= 4
      let wanted = isNext ? min(count * 2, capacity) : 1
      count = min(max(wanted, 1), max(Int(file.pageCount) - Int(number) + 1, 1))
      first = number
      unsafe try file.read(number, count: count, into: bytes)
    }
    return unsafe UnsafeRawPointer(bytes + Int(number - first) * file.geometry.pageSize)
  }
}
