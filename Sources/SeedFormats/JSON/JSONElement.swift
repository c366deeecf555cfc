/// A value in a JSON array, as far as expressions distinguish values.
///
/// A number is a part of the array's bytes, so it is good as long as these are.
@unsafe public enum JSONElement {
  case null
  case boolean(Bool)
  /// A number as it is written.
  case number(UnsafeRawBufferPointer)
  /// A string, unescaped.
  case text(String)
  /// An object or an array.
  case structure

  /// The first element of an array; nil where it has none.
  /// - Parameter json: an array of a record that was read, so well-formed from its bracket on.
  public static func first(ofArray json: UnsafeRawBufferPointer) -> JSONElement? {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    var start = 1
    while start < json.count, unsafe isBlank(json[start]) { start += 1 }
    guard start < json.count else { return nil }
    switch unsafe json[start] {
    case 0x5D: return nil
    case 0x7B, 0x5B: return unsafe .structure
    case 0x6E: return unsafe .null
    case 0x74: return unsafe .boolean(true)
    case 0x66: return unsafe .boolean(false)
    case 0x22:
      // Safety: `end` is no greater than the count, and the range never begins behind its end.
      let end = unsafe JSONPointerLocator.endOfString(json, from: start)
      let inside = unsafe UnsafeRawBufferPointer(rebasing: json[(start + 1)..<max(end - 1, start + 1)])
      return unsafe .text(JSONStringDecoding.text(inside))
    default:
      var end = start
      while end < json.count, unsafe json[end] != 0x2C && json[end] != 0x5D && !isBlank(json[end]) { end += 1 }
      return unsafe .number(UnsafeRawBufferPointer(rebasing: json[start..<end]))
    }
  }
}
