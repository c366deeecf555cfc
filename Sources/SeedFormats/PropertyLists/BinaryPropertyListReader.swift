import Foundation

/// Reads a binary property list strictly: every reference, offset and length is checked, and nesting and the number of
/// values are bounded, because references may share values or lead in circles.
struct BinaryPropertyListReader {
  private let bytes: [UInt8]
  private var offsetSize = 0
  private var referenceSize = 0
  private var objectCount = 0
  private var tableOffset = 0
  private var valuesLeft: Int
  private var bytesLeft: Int
  private let maximumDepth: Int

  /// Writes a list as JSON.
  static func write(
    _ bytes: [UInt8], to json: inout PropertyListJSON, maximumDepth: Int
  ) throws(PropertyListProblem) {
    var reader = BinaryPropertyListReader(bytes, maximumDepth: maximumDepth)
    let top = try reader.readTrailer()
    try reader.value(top, to: &json)
  }

  private init(_ bytes: [UInt8], maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    // Lists share equal values, so some more than there is room for.
    valuesLeft = 16 * bytes.count + 1_000_000
    bytesLeft = 64 * bytes.count + 1_000_000
  }

  private mutating func readTrailer() throws(PropertyListProblem) -> Int {
    guard bytes.count >= 40 else { throw damaged("it ends too early", at: bytes.count) }
    let start = bytes.count - 32
    offsetSize = Int(bytes[start + 6])
    referenceSize = Int(bytes[start + 7])
    objectCount = try integer(start + 8, 8, before: bytes.count)
    let top = try integer(start + 16, 8, before: bytes.count)
    tableOffset = try integer(start + 24, 8, before: bytes.count)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount > 0, tableOffset < start,
      objectCount <= (start - tableOffset) / offsetSize
    else { throw damaged("its last bytes do not say where its values are", at: start) }
    return top
  }

  private mutating func value(_ index: Int, to json: inout PropertyListJSON) throws(PropertyListProblem) {
    valuesLeft -= 1
    guard index >= 0, index < objectCount else { throw damaged("a reference leads nowhere", at: tableOffset) }
    let start = try integer(tableOffset + index * offsetSize, offsetSize, before: bytes.count)
    guard start >= 8, start < tableOffset else { throw damaged("a value is nowhere in the file", at: tableOffset) }
    guard json.depth < maximumDepth, valuesLeft > 0 else {
      throw damaged("values are nested too deeply, or there are too many", at: start)
    }
    let low = Int(bytes[start] & 0x0F)
    switch (bytes[start] & 0xF0, low) {
    case (0x00, 0): json.literal("null")
    case (0x00, 8): json.literal("false")
    case (0x00, 9): json.literal("true")
    // Up to four bytes have no sign.
    case (0x10, 0...2): json.literal("\(try bits(start + 1, 1 << low, before: tableOffset))")
    case (0x10, 3): json.literal("\(Int64(bitPattern: try bits(start + 1, 8, before: tableOffset)))")
    case (0x10, 4): json.literal(try wideInteger(start + 1))
    case (0x20, 2):
      let number = Float(bitPattern: UInt32(try bits(start + 1, 4, before: tableOffset)))
      json.real(Double(number))
    case (0x20, 3): json.real(Double(bitPattern: try bits(start + 1, 8, before: tableOffset)))
    case (0x30, 3):
      let seconds = Double(bitPattern: try bits(start + 1, 8, before: tableOffset))
      guard let text = PropertyListDate.text(seconds) else { throw damaged("a date is out of range", at: start) }
      json.string(text)
    case (0x40, _): json.string(Data(try content(start, low, width: 1)).base64EncodedString())
    case (0x50, _):
      let text = try content(start, low, width: 1)
      guard text.allSatisfy({ $0 < 0x80 }) else { throw damaged("a text is none", at: start) }
      json.string(text)
    case (0x60, _): json.string(try utf16(start, low))
    case (0xA0, _):
      json.beginArray()
      let (count, position) = try length(start, low)
      _ = try slice(position, count, width: referenceSize)
      for item in 0..<count { try value(try reference(position, item), to: &json) }
      json.end()
    case (0xD0, _): try dictionary(start, low, to: &json)
    case (0x80, _):
      throw PropertyListProblem(
        message: "it is an archive of objects, not a list of values",
        hint: "write the data as a property list, JSON or CSV where it comes from", byteOffset: start)
    default: throw damaged("a value is of a type that there is not", at: start)
    }
  }

