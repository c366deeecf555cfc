/// SQLite's variable-length integers: big-endian groups of seven bits, of which all but the last have the high bit set;
/// a ninth byte has eight bits.
///
/// Reading never goes beyond `limit`; writing touches just `size(value)` bytes.
public enum Varint {
  /// Bytes that a value takes, 1 to 9.
  @inlinable @inline(__always)
  public static func size(_ value: UInt64) -> Int {
    if value < 0x80 { return 1 }
    if value < 0x4000 { return 2 }
    if value < 0x20_0000 { return 3 }
    if value < 0x1000_0000 { return 4 }
    let bits = 64 - value.leadingZeroBitCount
    return bits > 56 ? 9 : (bits + 6) / 7
  }

  /// Writes a value.
  /// - Parameter target: has room for 9 bytes.
  /// - Returns: the number of bytes written.
  @inlinable @inline(__always) @discardableResult
  @unsafe public static func write(_ value: UInt64, to target: UnsafeMutableRawPointer) -> Int {
    if value < 0x80 {
      unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      return 1
    }
    if value < 0x4000 {
      let pair = UInt16(truncatingIfNeeded: (value >> 7 | 0x80) << 8 | (value & 0x7f))
      unsafe target.storeBytes(of: pair.bigEndian, as: UInt16.self)
      return 2
    }
    if value < 0x20_0000 {
      let pair = UInt16(truncatingIfNeeded: (value >> 14 | 0x80) << 8 | (value >> 7 & 0x7f | 0x80))
      unsafe target.storeBytes(of: pair.bigEndian, as: UInt16.self)
      unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: value & 0x7f), toByteOffset: 2, as: UInt8.self)
      return 3
    }
    return unsafe writeLong(value, to: target)
  }

  @usableFromInline
  @unsafe static func writeLong(_ value: UInt64, to target: UnsafeMutableRawPointer) -> Int {
    let count = size(value)
    var rest = value
    var index = count - 1
    if count == 9 {
      unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: 8, as: UInt8.self)
      rest >>= 8
      index = 7
    }
    var isLast = count < 9
    while index >= 0 {
      let byte = UInt8(truncatingIfNeeded: rest & 0x7f) | (isLast ? 0 : 0x80)
      unsafe target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      isLast = false
      rest >>= 7
      index -= 1
    }
    return count
  }

  /// Reads a value.
  /// - Returns: the value and its size, or a size of 0 when the bytes end before it does.
  @inlinable @inline(__always)
  @unsafe public static func read(_ bytes: UnsafeRawPointer, limit: Int) -> (value: UInt64, size: Int) {
    guard limit > 0 else { return (0, 0) }
    let first = unsafe bytes.load(as: UInt8.self)
    if first < 0x80 { return (UInt64(first), 1) }
    return unsafe readLong(bytes, limit: limit)
  }

  @usableFromInline
  @unsafe static func readLong(_ bytes: UnsafeRawPointer, limit: Int) -> (value: UInt64, size: Int) {
    // Safety: the caller has `limit` bytes, so 8 can be loaded where that is no less. The loop stays under it too.
    if limit >= 8 {
      let word = UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self))
      let ends = ~word & 0x8080_8080_8080_8080
      if ends != 0 {
        // The groups of seven bits are pushed together: two, four, then eight at a time.
        let size = ends.leadingZeroBitCount / 8 + 1
        var value = (word >> UInt64(64 - 8 * size)) & 0x7f7f_7f7f_7f7f_7f7f
        value = (value & 0x7f00_7f00_7f00_7f00) >> 1 | value & 0x007f_007f_007f_007f
        value = (value & 0x3fff_0000_3fff_0000) >> 2 | value & 0x0000_3fff_0000_3fff
        value = (value & 0x0fff_ffff_0000_0000) >> 4 | value & 0x0000_0000_0fff_ffff
        return (value, size)
      }
    }
    var value: UInt64 = 0
    for index in 0..<min(9, limit) {
      let byte = unsafe bytes.load(fromByteOffset: index, as: UInt8.self)
      if index == 8 { return (value << 8 | UInt64(byte), 9) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (value, index + 1) }
    }
    return (0, 0)
  }
}
