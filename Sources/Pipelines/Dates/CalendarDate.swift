/// A date and time of day in the proleptic Gregorian calendar, as read from text.
struct CalendarDate: Equatable {
  var year = 1
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  /// Digits after the second's decimal point, as an integer: at most 15.
  var fraction: Int64 = 0
  var fractionDigits = 0

  /// Seconds from 1970 to 2001.
  static let referenceOffset: Int64 = 978_307_200

  /// Whether the calendar has this date and the day this time. Leap seconds are not accepted. The year 0 is the one
  /// before the year 1.
  var isValid: Bool {
    (0...9999).contains(year) && (1...12).contains(month) && day >= 1 && day <= Self.days(in: month, of: year)
      && (0..<24).contains(hour) && (0..<60).contains(minute) && (0..<60).contains(second)
  }

  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01. Years start in March here, so that the leap day is a year's last day.
  var daysSince1970: Int64 {
    let shiftedYear = Int64(month > 2 ? year : year - 1)
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Seconds from 2001-01-01 to this reading of the clock, as if the clock showed UTC.
  var secondsSince2001: Int64 {
    daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + second) - Self.referenceOffset
  }

  private static let powersOfTen: [Int64] = (0...15).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  /// Whole seconds with the fraction, rounded once where microseconds fit a Double's 53 bits.
  func adding(toSeconds seconds: Int64) -> Double {
    guard fractionDigits > 0 else { return Double(seconds) }
    if fractionDigits <= 6 {
      let (scaled, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
      let microseconds = scaled &+ fraction * Self.powersOfTen[6 - fractionDigits]
      if !overflows, microseconds.magnitude < 1 << 53 { return Double(microseconds) / 1_000_000 }
    }
    return Double(seconds) + Double(fraction) / Double(Self.powersOfTen[fractionDigits])
  }
}
