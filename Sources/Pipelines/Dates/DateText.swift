public import Foundation

/// Dates as text, the same on every platform.
public enum DateText {
  /// `YYYY-MM-DDTHH:MM:SSZ`, with up to six decimals where the second has a fraction.
  ///
  /// Years outside 1 to 9999 are written with as many digits as they have, and a sign where they need one.
  public static func iso8601(_ date: Date) -> String {
    var text: [UInt8] = []
    append(iso8601: date.timeIntervalSinceReferenceDate, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends what `iso8601` says of a date.
  /// - Parameter interval: seconds since 2001.
  package static func append(iso8601 interval: Double, to text: inout [UInt8]) {
    guard interval.magnitude < 9e12 else { return text.append(contentsOf: String(interval).utf8) }
    var whole = Int64(interval.rounded(.down))
    var microseconds = Int64(((interval - Double(whole)) * 1_000_000).rounded())
    if microseconds == 1_000_000 {
      whole += 1
      microseconds = 0
    }
    whole += CalendarDate.referenceOffset
    let secondOfDay = ((whole % 86_400) + 86_400) % 86_400
    let (year, month, day) = civil(days: (whole - secondOfDay) / 86_400)
    if year < 0 { text.append(UInt8(ascii: "-")) }
    append(nil, Int64(year.magnitude), 4, to: &text)
    append(UInt8(ascii: "-"), month, 2, to: &text)
    append(UInt8(ascii: "-"), day, 2, to: &text)
    append(UInt8(ascii: "T"), secondOfDay / 3600, 2, to: &text)
    append(UInt8(ascii: ":"), secondOfDay / 60 % 60, 2, to: &text)
    append(UInt8(ascii: ":"), secondOfDay % 60, 2, to: &text)
    if microseconds > 0 {
      append(UInt8(ascii: "."), microseconds, 6, to: &text)
      while text.last == UInt8(ascii: "0") { text.removeLast() }
    }
    text.append(UInt8(ascii: "Z"))
  }

  /// Appends a mark and a number that is not negative, with zeros before it up to a width.
  private static func append(_ mark: UInt8?, _ number: Int64, _ width: Int, to text: inout [UInt8]) {
    if let mark { text.append(mark) }
    let start = text.count
    var rest = number
    repeat {
      text.append(0x30 + UInt8(rest % 10))
      rest /= 10
    } while rest > 0 || text.count - start < width
    text[start...].reverse()
  }

  /// The date of a day counted from 1970-01-01: the inverse of `CalendarDate.daysSince1970`.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
