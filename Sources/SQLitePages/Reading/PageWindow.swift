/// Pages of a file as they are asked for. When they follow one another, many are read at once.
@safe final class PageWindow<File: PageFileReading> {
  private let file: File
  private let memory: PageMemory
  private var first: UInt32 = 0
  private var count = 0

  /// - Parameter byteCount: about as many bytes are read at once at most.
  init(_ file: File, byteCount: Int = 1 << 18) {
    self.file = file
    let most = max(1, byteCount / file.geometry.pageSize)
    memory = PageMemory(file.geometry, pages: min(most, max(1, Int(file.readablePageCount))))
  }

  /// A page, valid until the next call.
  @unsafe func page(_ number: UInt32) throws(PageError) -> UnsafeRawPointer {
    if number < first || number - first >= UInt32(count) {
      // Pages of another tree or of the pointer map may lie between.
      let end = first + UInt32(count)
      let isNext = number >= end && number - end <= 4
      let wanted = isNext ? min(count * 2, memory.pages) : 1
      let reading = min(max(wanted, 1), max(Int(file.readablePageCount) - Int(number) + 1, 1))
      // After an error the memory holds no page.
      count = 0
      unsafe try file.read(number, count: reading, into: memory.base)
      (first, count) = (number, reading)
    }
    // Safety: `number` is one of the `count` pages from `first` on, and `memory` has as many.
    return unsafe UnsafeRawPointer(memory.base + Int(number - first) * file.geometry.pageSize)
  }
}
