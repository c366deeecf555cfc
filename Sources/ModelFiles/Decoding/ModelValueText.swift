import Foundation
import ObjectModel

/// The text form that values have in model files.
enum ModelValueText {
  /// A default value; nil when the text is not a value of the type. Dates are seconds since 2001-01-01T00:00:00Z.
  static func defaultValue(_ text: String, _ type: AttributeType) -> Value? {
    switch type {
    case .integer16, .integer32, .integer64: integer(digits(text), type).map(Value.integer)
    case .decimal: decimal(digits(text)).map(Value.decimal)
    case .double: double(digits(text)).map(Value.double)
    case .float: float(digits(text)).map { Value.double(Double($0)) }
    case .string: .string(text)
    case .boolean: boolean(text).map(Value.boolean)
    case .date: double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid: UUID(uuidString: text).map(Value.uuid)
    case .uri: URL(string: text).map(Value.uri)
    case .undefined: .string(text)
    case .binary, .transformable, .objectID, .composite: nil
    }
  }

  /// A minimum or maximum: the length for a string, else a value of the type.
  static func bound(_ text: String, _ type: AttributeType) -> Value? {
    switch type {
    case .string: integer(text, .integer64).flatMap { $0 < 0 ? nil : .integer($0) }
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .date: defaultValue(text, type)
    default: nil
    }
  }

  /// The words for Booleans as digits. They stay in the model when a Boolean becomes a number, and Xcode's compiler
  /// reads them so.
  private static func digits(_ text: String) -> String {
    switch text {
    case "YES": "1"
    case "NO": "0"
    default: text
    }
  }

  /// Why a text that is no value of the type is left out and no mistake: attributes of the type take no value, so that
  /// it is left from another type, or it is a number that the type cannot hold. Nil where it is a mistake.
  static func reasonToLeaveOut(_ text: String, _ type: AttributeType, isBound: Bool) -> String? {
    let takesNone: Bool
    switch type {
    case .binary, .transformable, .objectID, .composite: takesNone = true
    case .undefined, .boolean, .uuid, .uri: takesNone = isBound
    default: takesNone = false
    }
    if takesNone { return "attributes of type \(type.name) take none" }
    switch type {
    case .integer16, .integer32, .integer64, .float, .double, .decimal:
      return isNumber(text[...]) && Double(text) != nil ? "it does not fit into \(type.name)" : nil
    default:
      return nil
    }
  }

  static func hint(for type: AttributeType) -> String {
    switch type {
    case .integer16, .integer32, .integer64: "write a whole number in the range of the type"
    case .decimal, .double, .float: "write a finite number with a decimal point, such as 1.5"
    case .boolean: "write YES or NO"
    case .date: "write seconds since 2001-01-01T00:00:00Z"
    case .uuid: "write a UUID such as 8D8AC610-566D-4EF0-9C22-186B2A5ED793"
    case .uri: "write a URI such as https://example.org"
    case .string: "write a length of 0 or more"
    default: "attributes of this type take no such value; remove it"
    }
  }

  /// Whole numbers, also as Xcode may write them with a fraction of zeros ("0.0").
  private static func integer(_ text: String, _ type: AttributeType) -> Int64? {
    var digits = Substring(text)
    if let point = digits.firstIndex(of: "."), digits[digits.index(after: point)...].allSatisfy({ $0 == "0" }) {
      digits = digits[..<point]
    }
    guard isNumber(digits), let number = Int64(digits) else { return nil }
    switch type {
    case .integer16: return Int16(exactly: number).map(Int64.init)
    case .integer32: return Int32(exactly: number).map(Int64.init)
    default: return number
    }
  }

  private static func double(_ text: String) -> Double? {
    guard isNumber(text[...]), let number = Double(text), number.isFinite else { return nil }
    return number
  }

  private static func float(_ text: String) -> Float? {
    guard isNumber(text[...]), let number = Float(text), number.isFinite else { return nil }
    return number
  }

  private static func decimal(_ text: String) -> Decimal? {
    guard isNumber(text[...]), let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
      number.isFinite
    else { return nil }
    return number
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text {
    case "YES", "1", "true": true
    case "NO", "0", "false": false
    default: nil
    }
  }

  /// Decimal digits with sign, point and exponent; the standard library would also take "0x1p3", "inf" and "nan".
  private static func isNumber(_ text: Substring) -> Bool {
    text.contains(where: \.isASCIIDigit)
      && text.allSatisfy { $0.isASCIIDigit || $0 == "+" || $0 == "-" || $0 == "." || $0 == "e" || $0 == "E" }
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
