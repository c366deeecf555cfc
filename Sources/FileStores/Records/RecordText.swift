import Foundation
import ObjectModel

/// Values of attributes as texts in record files, and back: reading gives exactly the written value.
enum RecordText {
  /// The text of a value; nil for none.
  static func text(_ value: Value) -> String? {
    switch value {
    case .null, .composite: nil
    case .date(let date): text(date)
    default: value.plainText
    }
  }

  /// The value of an attribute; nil when the text is none.
  static func value(_ text: String, _ type: AttributeType) -> Value? {
    switch type {
    case .integer16: Int16(text).map { .integer(Int64($0)) }
    case .integer32: Int32(text).map { .integer(Int64($0)) }
    case .integer64: StoredText.integer(text).map { .integer($0) }
    case .boolean: StoredText.boolean(text).map { .boolean($0) }
    case .double: StoredText.real(text).map { .double($0) }
    case .float: StoredText.real(text).map { .double(Double(Float($0))) }
    case .decimal: StoredText.decimal(text).map { .decimal($0) }
    case .string: .string(text)
    case .date: date(text).map { .date($0) }
    case .binary, .transformable: StoredText.data(text).map { .data($0) }
    case .uuid: UUID(uuidString: text).map { .uuid($0) }
    case .uri: StoredText.uri(text).map { .uri($0) }
    case .undefined, .objectID, .composite: nil
    }
  }

  /// ISO 8601 in UTC where that says the very moment, otherwise seconds since 2001-01-01T00:00:00Z.
  private static func text(_ date: Date) -> String {
    for style in [whole, fractional] {
      let text = date.formatted(style)
      if self.date(text) == date { return text }
    }
    return "\(date.timeIntervalSinceReferenceDate)"
  }

  private static func date(_ text: String) -> Date? {
    if let seconds = StoredText.real(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
    return (try? whole.parse(text)) ?? (try? fractional.parse(text))
  }

  private static let whole = Date.ISO8601FormatStyle()
  private static let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
