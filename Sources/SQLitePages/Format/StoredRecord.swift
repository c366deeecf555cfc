/// A record as SQLite stores it: a header with the type of every field, then the fields.
///
/// Once `locate` has returned true, every field that it filled in lies within the record, so that its `count` bytes
/// from `offset` on may be read without another check.
@safe struct StoredRecord {
  /// A field's type and place.
  struct Field {
    var type: UInt64
    var offset: Int

    /// Bytes of the field.
    @inline(__always) var count: Int { StoredRecord.size(of: type) }
  }

  /// Bytes that a field of a type takes.
  @inline(__always)
  static func size(of type: UInt64) -> Int {
    // Of the types 0 to 11, a hexadecimal digit each.
    type < 12 ? Int(truncatingIfNeeded: 0x0000_8864_3210 >> (type * 4) & 0xF) : Int((type - 12) / 2)
  }

  /// Reads where the first fields of a record lie; missing ones are null.
  /// - Parameters:
  ///   - fields: filled from the front.
  ///   - allowsAbsent: whether it is the record of a change, which may have `RowChanges.absentType` for some.
  /// - Returns: false when the header is no record's.
  @inline(__always)
  @unsafe static func locate(
    _ payload: UnsafeRawPointer, count: Int, fields: UnsafeMutableBufferPointer<Field>, allowsAbsent: Bool = false
  ) -> Bool {
    let (headerSize, sizeOfSize) = unsafe Varint.read(payload, limit: count)
    guard sizeOfSize > 0, headerSize >= UInt64(sizeOfSize), headerSize <= UInt64(count) else { return false }
    var position = sizeOfSize
    var offset = Int(headerSize)
    var index = 0
    while index < fields.count {
      if position >= Int(headerSize) {
        unsafe fields[index] = Field(type: 0, offset: offset)
      } else {
        // Safety: `position` is under the header's size, which is no more than `count`.
        let (type, size) = unsafe Varint.read(payload + position, limit: Int(headerSize) - position)
        guard size > 0, type != 10 || allowsAbsent, type != 11 else { return false }
        position += size
        unsafe fields[index] = Field(type: type, offset: offset)
        let (end, overflows) = offset.addingReportingOverflow(StoredRecord.size(of: type))
        guard !overflows, end <= count else { return false }
        offset = end
      }
      index += 1
    }
    return true
  }

  /// The integer in a field of type 1 to 6, 8 or 9.
  @inline(__always)
  @unsafe static func integer(_ bytes: UnsafeRawPointer, type: UInt64) -> Int64 {
    switch type {
    case 1: return Int64(unsafe bytes.load(as: Int8.self))
    case 2: return Int64(Int16(bigEndian: unsafe bytes.loadUnaligned(as: Int16.self)))
    case 3:
      let high = Int64(unsafe bytes.load(as: Int8.self))
      return high << 16 | Int64(UInt16(bigEndian: unsafe (bytes + 1).loadUnaligned(as: UInt16.self)))
    case 4: return Int64(Int32(bigEndian: unsafe bytes.loadUnaligned(as: Int32.self)))
    case 5:
      let high = Int64(Int16(bigEndian: unsafe bytes.loadUnaligned(as: Int16.self)))
      return high << 32 | Int64(UInt32(bigEndian: unsafe (bytes + 2).loadUnaligned(as: UInt32.self)))
    case 6: return Int64(bigEndian: unsafe bytes.loadUnaligned(as: Int64.self))
    case 9: return 1
    default: return 0
    }
  }

  /// The smallest type that holds an integer.
  @inlinable @inline(__always)
  public static func type(of value: Int64) -> UInt8 {
    if value == 0 || value == 1 { return 8 + UInt8(truncatingIfNeeded: value) }
    let magnitude = value < 0 ? ~value : value
    if magnitude < 1 << 7 { return 1 }
    if magnitude < 1 << 15 { return 2 }
    if magnitude < 1 << 23 { return 3 }
    if magnitude < 1 << 31 { return 4 }
    return magnitude < 1 << 47 ? 5 : 6
  }
}
