public import Foundation

/// Dates as text, the same on every platform.
public enum DateText {
  /// `YYYY-MM-DDTHH:MM:SSZ`, with up to six decimals where the second has a fraction.
  ///
  /// Years outside 1 to 9999 are written with as many digits as they have, and a sign where they need one.
  public static func iso8601(_ date: Date) -> String {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.magnitude < 9e12 else { return String(interval) }
    var whole = Int64(interval.rounded(.down))
    var microseconds = Int64(((interval - Double(whole)) * 1_000_000).rounded())
    if microseconds == 1_000_000 {
      whole += 1
      microseconds = 0
    }
    whole += CalendarDate.referenceOffset
    let secondOfDay = ((whole % 86_400) + 86_400) % 86_400
    let (year, month, day) = civil(days: (whole - secondOfDay) / 86_400)
    var text = year < 0 ? "-" : ""
    text += padded(Int64(year.magnitude), 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
    text += padded(secondOfDay / 3600, 2) + ":" + padded(secondOfDay / 60 % 60, 2) + ":" + padded(secondOfDay % 60, 2)
    if microseconds > 0 {
      var decimals = padded(microseconds, 6)
      while decimals.hasSuffix("0") { decimals.removeLast() }
      text += "." + decimals
    }
    return text + "Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
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
