import Foundation

/// Text for searching: what `normalized()` yields.
public enum TextFolding {
  /// Appends the folded text to an array: without case (full folding: `ß` becomes `ss`), diacritics and width.
  ///
  /// ASCII is folded byte by byte; text with anything else takes Foundation's folding without a locale.
  /// - Returns: false, with nothing appended, when the bytes are not UTF-8.
  @discardableResult
  public static func normalized(_ bytes: UnsafeRawBufferPointer, into folded: inout [UInt8]) -> Bool {
    let start = folded.count
    var high: UInt8 = 0
    folded.reserveCapacity(start + bytes.count)
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      high |= byte
      // Bit 5 makes a capital letter small.
      folded.append(byte | (byte &- UInt8(ascii: "A") < 26 ? 0x20 : 0))
    }
    if high < 0x80 { return true }
    folded.removeSubrange(start...)
    guard let text = unsafe String(validating: bytes, as: UTF8.self) else { return false }
    folded.append(contentsOf: slowlyNormalized(text).utf8)
    return true
  }

  /// The folded text.
  public static func normalized(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return slowlyNormalized(text)
  }

  private static func slowlyNormalized(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }
}
