/// Writes the values of a property list as one JSON document.
///
/// The elements of the array of records stand on a line each, so that the line of a record is its number; nothing else
/// starts a line.
struct PropertyListJSON {
  private(set) var text: [UInt8] = []
  /// The way to the array of records.
  private let path: [String]
  private var open: [Container] = []

  private struct Container {
    let isObject: Bool
    let hasLines: Bool
    var count = 0
    var key = ""
  }

  /// - Parameter path: keys and positions that lead to the array of records; none: the list itself.
  init(path: [String]) { self.path = path }

  /// Containers that are open.
  var depth: Int { open.count }

  mutating func beginArray() {
    let isWanted =
      open.count == path.count && zip(open, path).allSatisfy { ($0.isObject ? $0.key : String($0.count)) == $1 }
    beginValue()
    text.append(UInt8(ascii: "["))
    open.append(Container(isObject: false, hasLines: isWanted))
  }

  mutating func beginObject() {
    beginValue()
    text.append(UInt8(ascii: "{"))
    open.append(Container(isObject: true, hasLines: false))
  }

  mutating func end() {
    guard let last = open.popLast() else { return }
    text.append(UInt8(ascii: last.isObject ? "}" : "]"))
    endValue()
  }

  /// The key of the next value of the innermost object.
  mutating func key(_ key: String) {
    guard let level = open.indices.last else { return }
    if open[level].count > 0 { text.append(UInt8(ascii: ",")) }
    open[level].key = key
    quote(key.utf8)
    text.append(UInt8(ascii: ":"))
  }

  mutating func string(_ string: some Collection<UInt8>) {
    beginValue()
    quote(string)
    endValue()
  }

  mutating func string(_ string: String) { self.string(string.utf8) }

  /// Text that is JSON already: a number, a boolean, null.
  mutating func literal(_ literal: String) {
    beginValue()
    text += literal.utf8
    endValue()
  }

  /// A number; what JSON has no number for is a text.
  mutating func real(_ number: Double) {
    if number.isFinite { literal("\(number)") } else { string("\(number)") }
  }

  private mutating func beginValue() {
    guard let last = open.last, !last.isObject, last.count > 0 else { return }
    text.append(UInt8(ascii: ","))
    if last.hasLines { text.append(0x0A) }
  }

  private mutating func endValue() {
    if let level = open.indices.last { open[level].count += 1 }
  }

  private mutating func quote(_ string: some Collection<UInt8>) {
    text.append(0x22)
    for byte in string {
      switch byte {
      case 0x22, 0x5C: text += [0x5C, byte]
      case ..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        text += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: text.append(byte)
      }
    }
    text.append(0x22)
  }
}

/// A property list that is not one.
struct PropertyListProblem: Error {
  var message: String
  var hint: String?
  /// Where it is in the file.
  var byteOffset = 0
}

/// Dates of property lists.
enum PropertyListDate {
  /// Seconds since 2001 in ISO 8601, to the last digit; nil for what no year of four digits has.
  static func text(_ seconds: Double) -> String? {
    // From the year 1 to the year 9999.
    guard seconds >= -63_113_904_000, seconds < 252_423_993_600 else { return nil }
    let whole = seconds.rounded(.down)
    // From 2001-01-01 back to 0000-03-01, where the leap day is the last of a year.
    let total = Int(whole) + 730_791 * 86_400
    let days = total / 86_400
    let rest = total % 86_400
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    func padded(_ number: Int, _ width: Int) -> String {
      String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    let time = "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
    return date + "T" + time + fraction(of: seconds, whole: whole) + "Z"
  }

  private static func fraction(of seconds: Double, whole: Double) -> String {
    if seconds == whole { return "" }
    // The shortest digits that mean this number and no other; counted from the second below for times before 2001.
    let written = "\(abs(seconds))"
    guard !written.contains("e"), let point = written.firstIndex(of: ".") else { return "" }
    var digits = written[written.index(after: point)...].prefix(15).compactMap(\.wholeNumberValue)
    if seconds < 0 {
      // Ten's complement.
      var carry = 1
      for index in digits.indices.reversed() {
        let digit = 9 - digits[index] + carry
        carry = digit / 10
        digits[index] = digit % 10
      }
    }
    return "." + digits.map(String.init).joined()
  }
}
