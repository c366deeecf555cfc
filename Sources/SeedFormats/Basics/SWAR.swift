/// Eight bytes at a time in plain integers.
///
/// `load` reads eight bytes, and `masks` and `mask` 64, wherever they are pointed: callers see that as many may be read
/// there, before the end of the text or in the slack behind it.
enum SWAR {
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

extension SWAR {
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
