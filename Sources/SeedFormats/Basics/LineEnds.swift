import Platform

/// Counts and finds line ends, eight bytes at a time.
enum LineEnds {
  static let lineFeeds = SWAR.broadcast(0x0A)
  static let carriageReturns = SWAR.broadcast(0x0D)

  /// Where a batch may end whose records are lines.
  static func cut(_ text: ByteBuffer, isComplete: Bool, maximumRecords: Int) -> RecordCut {
    // Safety: nothing is added to the text here, so it stays in place.
    let base = unsafe UnsafePointer(text.base)
    var end = unsafe isComplete ? text.count : afterLast(base, 0, text.count)
    var lines = unsafe count(0x0A, base, 0, end)
    let isOpen = unsafe end > 0 && base[end - 1] != 0x0A
    if lines + (isOpen ? 1 : 0) > maximumRecords {
      end = unsafe self.end(ofLine: maximumRecords, base, 0, end)
      lines = maximumRecords
    }
    return RecordCut(end: end, lines: lines, maximumRecords: min(lines + 1, maximumRecords))
  }

  /// Number of bytes that are `byte`, which is below 0x80.
  ///
  /// One matching bit per byte is summed up in eight byte-wide counters, which are emptied before they can overflow
  /// ("positional population count").
  static func count(_ byte: UInt8, _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    let pattern = SWAR.broadcast(byte)
    var total = 0
    var position = start
    // Safety: 32 bytes are read only where as many are left before `end`.
    while position &+ 32 <= end {
      let last = min(position &+ 32 &* 63, end)
      var counters: UInt64 = 0
      while position &+ 32 <= last {
        counters &+= unsafe matches(SWAR.load(base + position), pattern) >> 7
        counters &+= unsafe matches(SWAR.load(base + position + 8), pattern) >> 7
        counters &+= unsafe matches(SWAR.load(base + position + 16), pattern) >> 7
        counters &+= unsafe matches(SWAR.load(base + position + 24), pattern) >> 7
        position &+= 32
      }
      let pairs = (counters & 0x00FF_00FF_00FF_00FF) &+ (counters >> 8 & 0x00FF_00FF_00FF_00FF)
      total &+= Int(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) >> 48)
    }
    while position < end {
      if unsafe base[position] == byte { total &+= 1 }
      position &+= 1
    }
    return total
  }

  /// Number of carriage returns that no line feed follows. A byte may be read at `end`.
  static func countBareCarriageReturns(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    guard var position = unsafe find(0x0D, base, start, end) else { return 0 }
    var total = 0
    while position &+ 8 <= end {
      let returns = unsafe matches(SWAR.load(base + position), carriageReturns)
      if returns != 0 {
        // Safety: eight bytes were left, and one more may be read at `end`.
        let feeds = unsafe matches(SWAR.load(base + position + 1), lineFeeds)
        total &+= (returns & ~feeds).nonzeroBitCount
      }
      position &+= 8
    }
    while position < end {
      if unsafe base[position] == 0x0D && base[position &+ 1] != 0x0A { total &+= 1 }
      position &+= 1
    }
    return total
  }

  /// The position after the `number`th line feed, counted from 1, which must be there.
  static func end(ofLine number: Int, _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    var position = start
    for _ in 0..<number { position = unsafe (find(0x0A, base, position, end) ?? end - 1) + 1 }
    return position
  }

  /// The position after the last line feed; `start` when there is none.
  static func afterLast(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    var position = end
    while position > start {
      if unsafe base[position &- 1] == 0x0A { return position }
      position &-= 1
    }
    return start
  }

  /// The first position of a byte.
  static func find(_ byte: UInt8, _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
    guard start < end, let found = unsafe memchr(base + start, Int32(byte), end - start) else { return nil }
    return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// The high bit of every byte that equals the pattern's, which is below 0x80.
  @inline(__always) private static func matches(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
    SWAR.zeroes((word & SWAR.low7) ^ pattern) & ~word & SWAR.high
  }
}