  private mutating func dictionary(
    _ start: Int, _ low: Int, to json: inout PropertyListJSON
  ) throws(PropertyListProblem) {
    let (count, position) = try length(start, low)
    _ = try slice(position, count, width: 2 * referenceSize)
    json.beginObject()
    for item in 0..<count {
      let at = try integer(
        tableOffset + (try reference(position, item)) * offsetSize, offsetSize, before: bytes.count)
      guard at >= 8, at < tableOffset else { throw damaged("a key is nowhere in the file", at: start) }
      switch bytes[at] & 0xF0 {
      case 0x50:
        let text = try content(at, Int(bytes[at] & 0x0F), width: 1)
        guard text.allSatisfy({ $0 < 0x80 }) else { throw damaged("a key is no text", at: at) }
        json.key(String(decoding: text, as: UTF8.self))
      case 0x60: json.key(try utf16(at, Int(bytes[at] & 0x0F)))
      default: throw damaged("a key is no text", at: at)
      }
      try value(try reference(position, count + item), to: &json)
    }
    json.end()
  }

  private func reference(_ position: Int, _ item: Int) throws(PropertyListProblem) -> Int {
    let index = try integer(position + item * referenceSize, referenceSize, before: tableOffset)
    guard index < objectCount else { throw damaged("a reference leads nowhere", at: position) }
    return index
  }

  private mutating func utf16(_ start: Int, _ low: Int) throws(PropertyListProblem) -> String {
    let text = try content(start, low, width: 2)
    let units = stride(from: text.startIndex, to: text.endIndex, by: 2).map {
      UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
    }
    guard let string = String(validating: units, as: UTF16.self) else { throw damaged("a text is none", at: start) }
    return string
  }

  /// A number of 16 bytes; the upper half is the sign of the lower, or zero for numbers beyond the signed ones.
  private func wideInteger(_ position: Int) throws(PropertyListProblem) -> String {
    let high = Int64(bitPattern: try bits(position, 8, before: tableOffset))
    let low = try bits(position + 8, 8, before: tableOffset)
    if high == 0 { return "\(low)" }
    guard high == -1, low >> 63 == 1 else { throw damaged("a number is too large", at: position) }
    return "\(Int64(bitPattern: low))"
  }

  /// The bytes of a text or of data.
  private mutating func content(_ start: Int, _ low: Int, width: Int) throws(PropertyListProblem) -> ArraySlice<UInt8> {
    let (count, position) = try length(start, low)
    bytesLeft -= count * width
    guard bytesLeft >= 0 else { throw damaged("there are too many values", at: start) }
    return try slice(position, count, width: width)
  }

  /// Number of elements and where they start.
  private func length(_ start: Int, _ low: Int) throws(PropertyListProblem) -> (Int, Int) {
    if low < 15 { return (low, start + 1) }
    guard start + 1 < tableOffset, bytes[start + 1] & 0xF0 == 0x10, bytes[start + 1] & 0x0F <= 3 else {
      throw damaged("a length is none", at: start)
    }
    let size = 1 << Int(bytes[start + 1] & 0x0F)
    let count = try integer(start + 2, size, before: tableOffset)
    guard count <= bytes.count else { throw damaged("a length is none", at: start) }
    return (count, start + 2 + size)
  }

  private func slice(_ position: Int, _ count: Int, width: Int) throws(PropertyListProblem) -> ArraySlice<UInt8> {
    guard position >= 0, position <= tableOffset, count <= (tableOffset - position) / width else {
      throw damaged("a value goes beyond the end", at: position)
    }
    return bytes[position..<position + count * width]
  }

  private func bits(_ position: Int, _ size: Int, before end: Int) throws(PropertyListProblem) -> UInt64 {
    guard position >= 0, size <= end, position <= end - size else { throw damaged("it ends too early", at: end) }
    return bytes[position..<position + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func integer(_ position: Int, _ size: Int, before end: Int) throws(PropertyListProblem) -> Int {
    guard let number = Int(exactly: try bits(position, size, before: end)), number <= 1 << 48 else {
      throw damaged("a number is too large", at: position)
    }
    return number
  }

  private func damaged(_ reason: String, at: Int) -> PropertyListProblem {
    PropertyListProblem(
      message: "the binary property list is damaged: \(reason)", hint: "fetch or write the file again", byteOffset: at)
  }
}
