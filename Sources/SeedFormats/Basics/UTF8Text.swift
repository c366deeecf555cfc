/// Checks of text: whether it is UTF-8, and where its lines start.
///
/// Nothing from `end` on is read.
enum UTF8Text {
  /// Offset of the first byte that is not well-formed UTF-8 (RFC 3629), or nil.
  static func invalidUTF8(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
    var position = start
    while position < end {
      while unsafe position &+ 32 <= end
        && (SWAR.load(base + position) | SWAR.load(base + position + 8) | SWAR.load(base + position + 16)
          | SWAR.load(base + position + 24)) & SWAR.high == 0
      {
        position &+= 32
      }
      if position &+ 8 <= end, unsafe SWAR.load(base + position) & SWAR.high == 0 {
        position &+= 8
        continue
      }
      let lead = unsafe base[position]
      if lead < 0x80 {
        position &+= 1
        continue
      }
      let length: Int
      var lowest: UInt8 = 0x80
      var highest: UInt8 = 0xBF
      switch lead {
      case 0xC2...0xDF: length = 2
      case 0xE0:
        length = 3
        lowest = 0xA0
      case 0xED:
        length = 3
        highest = 0x9F
      case 0xE1...0xEF: length = 3
      case 0xF0:
        length = 4
        lowest = 0x90
      case 0xF4:
        length = 4
        highest = 0x8F
      case 0xF1...0xF3: length = 4
      default: return position
      }
      guard position &+ length <= end else { return position }
      let second = unsafe base[position &+ 1]
      guard second >= lowest, second <= highest else { return position }
      if length > 2, unsafe base[position &+ 2] & 0xC0 != 0x80 { return position }
      if length > 3, unsafe base[position &+ 3] & 0xC0 != 0x80 { return position }
      position &+= length
    }
    return nil
  }

  /// Number of line feeds, and the position after the last one (`start` when there is none).
  static func lineFeeds(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> (count: Int, lineStart: Int) {
    var count = 0
    var lineStart = start
    var position = start
    while position &+ 8 <= end {
      let word = unsafe SWAR.load(base + position)
      let found = SWAR.zeroes((word & SWAR.low7) ^ SWAR.broadcast(0x0A)) & ~word & SWAR.high
      if found != 0 {
        count &+= found.nonzeroBitCount
        lineStart = position &+ 8 &- (found.leadingZeroBitCount >> 3)
      }
      position &+= 8
    }
    while position < end {
      if unsafe base[position] == 0x0A {
        count &+= 1
        lineStart = position &+ 1
      }
      position &+= 1
    }
    return (count, lineStart)
  }

  /// Number of line ends of any sort (CR, LF, CRLF), and the position after the last one (`start` when there is none).
  static func lineEnds(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> (count: Int, lineStart: Int) {
    var count = 0
    var lineStart = start
    for index in start..<end {
      let byte = unsafe base[index]
      guard byte == 0x0A || byte == 0x0D else { continue }
      if unsafe byte == 0x0D || index == start || base[index - 1] != 0x0D { count += 1 }
      lineStart = index + 1
    }
    return (count, lineStart)
  }

  /// Number of Unicode scalars in well-formed UTF-8: bytes that do not continue another.
  static func scalars(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    var count = end &- start
    var position = start
    while position &+ 8 <= end {
      let word = unsafe SWAR.load(base + position)
      count &-= (word & ~(word << 1) & SWAR.high).nonzeroBitCount
      position &+= 8
    }
    while position < end {
      if unsafe base[position] & 0xC0 == 0x80 { count &-= 1 }
      position &+= 1
    }
    return count
  }
}
