/// Eight bytes at a time in plain integers.
enum Swar {
  static let low: UInt64 = 0x0101_0101_0101_0101
  static let high: UInt64 = 0x8080_8080_8080_8080
  static let low7: UInt64 = 0x7F7F_7F7F_7F7F_7F7F

  /// The byte in all eight places.
  @inline(__always) static func broadcast(_ byte: UInt8) -> UInt64 { UInt64(byte) &* low }

  /// Eight bytes, the first in the lowest place.
  @inline(__always) static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    unsafe UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
  }

  /// The high bit of every byte of `word7 ^ pattern` that is zero; both without high bits, so that no borrow can
  /// reach the next byte. Other bits of the result mean nothing.
  @inline(__always) static func zeroes(_ word7: UInt64) -> UInt64 { high &- word7 }
}

/// What must be known of text: whether it is UTF-8, where its lines start.
enum Text {
  /// Offset of the first byte that is not well-formed UTF-8 (RFC 3629), or nil.
  static func invalidUTF8(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
    var position = start
    while position < end {
      if position &+ 8 <= end, unsafe Swar.load(base + position) & Swar.high == 0 {
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
      let word = unsafe Swar.load(base + position)
      let found = Swar.zeroes((word & Swar.low7) ^ Swar.broadcast(0x0A)) & ~word & Swar.high
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

  /// Number of Unicode scalars in well-formed UTF-8: bytes that do not continue another.
  static func scalars(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    var count = end &- start
    var position = start
    while position &+ 8 <= end {
      let word = unsafe Swar.load(base + position)
      count &-= (word & ~(word << 1) & Swar.high).nonzeroBitCount
      position &+= 8
    }
    while position < end {
      if unsafe base[position] & 0xC0 == 0x80 { count &-= 1 }
      position &+= 1
    }
    return count
  }
}
