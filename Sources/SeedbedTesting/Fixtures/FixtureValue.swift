import Pipelines
import Seedbed

/// Values of attributes out of JSON, in the forms in which stores are dumped.
enum FixtureValue {
  /// A JSON value that is no object and no array.
  enum Scalar {
    case boolean(Bool)
    /// A number as it is written, with all its digits.
    case number(String)
    case string(String)
  }

  /// The value of an attribute; nil where the JSON is not of its type.
  static func value(_ scalar: Scalar, _ type: AttributeType) -> Value? {
    switch (type, scalar) {
    case (.integer16, .number(let text)), (.integer32, .number(let text)), (.integer64, .number(let text)):
      Int64(text).map { .integer($0) }
    case (.boolean, .boolean(let flag)): .boolean(flag)
    case (.double, _), (.float, _): real(scalar).map { .double($0) }
    case (.decimal, .number(let text)), (.decimal, .string(let text)):
      decimal(text).map { .decimal($0) }
    case (.string, .string(let text)): .string(text)
    case (.date, .string(let text)) where DateParser.iso8601.parse(text) != nil:
      DateParser.iso8601.parse(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.date, _): real(scalar).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.binary, .string(let text)), (.transformable, .string(let text)):
      Data(base64Encoded: text).map { .data($0) }
    case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
    case (.uri, .string(let text)): URL(string: text).map { .uri($0) }
    default: nil
    }
  }

  /// `Decimal(string:)` alone reads the beginning of anything.
  private static func decimal(_ text: String) -> Decimal? {
    let form = #/[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?/#
    guard text.wholeMatch(of: form) != nil else { return nil }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).flatMap { $0.isNaN ? nil : $0 }
  }

  private static func real(_ scalar: Scalar) -> Double? {
    switch scalar {
    case .number(let text): Double(text)
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: nil
    }
  }

  /// The written form of a type, for messages.
  static func form(_ type: AttributeType) -> String {
    switch type {
    case .integer16, .integer32, .integer64: "a whole number"
    case .double, .float, .decimal: "a number"
    case .boolean: "true or false"
    case .string: "a text"
    case .date: "an ISO 8601 date in UTC, or seconds since 2001"
    case .binary: "base64"
    case .transformable: "an object whose \"base64\" has the stored bytes"
    case .uuid: "a UUID"
    case .uri: "a URI"
    case .composite: "an object"
    case .undefined, .objectID: "nothing: attributes of this type have no form in JSON"
    }
  }
}
