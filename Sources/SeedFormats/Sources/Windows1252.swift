/// The encoding that Windows programs call ANSI in Western languages: Latin-1 with letters, quotes, dashes and the euro
/// sign where that has control characters.
public enum Windows1252 {
  /// The characters of the bytes 0x80 to 0x9F. Five of them are no character and stay control characters, as web
  /// browsers have it.
  static let scalars: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]

  /// Whether a byte is a character here and a control character in Latin-1.
  public static func isOwn(_ byte: UInt8) -> Bool {
    (0x80...0x9F).contains(byte) && scalars[Int(byte) - 0x80] > 0xFF
  }

  /// A text in this encoding, with a question mark for what it lacks.
  public static func encoded(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { scalar in
      if let index = scalars.firstIndex(where: { UInt32($0) == scalar.value }) { return UInt8(index + 0x80) }
      return scalar.value < 0x80 || (0xA0...0xFF).contains(scalar.value) ? UInt8(scalar.value) : UInt8(ascii: "?")
    }
  }

  /// The UTF-8 of each byte from 0x80 on, three bytes and how many of them count.
  static let utf8: [(bytes: (UInt8, UInt8, UInt8), count: Int)] = (0x80...0xFF).map { byte in
    let scalar = byte < 0xA0 ? UInt32(scalars[byte - 0x80]) : UInt32(byte)
    func part(_ lead: UInt32, _ shift: UInt32) -> UInt8 { UInt8(lead | scalar >> shift & (lead == 0x80 ? 0x3F : 0x1F)) }
    return scalar < 0x800
      ? ((part(0xC0, 6), part(0x80, 0), 0), 2) : ((part(0xE0, 12), part(0x80, 6), part(0x80, 0)), 3)
  }
}
