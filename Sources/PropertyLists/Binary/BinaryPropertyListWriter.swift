import Foundation

/// Writes binary property lists (`bplist00`).
///
/// Foundation's serialisation writes dictionaries in an order that changes from run to run; here keys are sorted by
/// code point, so that the same values always give the same bytes.
struct BinaryPropertyListWriter {
  private var objects: [[UInt8]] = []
  /// The objects that each object refers to.
  private var references: [[Int]] = []
  /// Equal strings are one object, by their bytes: `String` takes normal forms of Unicode for equal, and values would
  /// change.
  private var strings: [[UInt8]: Int] = [:]
  private var uids: [Int: Int] = [:]
  private var integers: [Int64: Int] = [:]

  static func encode(_ root: PropertyListValue) -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    _ = writer.add(root)
    return writer.bytes()
  }

  private mutating func add(_ value: PropertyListValue) -> Int {
    if case .string(let text) = value, let known = strings[Array(text.utf8)] { return known }
    let number = objects.count
    objects.append([])
    references.append([])
    switch value {
    case .boolean(let flag): objects[number] = [flag ? 0x09 : 0x08]
    case .integer(let integer): objects[number] = Self.encoded(integer: integer)
    case .unsigned(let integer):
      objects[number] = [0x14] + [UInt8](repeating: 0, count: 8) + Self.bigEndian(integer, 8)
    case .real(let real): objects[number] = [0x23] + Self.bigEndian(real.bitPattern, 8)
    case .date(let date):
      objects[number] = [0x33] + Self.bigEndian(date.timeIntervalSinceReferenceDate.bitPattern, 8)
    case .data(let data): objects[number] = Self.marker(0x40, data.count) + data
    case .string(let text):
      strings[Array(text.utf8)] = number
      objects[number] = Self.encoded(string: text)
    case .array(let values):
      objects[number] = Self.marker(0xA0, values.count)
      references[number] = values.map { add($0) }
    case .dictionary(let entries):
      let sorted = entries.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
      objects[number] = Self.marker(0xD0, sorted.count)
      let keys = sorted.map { add(.string($0.key)) }
      references[number] = keys + sorted.map { add($0.value) }
    }
    return number
  }

  // MARK: - Archives, whose objects refer to others by their place in a list

  /// Adds a UID, which no `PropertyListValue` has; returns its number.
  mutating func add(uid: Int) -> Int {
    if let known = uids[uid] { return known }
    let size = uid <= 0xFF ? 1 : uid <= 0xFFFF ? 2 : 4
    let number = append([0x80 | UInt8(size - 1)] + Self.bigEndian(UInt64(uid), size), [])
    uids[uid] = number
    return number
  }

  /// Adds an array of objects that are there already.
  mutating func add(array elements: [Int]) -> Int { append(Self.marker(0xA0, elements.count), elements) }

  /// Adds a dictionary of objects that are there already, in this order.
  mutating func add(dictionary entries: [(key: String, value: Int)]) -> Int {
    let keys = entries.map { add(.string($0.key)) }
    return append(Self.marker(0xD0, entries.count), keys + entries.map(\.value))
  }

  /// Adds a value. Equal whole numbers are one object.
  mutating func add(plain value: PropertyListValue) -> Int {
    guard case .integer(let number) = value else { return add(value) }
    if let known = integers[number] { return known }
    let place = add(value)
    integers[number] = place
    return place
  }

  private mutating func append(_ bytes: [UInt8], _ referred: [Int]) -> Int {
    objects.append(bytes)
    references.append(referred)
    return objects.count - 1
  }

  /// The whole property list. Its outermost object is the first one, unless another is named.
  func bytes(root: Int = 0) -> [UInt8] {
    let referenceSize = Self.byteWidth(objects.count - 1)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for (object, references) in zip(objects, references) {
      offsets.append(bytes.count)
      bytes += object
      for reference in references { bytes += Self.bigEndian(UInt64(reference), referenceSize) }
    }
    let tableOffset = bytes.count
    let offsetSize = Self.byteWidth(tableOffset)
    for offset in offsets { bytes += Self.bigEndian(UInt64(offset), offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [objects.count, root, tableOffset] { bytes += Self.bigEndian(UInt64(number), 8) }
    return bytes
  }

  private static func encoded(string text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return marker(0x50, text.utf8.count) + Array(text.utf8) }
    return marker(0x60, text.utf16.count)
      + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8($0 & 0xFF)] }
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
