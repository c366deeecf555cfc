extension BinaryPropertyList {
  /// Reads a property list strictly: every reference, offset and length is checked, nesting and the number of values
  /// are bounded, and text that is no text is an error.
  /// - Throws: `Malformed` when the bytes are no property list, or use a type that a store's metadata cannot have.
  static func decode(_ bytes: [UInt8]) throws(Malformed) -> PropertyListValue {
    guard bytes.count <= maximumByteCount else { throw Malformed(message: "the property list is too large") }
    guard bytes.count >= 40, bytes.starts(with: Array("bplist0".utf8)) else {
      throw Malformed(message: "no binary property list")
    }
    var reader = Reader(bytes: bytes)
    try reader.readTrailer()
    return try reader.object(reader.topObject, depth: 0)
  }

  private struct Reader {
    static let maximumDepth = 64

    let bytes: [UInt8]
    var offsetSize = 0
    var referenceSize = 0
    var objectCount = 0
    var topObject = 0
    var tableOffset = 0
    /// Bounds the work that a list with shared or circular references can cause.
    var remainingObjects = 1_000_000
    /// Bounds the memory of values that many references share.
    var remainingBytes = 2 * BinaryPropertyList.maximumByteCount

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func readTrailer() throws(Malformed) {
      let start = bytes.count - 32
      offsetSize = Int(bytes[start + 6])
      referenceSize = Int(bytes[start + 7])
      objectCount = try integer(start + 8, 8, before: bytes.count)
      topObject = try integer(start + 16, 8, before: bytes.count)
      tableOffset = try integer(start + 24, 8, before: bytes.count)
      guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount > 0, tableOffset < start,
        objectCount <= (start - tableOffset) / offsetSize
      else { throw Malformed(message: "damaged property list trailer") }
    }

    /// A big-endian number that is a count, a position or a reference.
    func integer(_ position: Int, _ size: Int, before end: Int) throws(Malformed) -> Int {
      guard let result = Int(exactly: try bits(position, size, before: end)) else {
        throw Malformed(message: "number too large in property list")
      }
      return result
    }

    mutating func object(_ index: Int, depth: Int) throws(Malformed) -> PropertyListValue {
      remainingObjects -= 1
      guard index >= 0, index < objectCount else { throw Malformed(message: "bad reference in property list") }
      guard depth < Self.maximumDepth, remainingObjects > 0 else {
        throw Malformed(message: "the property list is nested too deeply or has too many values")
      }
      let start = try integer(tableOffset + index * offsetSize, offsetSize, before: bytes.count)
      guard start >= 8, start < tableOffset else { throw Malformed(message: "bad offset in property list") }
      let low = Int(bytes[start] & 0x0F)
      switch (bytes[start] & 0xF0, low) {
      case (0x00, 8): return .boolean(false)
      case (0x00, 9): return .boolean(true)
      case (0x10, 0...3): return .integer(Int64(bitPattern: try bits(start + 1, 1 << low, before: tableOffset)))
      case (0x10, 4): return .integer(try wideInteger(start + 1))
      case (0x20, 2): return .real(Double(Float(bitPattern: UInt32(try bits(start + 1, 4, before: tableOffset)))))
      case (0x20, 3): return .real(Double(bitPattern: try bits(start + 1, 8, before: tableOffset)))
      case (0x30, 3): return .date(Double(bitPattern: try bits(start + 1, 8, before: tableOffset)))
      case (0x40, _):
        let (count, position) = try length(start, low)
        return .data(Array(try content(position, count)))
      case (0x50, _):
        let (count, position) = try length(start, low)
        let text = try content(position, count)
        guard text.allSatisfy({ $0 < 0x80 }) else { throw Malformed(message: "damaged string in property list") }
        return .string(String(decoding: text, as: UTF8.self))
      case (0x60, _): return .string(try utf16(start, low))
      case (0xA0, _):
        let (count, position) = try length(start, low)
        _ = try slice(position, count * referenceSize, before: tableOffset)
        var values: [PropertyListValue] = []
        for item in 0..<count { values.append(try child(position, item, depth)) }
        return .array(values)
      case (0xD0, _): return .dictionary(try entries(start, low, depth))
      default: throw Malformed(message: "unknown object type \(bytes[start]) in property list")
      }
    }

    private mutating func entries(
      _ start: Int, _ low: Int, _ depth: Int
    ) throws(Malformed) -> [String: PropertyListValue] {
      let (count, position) = try length(start, low)
      _ = try slice(position, 2 * count * referenceSize, before: tableOffset)
      var entries: [String: PropertyListValue] = [:]
      for item in 0..<count {
        guard case .string(let key) = try child(position, item, depth) else {
          throw Malformed(message: "a property list key is no string")
        }
        let value = try child(position, count + item, depth)
        guard entries.updateValue(value, forKey: key) == nil else {
          throw Malformed(message: "a property list key stands twice")
        }
      }
      return entries
    }

    private mutating func child(_ position: Int, _ item: Int, _ depth: Int) throws(Malformed) -> PropertyListValue {
      try object(try integer(position + item * referenceSize, referenceSize, before: tableOffset), depth: depth + 1)
    }

    private mutating func utf16(_ start: Int, _ low: Int) throws(Malformed) -> String {
      let (count, position) = try length(start, low)
      let units = try content(position, 2 * count)
      let text = stride(from: units.startIndex, to: units.endIndex, by: 2).map { at in
        UInt16(units[at]) << 8 | UInt16(units[at + 1])
      }
      guard let string = String(validating: text, as: UTF16.self) else {
        throw Malformed(message: "damaged string in property list")
      }
      return string
    }

    /// A 16-byte number, of which only the lower half may say anything but the sign.
    private func wideInteger(_ position: Int) throws(Malformed) -> Int64 {
      let high = Int64(bitPattern: try bits(position, 8, before: tableOffset))
      let low = Int64(bitPattern: try bits(position + 8, 8, before: tableOffset))
      guard high == (low < 0 ? -1 : 0) else { throw Malformed(message: "number too large in property list") }
      return low
    }

    private func bits(_ position: Int, _ size: Int, before end: Int) throws(Malformed) -> UInt64 {
      try slice(position, size, before: end).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    /// Objects lie before the table of their offsets.
    private func slice(_ position: Int, _ count: Int, before end: Int) throws(Malformed) -> ArraySlice<UInt8> {
      guard position >= 0, count >= 0, count <= end, position <= end - count else {
        throw Malformed(message: "property list ends early")
      }
      return bytes[position..<(position + count)]
    }

    /// The bytes of a text or of data.
    private mutating func content(_ position: Int, _ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
      let content = try slice(position, count, before: tableOffset)
      remainingBytes -= count
      guard remainingBytes >= 0 else { throw Malformed(message: "the property list has too many values") }
      return content
    }

    /// Number of elements and where they start.
    private func length(_ start: Int, _ low: Int) throws(Malformed) -> (Int, Int) {
      if low < 15 { return (low, start + 1) }
      guard start + 1 < bytes.count, bytes[start + 1] & 0xF0 == 0x10, bytes[start + 1] & 0x0F <= 3 else {
        throw Malformed(message: "bad length in property list")
      }
      let size = 1 << Int(bytes[start + 1] & 0x0F)
      let count = try integer(start + 2, size, before: tableOffset)
      guard count <= bytes.count else { throw Malformed(message: "bad length in property list") }
      return (count, start + 2 + size)
    }
  }
}
