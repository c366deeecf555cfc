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
    append(whole, microseconds, digits: 6, to: &text)
  }

  /// Appends a date with as few decimals as it takes to read the same number back, six at least where the second has a
  /// fraction, without zeros at the end.
  /// - Parameter interval: seconds since 2001.
  /// - Returns: false, with nothing appended, where nine decimals are too few.
  package static func append(exactly interval: Double, to text: inout [UInt8]) -> Bool {
    guard interval.magnitude < 9e12 else { return false }
    let whole = interval.rounded(.down)
    // As the parser has it: up to six decimals are rounded once with the seconds.
    let microseconds = ((interval - whole) * 1e6).rounded()
    let total = whole * 1e6 + microseconds
    if total.magnitude < 0x1p53 ? total / 1e6 == interval : whole + microseconds / 1e6 == interval {
      append(iso8601: interval, to: &text)
      return true
    }
    for (digits, scale) in [(7, 1e7), (8, 1e8), (9, 1e9)] {
      let fraction = ((interval - whole) * scale).rounded()
      if fraction < scale, whole + fraction / scale == interval {
        append(Int64(whole), Int64(fraction), digits: digits, to: &text)
        return true
      }
    }
    return false
  }

  private static func append(_ whole: Int64, _ fraction: Int64, digits: Int, to text: inout [UInt8]) {
    let whole = whole + CalendarDate.referenceOffset
    let secondOfDay = ((whole % 86_400) + 86_400) % 86_400
    let (year, month, day) = civil(days: (whole - secondOfDay) / 86_400)
    if year < 0 { text.append(UInt8(ascii: "-")) }
    append(nil, Int64(year.magnitude), 4, to: &text)
    append(UInt8(ascii: "-"), month, 2, to: &text)
    append(UInt8(ascii: "-"), day, 2, to: &text)
    append(UInt8(ascii: "T"), secondOfDay / 3600, 2, to: &text)
    append(UInt8(ascii: ":"), secondOfDay / 60 % 60, 2, to: &text)
    append(UInt8(ascii: ":"), secondOfDay % 60, 2, to: &text)
    if fraction > 0 {
      append(UInt8(ascii: "."), fraction, digits, to: &text)
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
