/// Writes fields of records in SQLite's form. The caller lays out the header.
///
/// Numbers are stored as whole words of up to 8 bytes, whatever they count: the caller owns the target and has room for
/// 8 bytes there, also at the end of a record. Stores need no alignment. Nothing keeps a pointer after the call.
public enum RecordEncoding {
  /// Writes an integer in the fewest bytes.
  /// - Parameter target: has room for 8 bytes, all of which may be written.
  /// - Returns: the type for the record's header, and the bytes that count.
  @inlinable @inline(__always)
  @unsafe public static func write(_ value: Int64, to target: UnsafeMutableRawPointer) -> (type: UInt8, count: Int) {
    if value == 0 || value == 1 { return (8 + UInt8(truncatingIfNeeded: value), 0) }
    let magnitude = value < 0 ? ~value : value
    let bits = 65 - magnitude.leadingZeroBitCount
    // The highest bytes come first, so the value is moved to the top and written whole.
    if bits <= 8 {
      unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      return (1, 1)
    }
    if bits <= 16 {
      unsafe target.storeBytes(of: Int16(truncatingIfNeeded: value).bigEndian, as: Int16.self)
      return (2, 2)
    }
    if bits <= 24 {
      unsafe target.storeBytes(of: (value << 40).bigEndian, as: Int64.self)
      return (3, 3)
    }
    if bits <= 32 {
      unsafe target.storeBytes(of: Int32(truncatingIfNeeded: value).bigEndian, as: Int32.self)
      return (4, 4)
    }
    if bits <= 48 {
      unsafe target.storeBytes(of: (value << 16).bigEndian, as: Int64.self)
      return (5, 6)
    }
    unsafe target.storeBytes(of: value.bigEndian, as: Int64.self)
    return (6, 8)
  }

  /// Writes a number as SQLite stores it in a column of numeric or real affinity: as an integer where that says the
  /// same.
  /// - Parameters:
  ///   - isReal: whether the column's affinity is real; such columns keep large integers as reals.
  ///   - target: has room for 8 bytes, all of which may be written.
  @inlinable @inline(__always)
  @unsafe public static func write(
    _ value: Double, isReal: Bool, to target: UnsafeMutableRawPointer
  ) -> (type: UInt8, count: Int) {
    // SQLite leaves the two extremes of 64 bits as reals, and -0.0 becomes 0.
    if value > -0x1p63, value < 0x1p63 {
      let integer = Int64(value)
      if Double(integer) == value, integer > .min, integer < .max,
        !isReal || (integer <= 140_737_488_355_327 && integer >= -140_737_488_355_328)
      {
        return unsafe write(integer, to: target)
      }
    }
    unsafe target.storeBytes(of: value.bitPattern.bigEndian, as: UInt64.self)
    return (7, 8)
  }

  /// The type of a text, for the record's header.
  @inlinable @inline(__always)
  public static func textType(_ count: Int) -> UInt64 { UInt64(count) * 2 + 13 }

  /// The type of a blob, for the record's header.
  @inlinable @inline(__always)
  public static func blobType(_ count: Int) -> UInt64 { UInt64(count) * 2 + 12 }

  /// The size of a header whose types take so many bytes; its own size is part of it.
  @inlinable @inline(__always)
  public static func headerSize(typeBytes: Int) -> Int {
    var size = typeBytes + 1
    while Varint.size(UInt64(size)) + typeBytes > size { size += 1 }
    return size
  }
}
