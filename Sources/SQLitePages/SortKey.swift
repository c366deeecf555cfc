/// Byte strings that compare as SQLite compares keys: null before numbers before texts before blobs, numbers by value
/// whatever their form, texts and blobs by their bytes.
enum SortKey {
  /// Appends a field of a record.
  /// - Parameter bytes: the field's bytes.
  @unsafe static func append(
    _ bytes: UnsafeRawBufferPointer, type: UInt64, isDescending: Bool, to key: inout [UInt8]
  ) {
    let start = key.count
    switch type {
    case 0: key.append(0x05)
    case 7:
      key.append(0x10)
      let bits = unsafe bytes.isEmpty ? 0 : UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self))
      append(Double(bitPattern: bits), remainder: 0, to: &key)
    case 1...9:
      key.append(0x10)
      let value = unsafe bytes.baseAddress.map { unsafe StoredRecord.integer($0, type: type) } ?? Int64(type & 1)
      append(integer: value, to: &key)
    default:
      key.append(type & 1 == 1 ? 0x30 : 0x40)
      // A zero byte is doubled with 255, so that the end (0, 0) sorts before everything that goes on.
      unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
        for index in bytes.indices {
          let byte = unsafe bytes[index]
          key.append(byte)
          if byte == 0 { key.append(0xff) }
        }
      }
      key.append(0)
      key.append(0)
    }
    if isDescending { for index in start..<key.count { key[index] = ~key[index] } }
  }

  /// Appends a row id, by which equal keys are ordered.
  static func append(rowID: Int64, to key: inout [UInt8]) {
    append(bits: UInt64(bitPattern: rowID) ^ 1 << 63, to: &key)
  }

  /// A number is written as the greatest double not above it and what is missing, so that integers beyond 53 bits and
  /// reals compare exactly.
  static func append(integer value: Int64, to key: inout [UInt8]) {
    var base = Double(value)
    // Rounding may have gone up, at the top even beyond 64 bits.
    if base >= 0x1p63 || Int64(base) > value { base = base.nextDown }
    append(base, remainder: UInt64(bitPattern: value &- Int64(base)), to: &key)
  }

  private static func append(_ base: Double, remainder: UInt64, to key: inout [UInt8]) {
    let bits = (base == 0 ? 0.0 : base).bitPattern
    append(bits: bits >> 63 == 1 ? ~bits : bits | 1 << 63, to: &key)
    append(bits: remainder, to: &key)
  }

  private static func append(bits: UInt64, to key: inout [UInt8]) {
    for shift in 0..<8 { key.append(UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64(shift)))) }
  }
}
