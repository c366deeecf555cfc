import Platform

/// The part of a JSON document that is being scanned; a record is always contiguous in it.
///
/// Positions are offsets into the window; `refill` drops what lies before a position and all positions shift.
@safe final class InputWindow {
  private let source: any BlockSource
  let buffer = ByteBuffer(capacity: 2 * ByteBlock.defaultCapacity)
  /// Offset of the window's first byte in the source.
  private(set) var byteOffset: UInt64 = 0
  /// No byte follows the window.
  private(set) var isComplete = false
  /// Start of the batch that is being filled.
  private(set) var batchStart = 0

  init(source: any BlockSource) {
    self.source = source
  }

  var base: UnsafePointer<UInt8> { unsafe UnsafePointer(buffer.base) }
  var end: Int { buffer.count }

  /// The batch begins at a position, which is not before the present start.
  func beginBatch(at position: Int) { batchStart = position }

  /// Drops the bytes before the batch and reads at least as many as the unfinished part that starts at `position`
  /// holds, so that a record spanning many blocks is rescanned only a logarithmic number of times.
  /// - Returns: `position` after the shift.
  func refill(unfinishedFrom position: Int) throws(SeedFormatError) -> Int {
    let shifted = position - batchStart
    buffer.removeFirst(batchStart)
    byteOffset += UInt64(batchStart)
    batchStart = 0
    let goal = 2 * buffer.count - shifted
    repeat {
      guard try buffer.append(from: source, maximum: ByteBlock.defaultCapacity) else {
        isComplete = true
        break
      }
    } while buffer.count < goal
    buffer.terminate()
    return shifted
  }

  /// Skips a UTF-8 byte order mark at the start of the source.
  /// - Returns: the position of the first byte of text.
  func skipByteOrderMark() throws(SeedFormatError) -> Int {
    while end < 3 && !isComplete { _ = try refill(unfinishedFrom: 0) }
    return unsafe end >= 3 && base[0] == 0xEF && base[1] == 0xBB && base[2] == 0xBF ? 3 : 0
  }
}
