/// Whether the texts of a column look like keys: codes, slugs and paths, and neither words nor prose nor times.
///
/// A text with a blank ends the look, so that prose costs nothing.
struct KeyShape {
  private enum Kind {
    /// Letters and digits, or words that marks join: `T1`, `red-shirt`, `Europe/Berlin`.
    case structured
    case digits, capitals, smallWord
    case other
  }

  /// Codes of capitals alone have one length, or no more than so many letters.
  private static let longestCapitals = 5

  private var structured = 0
  private var digits = 0
  private var capitals = 0
  private var smallWords = 0
  private var longestOfCapitals = 0
  private var length: Int?
  private var isUniform = true
  private var isPossible = true

  /// Whether all texts up to here look like keys.
  var isKey: Bool {
    guard isPossible, structured + digits + capitals > 0, smallWords <= structured else { return false }
    if digits > 0, structured + capitals == 0, !isUniform { return false }
    return isUniform || longestOfCapitals <= Self.longestCapitals
  }

  mutating func observe(_ bytes: UnsafeRawBufferPointer) {
    guard isPossible else { return }
    if let length, length != bytes.count { isUniform = false }
    length = bytes.count
    switch unsafe Self.kind(bytes) {
    case .structured: structured += 1
    case .digits: digits += 1
    case .capitals:
      capitals += 1
      longestOfCapitals = max(longestOfCapitals, bytes.count)
    case .smallWord: smallWords += 1
    case .other: isPossible = false
    }
  }

  private static func kind(_ bytes: UnsafeRawBufferPointer) -> Kind {
    guard (1...64).contains(bytes.count) else { return .other }
    var (digits, capitals, small, marks, joints) = (0, 0, 0, 0, 0)
    var hasClock = false
    var lettersAtEnd = 0
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      lettersAtEnd = byte.isLetter ? lettersAtEnd + 1 : 0
      switch byte {
      case 48...57: digits += 1
      case 65...90: capitals += 1
      case 97...122: small += 1
      case UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "#"): joints += 1
      case UInt8(ascii: ":"):
        joints += 1
        if index > 0, unsafe bytes[index - 1].isDigit { hasClock = true }
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "+"): marks += 1
      default: return .other
      }
    }
    let letters = capitals + small
    // Without letters there are numbers, dates, times, telephone numbers.
    if letters == 0 { return digits == bytes.count ? .digits : .other }
    if hasClock || digits > 0, unsafe hasClock || isMeasure(bytes, lettersAtEnd: lettersAtEnd) || isPeriod(bytes) {
      return .other
    }
    if digits > 0 || joints > 0 { return .structured }
    // `Smith-Jones` is a name, and `red-shirt` a slug.
    if marks > 0 { return capitals == 0 || small == 0 ? .structured : .other }
    return small == 0 ? .capitals : capitals == 0 ? .smallWord : .other
  }

  /// A number with its unit behind it: `5kg`, `2.5mm`, `1st`.
  private static func isMeasure(_ bytes: UnsafeRawBufferPointer, lettersAtEnd: Int) -> Bool {
    guard (1...3).contains(lettersAtEnd) else { return false }
    return unsafe bytes.prefix(bytes.count - lettersAtEnd).allSatisfy { $0.isDigit || $0 == 45 || $0 == 46 }
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    .map { Array($0.utf8) }

  /// A part of a year: `2024-Q1`, `2024-W05`, `Jan-2024`, `05-Jan-2024`, `2024-01-05T10`.
  private static func isPeriod(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Safety: `index` and the three after it are compared with the count before they are read.
    let years = unsafe bytes.prefix(while: \.isDigit).count
    if years == 4, bytes.count > 6, unsafe bytes[4] == UInt8(ascii: "-") {
      let next = unsafe bytes[5] | 0x20
      return unsafe next == UInt8(ascii: "q") || next == UInt8(ascii: "w") || bytes[5].isDigit
    }
    let start = unsafe bytes.firstIndex(where: \.isLetter) ?? 0
    guard start <= 3, start + 3 <= bytes.count else { return false }
    let word = unsafe bytes[start...].prefix(while: \.isLetter).map { $0 | 0x20 }
    return months.contains { word == $0 }
  }
}
