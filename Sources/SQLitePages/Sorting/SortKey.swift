import Foundation

/// Byte strings that compare as SQLite compares keys: null before numbers before texts before blobs, numbers by value
/// whatever their form, texts and blobs by their bytes. No key is the beginning of another one.
///
/// Callers reserve `maximumSize` bytes of each field's type: a number takes 17, a text or blob at most every byte
/// twice, one in front and two behind.
enum SortKey {
  /// Bytes that a field takes at most.
  @inline(__always)
  static func maximumSize(of type: UInt64) -> Int { type >= 12 ? 2 * StoredRecord.size(of: type) + 3 : 17 }

  /// Writes a field of a record.
  /// - Parameters:
  ///   - bytes: the field's bytes.
  ///   - target: has room for `maximumSize` bytes.
  /// - Returns: the number of bytes written.
  @inline(__always)
  @unsafe static func write(
    _ bytes: UnsafeRawPointer, type: UInt64, isDescending: Bool, to target: UnsafeMutableRawPointer
  ) -> Int {
    // Safety: the field lies within its record, as `StoredRecord.locate` has checked, so `bytes` has the size of its
    // type. The callers have reserved `maximumSize` bytes at `target`.
    let count: Int
    switch type {
    case 0:
      unsafe target.storeBytes(of: 0x05, as: UInt8.self)
      count = 1
    case 7:
      let bits = UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self))
      count = unsafe write(Double(bitPattern: bits), remainder: 0, to: target)
    case 1...9: count = unsafe write(integer: StoredRecord.integer(bytes, type: type), to: target)
    default: count = unsafe write(bytes, count: StoredRecord.size(of: type), isText: type & 1 == 1, to: target)
    }
    if isDescending { unsafe invert(target, count) }
    return count
  }

  /// Inverts the bytes of a field that was just written, so that it sorts the other way round.
  @unsafe static func invert(_ bytes: UnsafeMutableRawPointer, _ count: Int) {
    // Safety: `count` is what `write` returned for this place.
    for index in 0..<count {
      unsafe bytes.storeBytes(
        of: ~bytes.load(fromByteOffset: index, as: UInt8.self), toByteOffset: index, as: UInt8.self)
    }
  }

  @unsafe private static func write(
    _ bytes: UnsafeRawPointer, count: Int, isText: Bool, to target: UnsafeMutableRawPointer
  ) -> Int {
    // Safety: one byte in front, at most two for each of `count`, and two behind: `maximumSize` bytes.
    unsafe target.storeBytes(of: isText ? 0x30 : 0x40, as: UInt8.self)
    var size = 1
    if unsafe count == 0 || memchr(bytes, 0, count) == nil {
      unsafe (target + 1).copyMemory(from: bytes, byteCount: count)
      size += count
    } else {
      // A zero byte is doubled with 255, so that the end (0, 0) sorts before everything that goes on.
      for index in 0..<count {
        let byte = unsafe bytes.load(fromByteOffset: index, as: UInt8.self)
        unsafe target.storeBytes(of: byte, toByteOffset: size, as: UInt8.self)
        size += 1
        if byte == 0 {
          unsafe target.storeBytes(of: 0xff, toByteOffset: size, as: UInt8.self)
          size += 1
        }
      }
    }
    unsafe (target + size).storeBytes(of: 0, as: UInt16.self)
    return size + 2
  }

  /// Writes a row id, by which equal keys are ordered: 8 bytes.
  @inline(__always)
  @unsafe static func write(rowID: Int64, to target: UnsafeMutableRawPointer) {
    unsafe target.storeBytes(of: (UInt64(bitPattern: rowID) ^ 1 << 63).bigEndian, as: UInt64.self)
  }

  /// A number is written as the greatest double not above it and the remainder, so that integers beyond 53 bits and
  /// reals compare exactly.
  @inline(__always)
  @unsafe static func write(integer value: Int64, to target: UnsafeMutableRawPointer) -> Int {
    var base = Double(value)
    // Rounding may have gone up, at the top even beyond 64 bits.
    if base >= 0x1p63 || Int64(base) > value { base = base.nextDown }
    return unsafe write(base, remainder: UInt64(bitPattern: value &- Int64(base)), to: target)
  }

  @inline(__always)
  @unsafe private static func write(_ base: Double, remainder: UInt64, to target: UnsafeMutableRawPointer) -> Int {
    let bits = (base == 0 ? 0.0 : base).bitPattern
    unsafe target.storeBytes(of: 0x10, as: UInt8.self)
    unsafe (target + 1).storeBytes(of: (bits >> 63 == 1 ? ~bits : bits | 1 << 63).bigEndian, as: UInt64.self)
    unsafe (target + 9).storeBytes(of: remainder.bigEndian, as: UInt64.self)
    return 17
  }
}
