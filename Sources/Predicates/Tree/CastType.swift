extension FetchExpression {
  /// The types that `CAST` takes, by their names in the format language.
  ///
  /// - To a **number**: numbers and dates keep their value (a date is its seconds since 2001-01-01T00:00:00Z); text is
  ///   read as an integer or a decimal fraction with an optional exponent, whole and without blanks; anything else, and
  ///   text that is no number, is missing.
  /// - To a **string**: text stays; integers and booleans (as 0 and 1) are written in digits, other numbers as the
  ///   shortest text that reads back the same; UUIDs in upper case; anything else is missing.
  /// - To a **date**: numbers are seconds since 2001-01-01T00:00:00Z, text is read as a number first.
  /// - To a **UUID**, **URL** or **data**: from text that is one (data: Base64), or from the same kind; a UUID from 16
  ///   bytes too.
  public enum CastType: String, Sendable, Hashable, CaseIterable {
    case number = "NSNumber"
    case decimalNumber = "NSDecimalNumber"
    case string = "NSString"
    case date = "NSDate"
    case uuid = "NSUUID"
    case url = "NSURL"
    case data = "NSData"
  }
}
