/// The objects of a binary property list (`bplist00`), each by its number: the one reader of the format.
///
/// Every offset, reference and length is checked before it is used, and malformed text is an error. Containers hold
/// numbers of other objects, and nothing is followed here, so circles and deep nesting cost nothing.
package struct BinaryPropertyListObjects {
  /// An object; the parts of containers are other objects.
  package enum Object {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number beyond the signed ones of 64 bits.
    case unsigned(UInt64)
    case real(Double)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data(ArraySlice<UInt8>)
    case string(String)
    /// A reference of a keyed archive.
    case uid(Int)
    case array(References)
    case dictionary(keys: References, values: References)
  }

  /// Numbers of objects, as they lie in a container.
  package struct References {
    fileprivate let packed: ArraySlice<UInt8>
    fileprivate let width: Int
    /// How many there are.
    package var count: Int { packed.count / width }
  }

  private static let headerByteCount = 8
  private static let trailerByteCount = 32

  private let bytes: [UInt8]
  /// How many objects there are.
  package let count: Int
  /// The number of the outermost object.
  package let root: Int
  private let offsetByteCount: Int
  private let referenceByteCount: Int
  /// Where the offset table begins and the objects end.
  private let tableOffset: Int

  /// Bytes that all objects have together.
  package var byteCount: Int { tableOffset - Self.headerByteCount }

  /// Reads the header and the trailer of a binary property list.
  package init(_ bytes: [UInt8]) throws(PropertyListError) {
    guard bytes.starts(with: "bplist".utf8) else { throw PropertyListError("it is not a binary property list") }
    guard bytes.starts(with: "bplist0".utf8) else {
      throw PropertyListError("it is a property list of an unknown version")
    }
    guard bytes.count > Self.headerByteCount + Self.trailerByteCount else {
      throw PropertyListError("the property list ends too early", at: bytes.count)
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
    else { throw PropertyListError("the property list has a damaged trailer, or ends too early", at: trailer) }
    self.root = root
    self.count = count
    tableOffset = table
  }

  /// Where an object begins.
  package func offset(of number: Int) throws(PropertyListError) -> Int {
    guard (0..<count).contains(number) else { throw PropertyListError("a reference leads nowhere", at: tableOffset) }
    let place = tableOffset + number * offsetByteCount
    guard let offset = Self.number(bytes[place..<(place + offsetByteCount)]), offset >= Self.headerByteCount,
      offset < tableOffset
    else { throw PropertyListError("object \(number) lies outside the property list", at: place) }
    return offset
  }

  /// Reads an object.
  /// - Returns: also how many bytes it takes, without those that it refers to.
  package func object(_ number: Int) throws(PropertyListError) -> (object: Object, byteCount: Int) {
    let start = try offset(of: number)
    var cursor = Cursor(list: self, number: number, position: start)
    let object = try cursor.object()
    return (object, cursor.position - start)
  }

  /// The number that a container refers to.
  /// - Parameter index: below the container's count.
  package func number(_ references: References, _ index: Int) throws(PropertyListError) -> Int {
    let start = references.packed.startIndex + index * references.width
    guard let number = Self.number(references.packed[start..<(start + references.width)]), number < count else {
      throw PropertyListError("a reference leads to an object that is not there", at: start)
    }
    return number
  }

  /// All numbers that a container refers to.
  package func numbers(_ references: References) throws(PropertyListError) -> [Int] {
    var numbers: [Int] = []
    numbers.reserveCapacity(references.count)
    for index in 0..<references.count { numbers.append(try number(references, index)) }
    return numbers
  }

  /// Up to 8 big-endian bytes.
  private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// Up to 8 big-endian bytes as a count or position; nil beyond `Int.max`.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? { Int(exactly: bits(bytes)) }

  /// Reads one object from its first byte on.
  private struct Cursor {
    let list: BinaryPropertyListObjects
    let number: Int
    var position: Int

    mutating func object() throws(PropertyListError) -> Object {
      let marker = try read(1).first ?? 0
      let low = Int(marker & 0x0F)
      switch marker >> 4 {
      case 0x0 where low == 0: return .null
      case 0x0 where low == 8 || low == 9: return .boolean(low == 9)
      case 0x1 where low == 4: return try wideInteger()
      // Numbers of up to 4 bytes have no sign.
      case 0x1 where low < 4: return .integer(Int64(bitPattern: bits(try read(1 << low))))
      case 0x2 where low == 2:
        return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits(try read(4))))))
      case 0x2 where low == 3: return .real(Double(bitPattern: bits(try read(8))))
      case 0x3 where low == 3: return .date(Double(bitPattern: bits(try read(8))))
      case 0x4: return .data(try read(try count(low)))
      case 0x5:
        let text = try read(try count(low))
        guard text.allSatisfy({ $0 < 0x80 }) else { throw damaged("is a damaged string") }
        return .string(String(decoding: text, as: UTF8.self))
      case 0x6: return .string(try utf16(try count(low)))
      case 0x8 where low < 8:
        guard let uid = BinaryPropertyListObjects.number(try read(low + 1)) else {
          throw damaged("refers to an object beyond the end")
        }
        return .uid(uid)
      case 0xA: return .array(try references(try count(low)))
      case 0xD:
        let count = try count(low)
        let keys = try references(count)
        return .dictionary(keys: keys, values: try references(count))
      default: throw damaged("is of the unknown kind 0x\(String(marker, radix: 16))")
      }
    }

    private mutating func read(_ count: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
      guard count <= list.tableOffset - position else { throw damaged("reaches beyond the objects' end") }
      defer { position += count }
      return list.bytes[position..<(position + count)]
    }

    /// A length: the marker's low half, or a whole number that follows where that is 15.
    private mutating func count(_ low: Int) throws(PropertyListError) -> Int {
      guard low == 0x0F else { return low }
      let marker = try read(1).first ?? 0
      guard marker >> 4 == 0x1, marker & 0x0F < 4,
        let count = BinaryPropertyListObjects.number(try read(1 << Int(marker & 0x0F))), count <= list.bytes.count
      else { throw damaged("has a damaged length") }
      return count
    }

    /// A number of 16 bytes; the upper half is the sign of the lower, or zero for numbers beyond the signed ones.
    private mutating func wideInteger() throws(PropertyListError) -> Object {
      let high = Int64(bitPattern: bits(try read(8)))
      let low = bits(try read(8))
      if high == 0 { return low >> 63 == 0 ? .integer(Int64(low)) : .unsigned(low) }
      guard high == -1, low >> 63 == 1 else { throw damaged("is a whole number beyond 64 bits") }
      return .integer(Int64(bitPattern: low))
    }

    private mutating func utf16(_ count: Int) throws(PropertyListError) -> String {
      let text = try read(2 * count)
      let units = stride(from: text.startIndex, to: text.endIndex, by: 2).map {
        UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
      }
      guard let string = String(validating: units, as: UTF16.self) else { throw damaged("is a damaged string") }
      return string
    }

    private mutating func references(_ count: Int) throws(PropertyListError) -> References {
      let width = list.referenceByteCount
      return References(packed: try read(count * width), width: width)
    }

    private func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 { BinaryPropertyListObjects.bits(bytes) }

    private func damaged(_ reason: String) -> PropertyListError {
      PropertyListError("object \(number) \(reason)", at: position)
    }
  }
}
