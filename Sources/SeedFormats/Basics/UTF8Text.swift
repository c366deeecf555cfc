/// Eight bytes at a time in plain integers.
///
/// `load` reads eight bytes, and `masks` and `mask` 64, wherever they are pointed: callers see that as many may be read
/// there, before the end of the text or in the slack behind it.
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

extension Swar {
  /// One bit, the first in the lowest place, for each of 64 bytes that equals the byte of a pattern: the bits of
  /// `first` or `second`, and those of `second` alone. Both patterns are of bytes below 0x80.
  @inline(__always) static func masks(
    _ base: UnsafePointer<UInt8>, _ first: UInt64, _ second: UInt64
  ) -> (either: UInt64, second: UInt64) {
    var either: UInt64 = 0
    var seconds: UInt64 = 0
    var index: UInt64 = 0
    while index < 8 {
      let word = unsafe load(base + Int(truncatingIfNeeded: index &* 8))
      let word7 = word & low7
      let ofSecond = zeroes(word7 ^ second) & ~word & high
      let ofFirst = zeroes(word7 ^ first) & ~word & high
      // Bit 8·b + i stands for byte b of word i.
      either |= (ofFirst | ofSecond) &>> (7 &- index)
      seconds |= ofSecond &>> (7 &- index)
      index &+= 1
    }
    return (transposed(either), transposed(seconds))
  }

  /// One bit for each of 64 bytes that equals the byte of a pattern, which is below 0x80.
  @inline(__always) static func mask(_ base: UnsafePointer<UInt8>, _ pattern: UInt64) -> UInt64 {
    var bits: UInt64 = 0
    var index: UInt64 = 0
    while index < 8 {
      let word = unsafe load(base + Int(truncatingIfNeeded: index &* 8))
      bits |= (zeroes((word & low7) ^ pattern) & ~word & high) &>> (7 &- index)
      index &+= 1
    }
    return transposed(bits)
  }

  /// Each bit becomes the parity of the bits up to it: between a quote and the next one they are set.
  @inline(__always) static func parities(_ bits: UInt64) -> UInt64 {
    var bits = bits
    bits ^= bits &<< 1
    bits ^= bits &<< 2
    bits ^= bits &<< 4
    bits ^= bits &<< 8
    bits ^= bits &<< 16
    return bits ^ bits &<< 32
  }

  /// Eight rows of eight bits as eight columns (Warren, "Hacker's Delight", 7-3).
  @inline(__always) static func transposed(_ bits: UInt64) -> UInt64 {
    var bits = bits
    var swapped = (bits ^ bits &>> 7) & 0x00AA_00AA_00AA_00AA
    bits ^= swapped ^ swapped &<< 7
    swapped = (bits ^ bits &>> 14) & 0x0000_CCCC_0000_CCCC
    bits ^= swapped ^ swapped &<< 14
    swapped = (bits ^ bits &>> 28) & 0x0000_0000_F0F0_F0F0
    return bits ^ swapped ^ swapped &<< 28
  }
}

/// Checks of text: whether it is UTF-8, and where its lines start.
///
/// Nothing from `end` on is read.
enum UTF8Text {
  /// Offset of the first byte that is not well-formed UTF-8 (RFC 3629), or nil.
  static func invalidUTF8(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
    var position = start
    while position < end {
      while unsafe position &+ 32 <= end
        && (Swar.load(base + position) | Swar.load(base + position + 8) | Swar.load(base + position + 16)
          | Swar.load(base + position + 24)) & Swar.high == 0
      {
        position &+= 32
      }
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
