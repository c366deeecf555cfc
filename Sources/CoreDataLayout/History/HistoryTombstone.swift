import Foundation
import ObjectModel

/// The values that the history keeps of a deleted object: the bytes of each preserved value, numbers and dates as text.
enum HistoryTombstone {
  /// The value of an attribute that such bytes are; nil for bytes that are no value of the attribute's type.
  static func value(_ bytes: [UInt8], of attribute: AttributeDefinition) -> Value? {
    func text() -> String? { String(validating: bytes, as: UTF8.self) }
    return switch attribute.type {
    case .integer16, .integer32, .integer64: text().flatMap { Int64($0) }.map { .integer($0) }
    case .boolean: text().flatMap { Int64($0) }.map { .boolean($0 != 0) }
    case .double, .float: text().flatMap { Double($0) }.map { .double($0) }
    case .date: text().flatMap { Double($0) }.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal:
      text().flatMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }.map { .decimal($0) }
    case .string: text().map { .string($0) }
    case .uri: text().flatMap { URL(string: $0) }.map { .uri($0) }
    case .uuid: uuid(bytes).map { .uuid($0) }
    case .binary, .transformable, .undefined, .objectID, .composite: .data(Data(bytes))
    }
  }

  private static func uuid(_ bytes: [UInt8]) -> UUID? {
    guard bytes.count == 16 else { return nil }
    return unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
