import Predicates

/// Text for searching: what `normalized()` yields.
package enum TextNormalization {
  /// The text without case (full folding: `ß` becomes `ss`), diacritics and width.
  ///
  /// ASCII is folded byte by byte, Latin letters with accents by a table of what Foundation makes of each; text with
  /// anything else takes the way of derived attributes (`TextFolding.canonical`).
  package static func normalized(_ text: String) -> String {
    var text = text
    let folded = text.withUTF8 { utf8 in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: utf8.count * growth) { room in
        unsafe foldLatin(UnsafeRawBufferPointer(utf8), into: room).map {
          unsafe String(decoding: room[..<$0], as: UTF8.self)
        }
      }
    }
    return folded ?? TextFolding.canonical(text)
  }

  /// How many bytes a byte of text may become.
  package static let growth = 4

  /// Folds UTF-8 where that takes no more than the table.
  /// - Parameter folded: room for `growth` times as many bytes.
  /// - Returns: the number of bytes written; nil when there are other characters, or the bytes are not UTF-8.
  @unsafe package static func foldLatin(
    _ bytes: UnsafeRawBufferPointer, into folded: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard let room = folded.baseAddress else { return unsafe bytes.isEmpty ? 0 : nil }
    var count = 0
    var index = 0
    while index < bytes.count {
      let byte = unsafe bytes[index]
      if byte < 0x80 {
        // Bit 5 makes a capital letter small.
        unsafe room[count] = byte | (byte &- UInt8(ascii: "A") < 26 ? 0x20 : 0)
        count += 1
        index += 1
        continue
      }
      guard index + 1 < bytes.count, let place = unsafe LatinFolding.place(byte, bytes[index + 1]) else {
        return nil
      }
      var word = LatinFolding.words[place]
      if word == LatinFolding.noWord { return nil }
      // Safety: a letter of two bytes becomes seven at most, and there is room for eight.
      for _ in 0..<(word >> 56) {
        unsafe room[count] = UInt8(truncatingIfNeeded: word)
        count += 1
        word >>= 8
      }
      index += 2
    }
    return count
  }
}

/// What Foundation folds each letter of Unicode's Latin-1 Supplement and Latin Extended-A and -B to. None of them joins
/// with what stands before or after it, so a text of them is folded letter by letter.
private enum LatinFolding {
  private static let first: UInt32 = 0x80
  private static let end: UInt32 = 0x250

  /// Per letter up to seven bytes of UTF-8 from the lowest one on, and their number in the highest; none where a letter
  /// folds to more.
  static let words: [UInt64] = (first..<end).map { code in
    guard let scalar = Unicode.Scalar(code) else { return noWord }
    let folded = Array(TextFolding.canonical(String(Character(scalar))).utf8)
    guard folded.count < 8 else { return noWord }
    return folded.reversed().reduce(0) { $0 << 8 | UInt64($1) } | UInt64(folded.count) << 56
  }
  static let noWord = UInt64.max

  /// A letter's place in the table, by the two bytes of its UTF-8; nil for other characters.
  static func place(_ lead: UInt8, _ trail: UInt8) -> Int? {
    guard lead >= 0xC2, lead <= 0xC9, trail & 0xC0 == 0x80 else { return nil }
    let code = UInt32(lead & 0x1F) << 6 | UInt32(trail & 0x3F)
    return code < end ? Int(code - first) : nil
  }
}
