/// Reads and writes binary property lists (`bplist00`).
///
/// Foundation's serialisation writes dictionaries in an order that changes from run to run; here keys are sorted by
/// code point, so that the same values always give the same bytes.
enum BinaryPropertyList {
  /// Why bytes could not be read.
  struct Malformed: Error {
    var message: String
  }

  /// The most bytes that are read.
  static let maximumByteCount = 16 << 20

  // MARK: writing

  static func encode(_ root: PropertyListValue) -> [UInt8] {
    var objects: [[UInt8]] = []
    var children: [[Int]] = []
    var knownStrings: [String: Int] = [:]

    func add(_ value: PropertyListValue) -> Int {
      if case .string(let text) = value, let known = knownStrings[text] { return known }
      let index = objects.count
      objects.append([])
      children.append([])
      switch value {
      case .boolean(let flag): objects[index] = [flag ? 0x09 : 0x08]
      case .integer(let number): objects[index] = encoded(integer: number)
      case .real(let number): objects[index] = [0x23] + bigEndian(number.bitPattern, 8)
      case .date(let seconds): objects[index] = [0x33] + bigEndian(seconds.bitPattern, 8)
      case .data(let bytes): objects[index] = marker(0x40, bytes.count) + bytes
      case .string(let text):
        knownStrings[text] = index
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
          objects[index] = marker(0x50, text.utf8.count) + Array(text.utf8)
        } else {
          objects[index] =
            marker(0x60, text.utf16.count)
            + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8($0 & 0xFF)] }
        }
      case .array(let values):
        objects[index] = marker(0xA0, values.count)
        children[index] = values.map(add)
      case .dictionary(let entries):
        let keys = entries.keys.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
        objects[index] = marker(0xD0, keys.count)
        children[index] = keys.map { add(.string($0)) } + keys.map { entries[$0].map(add) ?? 0 }
      }
      return index
    }
    _ = add(root)

    let referenceSize = byteWidth(objects.count - 1)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for (object, references) in zip(objects, children) {
      offsets.append(bytes.count)
      bytes += object
      for reference in references { bytes += bigEndian(UInt64(reference), referenceSize) }
    }
    let tableOffset = bytes.count
    let offsetSize = byteWidth(tableOffset)
    for offset in offsets { bytes += bigEndian(UInt64(offset), offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    bytes += bigEndian(UInt64(objects.count), 8) + bigEndian(0, 8) + bigEndian(UInt64(tableOffset), 8)
    return bytes
  }

  private static func encoded(integer: Int64) -> [UInt8] {
    let bits = UInt64(bitPattern: integer)
    if integer < 0 || bits > 0xFFFF_FFFF { return [0x13] + bigEndian(bits, 8) }
    if bits <= 0xFF { return [0x10] + bigEndian(bits, 1) }
    if bits <= 0xFFFF { return [0x11] + bigEndian(bits, 2) }
    return [0x12] + bigEndian(bits, 4)
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 15] + encoded(integer: Int64(count))
  }

  private static func byteWidth(_ value: Int) -> Int {
    value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
  }

  private static func bigEndian(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
  }
}
