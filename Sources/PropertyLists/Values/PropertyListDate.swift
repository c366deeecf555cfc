package import Foundation

/// Dates of property lists.
package enum PropertyListDate {
  /// UTC, in whole seconds, as property lists in XML have dates.
  package static func text(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle()) }
  /// The date of a property list in XML; nil for other text.
  package static func date(_ text: String) -> Date? { try? Date.ISO8601FormatStyle().parse(text) }

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
