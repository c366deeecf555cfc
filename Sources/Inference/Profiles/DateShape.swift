/// Whether the dates of a column are all written alike, so that nothing is lost when an export writes them
/// in a form of its own.
struct DateShape {
  /// Patterns that are tried besides ISO 8601. Where two fit all values, neither is taken.
  static let patterns = [
    "yyyy/MM/dd", "yyyy/MM/dd HH:mm", "yyyy/MM/dd HH:mm:ss", "yyyyMMdd", "dd/MM/yyyy", "MM/dd/yyyy", "d/M/yyyy",
    "M/d/yyyy", "dd.MM.yyyy", "d.M.yyyy",
    "dd-MM-yyyy", "MM-dd-yyyy", "dd/MM/yyyy HH:mm", "MM/dd/yyyy HH:mm", "M/d/yyyy H:mm", "d/M/yyyy H:mm",
    "dd.MM.yyyy HH:mm",
    "dd/MM/yyyy HH:mm:ss", "MM/dd/yyyy HH:mm:ss", "dd.MM.yyyy HH:mm:ss", "MM/dd/yyyy hh:mm:ss a", "dd-MMM-yyyy",
    "dd MMM yyyy",
    "d MMM yyyy", "d MMMM yyyy", "MMM d, yyyy", "MMMM d, yyyy", "MMM dd, yyyy", "MMM d yyyy", "MMM dd yyyy",
    "EEE, dd MMM yyyy HH:mm:ss Z", "M/d/yyyy h:mm a", "MM/dd/yyyy hh:mm a", "M/d/yyyy h:mm:ss a", "d/M/yyyy h:mm a",
    "dd/MM/yyyy hh:mm a", "MM/dd/yyyy h:mm a", "dd/MM/yyyy hh:mm:ss a", "d/M/yyyy h:mm:ss a", "M/d/yyyy H:mm:ss",
    "d/M/yyyy H:mm:ss",
    "yyyy-MM-dd h:mm a", "yyyy-MM-dd hh:mm a", "MMM d, yyyy h:mm a", "d.M.yyyy H:mm", "d.M.yyyy H:mm:ss",
    "dd/MMM/yyyy:HH:mm:ss Z",
  ]

  /// Whether patterns read the same dates, but for how many digits a number has.
  static func areAlike(_ patterns: [String?]) -> Bool {
    let plain = patterns.map { pattern in
      pattern.map { text in
        ["d", "H", "h"].reduce(text.replacing("MMM", with: "#").replacing("MM", with: "M")) {
          $0.replacing($1 + $1, with: $1)
        }
      }
    }
    return plain.dropFirst().allSatisfy { $0 == plain.first }
  }

  private let pattern: String?
  /// For each number of the pattern, whether it has one digit or two.
  private let singles: [Bool]
  private var first: [UInt8]?

  /// - Parameter pattern: nil for ISO 8601.
  init(pattern: String?) {
    self.pattern = pattern
    singles = pattern.map(Self.singleLetters) ?? []
  }

  /// - Parameter exported: what an export writes.
  /// - Returns: false when the text is written otherwise than those before, or says more than the value keeps.
  mutating func observe(_ text: UnsafeRawBufferPointer, exported: String) -> Bool {
    let shape = unsafe Self.shape(text, singles: singles)
    guard let shape else { return false }
    if let first, first != shape { return false }
    first = shape
    return unsafe pattern != nil || Self.keepsFraction(text, exported)
  }

  /// Digits and names made alike; an offset as it is. Nil for a zero in front where the pattern has none.
  private static func shape(_ text: UnsafeRawBufferPointer, singles: [Bool]) -> [UInt8]? {
    var shape: [UInt8] = []
    var number = 0
    // Safety: `offset` is no greater than the count, and `index` only goes on to a byte that was looked at before it.
    let offset = unsafe offsetStart(text)
    var index = 0
    while index < text.count {
      let byte = unsafe text[index]
      if index >= offset {
        shape.append(byte)
      } else if byte.isDigit {
        let start = index
        while index + 1 < offset, unsafe text[index + 1].isDigit { index += 1 }
        let count = index + 1 - start
        number += 1
        if number <= singles.count, singles[number - 1] {
          if unsafe count > 1 && text[start] == UInt8(ascii: "0") { return nil }
          shape.append(UInt8(ascii: "9"))
        } else {
          shape += Array(repeating: UInt8(ascii: "9"), count: count)
        }
      } else if byte.isLetter {
        // Names differ in length and are told apart by the pattern; their case must be one.
        let start = index
        while index + 1 < offset, unsafe text[index + 1].isLetter { index += 1 }
        let isWord = index > start
        shape.append(unsafe isWord ? text[start] & 0x20 | UInt8(ascii: "A") : byte)
        if isWord { shape.append(unsafe text[start + 1] & 0x20 | UInt8(ascii: "A")) }
      } else {
        shape.append(byte)
      }
      index += 1
    }
    return shape
  }

  /// Where `+01:00` or `-0100` begins at the end of a time; the end where there is none.
  private static func offsetStart(_ text: UnsafeRawBufferPointer) -> Int {
    guard unsafe text.contains(UInt8(ascii: ":")) else { return text.count }
    let tail = max(text.count - 6, 0)
    return (tail..<text.count).first { unsafe text[$0] == UInt8(ascii: "+") || text[$0] == UInt8(ascii: "-") }
      ?? text.count
  }

  /// Which numbers of a pattern, in its order, are written with a single letter; names of months are none.
  private static func singleLetters(_ pattern: String) -> [Bool] {
    var singles: [Bool] = []
    var letters = Array(pattern)[...]
    while let letter = letters.first {
      let count = letters.prefix { $0 == letter }.count
      letters = letters.dropFirst(count)
      if "ydHhmsS".contains(letter) || letter == "M" && count < 3 { singles.append(count == 1 && letter != "S") }
    }
    return singles
  }

  /// Whether an export has every digit of the fraction, up to zeros at its end.
  private static func keepsFraction(_ text: UnsafeRawBufferPointer, _ exported: String) -> Bool {
    func fraction(_ bytes: some Sequence<UInt8>) -> [UInt8] {
      var digits = Array(bytes.drop { $0 != UInt8(ascii: ".") }.dropFirst().prefix(while: \.isDigit))
      while digits.last == UInt8(ascii: "0") { digits.removeLast() }
      return digits
    }
    return unsafe fraction(text) == fraction(exported.utf8)
  }
}
