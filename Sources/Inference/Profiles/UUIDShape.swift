/// Whether the UUIDs of a column are all written alike, in capitals or not, so that nothing is lost when an export
/// writes them in a form of its own.
struct UUIDShape {
  /// The first one, its digits made alike.
  private var first: [UInt8]?
  private var isUpper: Bool?

  /// - Returns: false when the text is written otherwise than those before.
  mutating func observe(_ text: UnsafeRawBufferPointer) -> Bool {
    var shape: [UInt8] = []
    for index in text.indices {
      let byte = unsafe text[index]
      let isLetter = (97...102).contains(byte | 0x20)
      if isLetter {
        let isCapital = byte & 0x20 == 0
        if let isUpper, isUpper != isCapital { return false }
        isUpper = isCapital
      }
      shape.append(isLetter || byte.isDigit ? UInt8(ascii: "0") : byte)
    }
    if let first { return first == shape }
    first = shape
    return true
  }
}
