package import Foundation

/// Numbers as they are written in decimal, where a Double would lose digits.
package enum ExactNumber {
  /// The most digits that a `Decimal` surely holds.
  static let digits = 38
  /// The number of digits that a Double always gives back.
  private static let doubleDigits = 15

  /// The number in a text that `ParsedNumber` reads; nil where a `Decimal` does not hold all of it.
  static func decimal(_ text: String) -> Decimal? {
    guard significantDigits(text.utf8) <= digits,
      let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), value.isFinite
    else { return nil }
    return value
  }

  /// The number in a text with more digits than a Double surely keeps; nil for other numbers.
  package static func longDecimal(_ text: String) -> Decimal? {
    significantDigits(text.utf8) > doubleDigits ? decimal(text) : nil
  }

  /// How many digits a number has from its first one that is not zero, before an exponent.
  static func significantDigits(_ text: some Sequence<UInt8>) -> Int {
    var count = 0
    for byte in text {
      if byte | 0x20 == UInt8(ascii: "e") { break }
      let isDigit = byte &- UInt8(ascii: "0") < 10
      if isDigit, count > 0 || byte != UInt8(ascii: "0") { count += 1 }
    }
    return count
  }

  /// The simplest value that is the number: an integer, a Double, or itself.
  package static func value(_ decimal: Decimal) -> RecordExpressionValue {
    let text = "\(decimal)"
    switch ParsedNumber.read(text) {
    case .integer(let integer): return .integer(integer)
    case .double(let double) where Self.decimal("\(double)") == decimal: return .double(double)
    case .double, .outOfRange, .notANumber: return .decimal(decimal)
    }
  }
}

extension RecordExpressionValue {
  /// The number, as exact as it is written.
  func asExactNumber() throws(RecordExpressionFailure) -> RecordExpressionValue {
    switch self {
    case .decimal: return self
    case .string(let text):
      if case .double = ParsedNumber.read(text), let exact = ExactNumber.longDecimal(text) {
        return ExactNumber.value(exact)
      }
      return try asNumber().value
    default: return try asNumber().value
    }
  }
}

extension RecordExpression.Function {
  /// The number with so many digits behind the point, halves away from zero; digits below zero round whole numbers.
  static func rounded(
    _ value: RecordExpressionValue, _ digits: RecordExpressionValue?
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    guard case .integer(let places) = try (digits ?? .integer(0)).asNumber(), (-18...15).contains(places) else {
      throw RecordExpressionFailure(
        code: "expression.bad-argument", message: "the digits of round() must be a whole number from -18 to 15")
    }
    let number = try value.asExactNumber()
    let text = try number.asText()
    switch number {
    case .integer where places >= 0: return number
    // From here on a Double has no fraction.
    case .double(let double) where double.magnitude >= 0x1p53 && places >= 0: return number
    default: break
    }
    // As written in decimal: 2.675 is a little less than that in binary.
    guard let written = ExactNumber.decimal(text) else { return number }
    var exact = written.magnitude
    var result = Decimal()
    unsafe NSDecimalRound(&result, &exact, Int(places), .plain)
    if written < 0 { result.negate() }
    if case .integer = number, case .decimal = ExactNumber.value(result) { throw .overflow("round(\(text))") }
    return ExactNumber.value(result)
  }
}
