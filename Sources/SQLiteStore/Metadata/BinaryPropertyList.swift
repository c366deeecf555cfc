/// Reads and writes binary property lists (`bplist00`).
///
/// Foundation's serialisation writes dictionaries in an order that changes from run to run; here keys are sorted by
/// code point, so that the same values always give the same bytes.
enum BinaryPropertyList {
  /// Why bytes could not be read.
  struct Malformed: Error {
    var message: String
  }

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

  // MARK: reading

  static func decode(_ bytes: [UInt8]) throws(Malformed) -> PropertyListValue {
    guard bytes.count >= 40, bytes.starts(with: Array("bplist0".utf8)) else {
      throw Malformed(message: "no binary property list")
    }
    var reader = Reader(bytes: bytes)
    try reader.readTrailer()
    return try reader.object(reader.topObject, depth: 0)
  }

  private struct Reader {
    let bytes: [UInt8]
    var offsetSize = 0
    var referenceSize = 0
    var objectCount = 0
    var topObject = 0
    var tableOffset = 0
    /// Bounds the work that a list with shared or circular references can cause.
    var remainingObjects = 1_000_000

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func readTrailer() throws(Malformed) {
      let start = bytes.count - 32
      offsetSize = Int(bytes[start + 6])
      referenceSize = Int(bytes[start + 7])
      objectCount = try integer(start + 8, 8)
      topObject = try integer(start + 16, 8)
      tableOffset = try integer(start + 24, 8)
      guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount > 0, tableOffset < start,
        objectCount <= (start - tableOffset) / offsetSize
      else { throw Malformed(message: "damaged property list trailer") }
    }

    func integer(_ position: Int, _ size: Int) throws(Malformed) -> Int {
      guard position >= 0, size >= 0, position <= bytes.count - size else {
        throw Malformed(message: "property list ends early")
      }
      var value: UInt64 = 0
      for byte in bytes[position..<(position + size)] { value = value << 8 | UInt64(byte) }
      guard let result = Int(exactly: value) else { throw Malformed(message: "number too large in property list") }
      return result
    }

    mutating func object(_ index: Int, depth: Int) throws(Malformed) -> PropertyListValue {
      remainingObjects -= 1
      guard index >= 0, index < objectCount, depth < 64, remainingObjects > 0 else {
        throw Malformed(message: "bad reference in property list")
      }
      let start = try integer(tableOffset + index * offsetSize, offsetSize)
      guard start >= 8, start < tableOffset else { throw Malformed(message: "bad offset in property list") }
      let kind = bytes[start] & 0xF0
      let low = Int(bytes[start] & 0x0F)
      switch (kind, low) {
      case (0x00, 8): return .boolean(false)
      case (0x00, 9): return .boolean(true)
      case (0x10, 0...3): return .integer(Int64(bitPattern: try bits(start + 1, 1 << low)))
      case (0x10, 4): return .integer(Int64(bitPattern: try bits(start + 9, 8)))
      case (0x20, 2): return .real(Double(Float(bitPattern: UInt32(try bits(start + 1, 4)))))
      case (0x20, 3): return .real(Double(bitPattern: try bits(start + 1, 8)))
      case (0x30, 3): return .date(Double(bitPattern: try bits(start + 1, 8)))
      case (0x40, _):
        let (count, position) = try length(start, low)
        return .data(Array(try slice(position, count)))
      case (0x50, _):
        let (count, position) = try length(start, low)
        return .string(String(decoding: try slice(position, count), as: UTF8.self))
      case (0x60, _):
        let (count, position) = try length(start, low)
        let units = try slice(position, count.multipliedReportingOverflow(by: 2).partialValue)
        var text: [UInt16] = []
        for at in stride(from: units.startIndex, to: units.endIndex, by: 2) {
          text.append(UInt16(units[at]) << 8 | UInt16(units[at + 1]))
        }
        return .string(String(decoding: text, as: UTF16.self))
      case (0xA0, _):
        let (count, position) = try length(start, low)
        _ = try slice(position, count * referenceSize)
        var values: [PropertyListValue] = []
        for item in 0..<count { values.append(try child(position, item, depth)) }
        return .array(values)
      case (0xD0, _):
        let (count, position) = try length(start, low)
        _ = try slice(position, 2 * count * referenceSize)
        var entries: [String: PropertyListValue] = [:]
        for item in 0..<count {
          guard case .string(let key) = try child(position, item, depth) else {
            throw Malformed(message: "a property list key is no string")
          }
          entries[key] = try child(position, count + item, depth)
        }
        return .dictionary(entries)
      default: throw Malformed(message: "unknown object type \(bytes[start]) in property list")
      }
    }

    private mutating func child(_ position: Int, _ item: Int, _ depth: Int) throws(Malformed) -> PropertyListValue {
      try object(try integer(position + item * referenceSize, referenceSize), depth: depth + 1)
    }

    private func bits(_ position: Int, _ size: Int) throws(Malformed) -> UInt64 {
      try slice(position, size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    private func slice(_ position: Int, _ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
      guard position >= 0, count >= 0, count <= bytes.count, position <= bytes.count - count else {
        throw Malformed(message: "property list ends early")
      }
      return bytes[position..<(position + count)]
    }

    /// Number of elements and where they start.
    private func length(_ start: Int, _ low: Int) throws(Malformed) -> (Int, Int) {
      if low < 15 { return (low, start + 1) }
      guard start + 1 < bytes.count, bytes[start + 1] & 0xF0 == 0x10, bytes[start + 1] & 0x0F <= 3 else {
        throw Malformed(message: "bad length in property list")
      }
      let size = 1 << Int(bytes[start + 1] & 0x0F)
      let count = try integer(start + 2, size)
      guard count <= bytes.count else { throw Malformed(message: "bad length in property list") }
      return (count, start + 2 + size)
    }
  }
}
