import Foundation

/// UUID and base64 texts from bytes.
enum TextParsing {
  /// Reads the 36-character form of a UUID, in either case, into 16 bytes.
  static func uuid(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) -> Bool {
    // Safety: between the dashes stand even numbers of digits, so a pair ends before 36, and 16 of them are written.
    guard bytes.count == 36 else { return false }
    var written = 0
    var index = 0
    while index < 36 {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard unsafe bytes[index] == UInt8(ascii: "-") else { return false }
        index += 1
        continue
      }
      guard let high = unsafe hexDigit(bytes[index]), let low = unsafe hexDigit(bytes[index + 1]) else { return false }
      unsafe target.storeBytes(of: high << 4 | low, toByteOffset: written, as: UInt8.self)
      written += 1
      index += 2
    }
    return written == 16
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
    default: nil
    }
  }

  /// The bytes that a base64 text stands for; nil when it is none. Line ends inside are not accepted.
  static func base64(_ bytes: UnsafeRawBufferPointer) -> Data? {
    unsafe Data(base64Encoded: Data(bytes))
  }

  /// Whether the text is an absolute or relative URI reference that `URL` takes as it is: a text with blanks or letters
  /// outside ASCII, which `URL` would have to rewrite, does not count.
  static func isURI(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let text = unsafe String(decoding: bytes, as: UTF8.self)
    return !text.isEmpty && URL(string: text, encodingInvalidCharacters: false)?.absoluteString == text
  }
}
