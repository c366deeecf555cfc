import Foundation

/// Values of attributes from their texts in files. The whole text must be the value; nothing is guessed.
enum StoredText {
  static func integer(_ text: String) -> Int64? { Int64(text) }

  static func real(_ text: String) -> Double? {
    guard let number = Double(text), number.isFinite || text == "inf" || text == "-inf" else { return nil }
    return number
  }

  /// A decimal number with all its digits; `Decimal(string:)` alone reads the beginning of anything.
  static func decimal(_ text: String) -> Decimal? {
    let form = #/[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?/#
    guard text.wholeMatch(of: form) != nil, let number = Decimal(string: text, locale: posix), !number.isNaN else {
      return nil
    }
    return number
  }

  static func boolean(_ text: String) -> Bool? {
    switch text {
    case "1", "true", "YES": true
    case "0", "false", "NO": false
    default: nil
    }
  }

  /// Base64 with any line ends and blanks between.
  static func data(_ text: String) -> Data? {
    Data(base64Encoded: Data(text.utf8.filter { $0 > 0x20 }))
  }

  /// A URI that is written back just as it was read.
  static func uri(_ text: String) -> URL? {
    guard let url = URL(string: text), url.absoluteString == text else { return nil }
    return url
  }

  private static let posix = Locale(identifier: "en_US_POSIX")
}
