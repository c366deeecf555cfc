/// Texts as JSON has them.
package enum JSONText {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends a text in quotes: quotes, backslashes and control characters are escaped, everything else stands as it is.
  static func append(_ text: some Collection<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(0x22)
    for byte in text {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case ..<0x20: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }

  /// The text in quotes.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(text.utf8, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
