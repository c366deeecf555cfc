/// The objects of a binary property list (`bplist00`), each by its number.
///
/// Containers hold numbers of other objects and nothing is followed here, so cycles and deep nesting cost nothing.
/// Every object is read once; all together may not take more bytes than the file has for them, so objects that overlap
/// cannot multiply, and the memory is bounded by the file's size. O(bytes).
struct PropertyListTable {
  enum Object {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data(ArraySlice<UInt8>)
    case string(String)
    /// A reference of a keyed archive.
    case uid(Int)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  /// The most objects that are read. A model of 500 entities with 50 properties each has about 200,000.
  static let maximumObjectCount = 1 << 20

  let objects: [Object]
  /// The number of the outermost object.
  let root: Int

  init(_ bytes: [UInt8]) throws(ArchiveError) {
    var scanner = try PropertyListScanner(bytes)
    objects = try scanner.objects()
    root = scanner.root
  }
}

/// Reads the objects of a property list one after the other.
private struct PropertyListScanner {
  private static let headerByteCount = 8
  private static let trailerByteCount = 32

  let bytes: [UInt8]
  let root: Int
  private let objectCount: Int
  private let offsetByteCount: Int
  private let referenceByteCount: Int
  /// Where the offset table begins and the objects end.
  private let tableOffset: Int
  /// How many bytes the objects still to be read may take.
  private var budget: Int

  init(_ bytes: [UInt8]) throws(ArchiveError) {
    guard bytes.starts(with: "bplist00".utf8) else { throw ArchiveError("it is not a binary property list") }
    guard bytes.count > Self.headerByteCount + Self.trailerByteCount else {
      throw ArchiveError("the property list ends too early")
    }
    self.bytes = bytes
    let trailer = bytes.count - Self.trailerByteCount
    offsetByteCount = Int(bytes[trailer + 6])
    referenceByteCount = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount),
      let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
      let root = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
      let table = Self.number(bytes[(trailer + 24)...]), root < count, table > Self.headerByteCount, table < trailer,
      count <= (trailer - table) / offsetByteCount
    else { throw ArchiveError("the property list has a damaged trailer, or ends too early") }
    guard count <= PropertyListTable.maximumObjectCount else {
      throw ArchiveError(
        "the property list has \(count) objects, more than the \(PropertyListTable.maximumObjectCount) that are read")
    }
    self.root = root
    objectCount = count
    tableOffset = table
    budget = table - Self.headerByteCount
  }

  mutating func objects() throws(ArchiveError) -> [PropertyListTable.Object] {
    var objects: [PropertyListTable.Object] = []
    objects.reserveCapacity(objectCount)
    for number in 0..<objectCount {
      let place = tableOffset + number * offsetByteCount
      guard let offset = Self.number(bytes[place..<(place + offsetByteCount)]), offset >= Self.headerByteCount,
        offset < tableOffset
      else { throw ArchiveError("object \(number) lies outside the property list") }
      objects.append(try object(number, at: offset))
    }
    return objects
  }

  private mutating func object(_ number: Int, at offset: Int) throws(ArchiveError) -> PropertyListTable.Object {
    var position = offset
    let marker = try take(1, &position, number)[offset]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0 where low == 0: return .null
    case 0x0 where low == 8 || low == 9: return .boolean(low == 9)
    case 0x1: return .integer(try integer(low, &position, number))
    case 0x2 where low == 2:
      let bits = UInt32(truncatingIfNeeded: Self.bits(try take(4, &position, number)))
      return .real(Double(Float(bitPattern: bits)))
    case 0x2 where low == 3: return .real(Double(bitPattern: Self.bits(try take(8, &position, number))))
    case 0x3 where low == 3: return .date(Double(bitPattern: Self.bits(try take(8, &position, number))))
    case 0x4: return .data(try take(try count(low, &position, number), &position, number))
    case 0x5:
      let text = try take(try count(low, &position, number), &position, number)
      guard text.allSatisfy({ $0 < 0x80 }) else { throw ArchiveError("object \(number) is a damaged string") }
      return .string(String(decoding: text, as: UTF8.self))
    case 0x6: return .string(try utf16(try count(low, &position, number), &position, number))
    case 0x8 where low < 8:
      guard let uid = Self.number(try take(low + 1, &position, number)) else {
        throw ArchiveError("object \(number) refers to an object beyond the end")
      }
      return .uid(uid)
    case 0xA: return .array(try references(try count(low, &position, number), &position, number))
    case 0xD:
      let count = try count(low, &position, number)
      let keys = try references(count, &position, number)
      return .dictionary(keys: keys, values: try references(count, &position, number))
    default:
      throw ArchiveError("object \(number) is of the unknown kind 0x\(String(marker, radix: 16))")
    }
  }

  /// The next bytes of an object, taken from the budget.
  private mutating func take(
    _ count: Int, _ position: inout Int, _ number: Int
  ) throws(ArchiveError) -> ArraySlice<UInt8> {
    guard count <= tableOffset - position else {
      throw ArchiveError("object \(number) reaches beyond the objects' end")
    }
    guard count <= budget else { throw ArchiveError("objects of the property list overlap") }
    budget -= count
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  /// A length: the marker's low half, or a whole number that follows where that is 15.
  private mutating func count(_ low: Int, _ position: inout Int, _ number: Int) throws(ArchiveError) -> Int {
    guard low == 0x0F else { return low }
    let start = position
    let marker = try take(1, &position, number)[start]
    guard marker >> 4 == 0x1, let count = Int(exactly: try integer(Int(marker & 0x0F), &position, number)), count >= 0
    else { throw ArchiveError("object \(number) has a damaged length") }
    return count
  }

  /// Numbers of 1, 2 and 4 bytes are unsigned, of 8 bytes signed; 16 bytes hold what is too large for those.
  private mutating func integer(_ low: Int, _ position: inout Int, _ number: Int) throws(ArchiveError) -> Int64 {
    guard low <= 3 else { throw ArchiveError("object \(number) is a whole number beyond 64 bits") }
    return Int64(bitPattern: Self.bits(try take(1 << low, &position, number)))
  }

  private mutating func utf16(_ count: Int, _ position: inout Int, _ number: Int) throws(ArchiveError) -> String {
    guard count <= bytes.count else { throw ArchiveError("object \(number) reaches beyond the objects' end") }
    let text = try take(2 * count, &position, number)
    let units = stride(from: text.startIndex, to: text.endIndex, by: 2).map {
      UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
    }
    guard let string = String(validating: units, as: UTF16.self) else {
      throw ArchiveError("object \(number) is a damaged string")
    }
    return string
  }

  private mutating func references(_ count: Int, _ position: inout Int, _ number: Int) throws(ArchiveError) -> [Int] {
    guard count <= bytes.count else { throw ArchiveError("object \(number) reaches beyond the objects' end") }
    let packed = try take(count * referenceByteCount, &position, number)
    var references: [Int] = []
    references.reserveCapacity(count)
    for index in 0..<count {
      let start = packed.startIndex + index * referenceByteCount
      guard let reference = Self.number(packed[start..<(start + referenceByteCount)]), reference < objectCount else {
        throw ArchiveError("object \(number) refers to an object that is not there")
      }
      references.append(reference)
    }
    return references
  }

  /// Up to 8 big-endian bytes.
  private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// Up to 8 big-endian bytes as a count or position; nil beyond `Int.max`.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? { Int(exactly: bits(bytes)) }
}
