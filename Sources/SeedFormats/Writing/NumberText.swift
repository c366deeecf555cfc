/// Numbers as text, written straight into memory: at most `greatestCount` bytes, for which callers have room.
enum NumberText {
  /// Bytes that any number fits into.
  static let greatestCount = 32

  private static let pairs: StaticString =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

  /// - Returns: the position after the last digit.
  @inline(__always)
  @unsafe static func write(_ number: Int64, at start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    var next = unsafe start
    if number < 0 {
      unsafe next.pointee = 0x2D
      unsafe next += 1
    }
    return unsafe write(magnitude: number.magnitude, at: next)
  }

  @inline(__always)
  @unsafe static func write(
    magnitude: UInt64, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var rest = magnitude
    if rest < 10 {
      unsafe start.pointee = 0x30 &+ UInt8(truncatingIfNeeded: rest)
      return unsafe start + 1
    }
    // Safety: an integer has at most 20 digits and a sign. The digits are counted first, so that the pairs, written
    // from the end, stop at `start`.
    let count = digitCount(rest)
    let end = unsafe start + count
    var at = unsafe end
    let pairs = unsafe NumberText.pairs.utf8Start
    while rest >= 100 {
      let pair = Int(truncatingIfNeeded: rest % 100) &* 2
      rest /= 100
      unsafe at -= 2
      unsafe at[0] = pairs[pair]
      unsafe at[1] = pairs[pair + 1]
    }
    if rest >= 10 {
      let pair = Int(truncatingIfNeeded: rest) &* 2
      unsafe start[0] = pairs[pair]
      unsafe start[1] = pairs[pair + 1]
    } else {
      unsafe start[0] = 0x30 &+ UInt8(truncatingIfNeeded: rest)
    }
    return unsafe end
  }

  @inline(__always)
  private static func digitCount(_ number: UInt64) -> Int {
    var count = 1
    var bound: UInt64 = 10
    while number >= bound {
      count &+= 1
      if count == 20 { return 20 }
      bound &*= 10
    }
    return count
  }

  /// Writes the fewest digits that read back as the same number, as Swift describes it.
  ///
  /// Most numbers in data have few decimals. With at most 15 significant digits, a decimal number and the double
  /// nearest to it name each other; so the first count of decimals that leads back to the number is the answer. Numbers
  /// that need more digits, or an exponent, take Swift's own way.
  @unsafe static func write(_ number: Double, at start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    let magnitude = number.magnitude
    if magnitude < 1e14, magnitude >= 1e-3 || number == 0 {
      var scale = 10.0
      for decimals in 1...15 {
        let scaled = (magnitude * scale).rounded(.toNearestOrEven)
        if scaled >= 1e15 { break }
        if scaled / scale == magnitude {
          return unsafe write(UInt64(scaled), UInt64(scale), decimals, number.sign == .minus, at: start)
        }
        scale *= 10
      }
    }
    var text = number.description
    return text.withUTF8 { bytes in
      // Safety: Swift describes a double in at most 24 characters (`-2.2250738585072014e-308`).
      for index in 0..<bytes.count { unsafe start[index] = bytes[index] }
      return unsafe start + bytes.count
    }
  }

  @unsafe private static func write(
    _ scaled: UInt64, _ scale: UInt64, _ decimals: Int, _ isNegative: Bool, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var next = unsafe start
    if isNegative {
      unsafe next.pointee = 0x2D
      unsafe next += 1
    }
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: scale)
    unsafe next = unsafe write(magnitude: whole, at: next)
    unsafe next.pointee = 0x2E
    unsafe next += 1
    // Safety: scaled is under 1e15, so whole part and decimals are 15 digits together, or 16 where the whole part is 0.
    var rest = fraction
    for index in stride(from: decimals - 1, through: 0, by: -1) {
      unsafe next[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    return unsafe next + decimals
  }
}
