import Foundation
public import ObjectModel

extension FetchExpression.CastType {
  /// The value as this type; missing where it cannot be one.
  public func convert(_ value: Value) -> Value {
    if value.isMissing { return .null }
    switch self {
    case .number: return Self.number(value)
    case .decimalNumber: return Self.decimal(value)
    case .string: return Self.text(of: value).map { .string($0) } ?? .null
    case .date:
      return Self.number(value).real.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
    case .uuid: return Self.uuid(value)
    case .url:
      if case .string(let text) = value { return URL(string: text).map { .uri($0) } ?? .null }
      if case .uri = value { return value }
      return .null
    case .data:
      if case .string(let text) = value { return Data(base64Encoded: text).map { .data($0) } ?? .null }
      if case .data = value { return value }
      return .null
    }
  }

  private static func number(_ value: Value) -> Value {
    switch value {
    case .integer, .boolean, .double, .decimal: return value
    case .date(let date): return .double(date.timeIntervalSinceReferenceDate)
    case .string(let text):
      if let integer = Int64(text) { return .integer(integer) }
      return isNumberText(text) ? Double(text).map { .double($0) } ?? .null : .null
    default: return .null
    }
  }

  private static func decimal(_ value: Value) -> Value {
    switch value {
    case .decimal: return value
    case .integer(let integer): return .decimal(Decimal(integer))
    case .boolean(let flag): return .decimal(flag ? 1 : 0)
    case .double, .date:
      guard let real = value.real, real.isFinite else { return .null }
      return Decimal(string: real.description).map { .decimal($0) } ?? .null
    case .string(let text):
      guard isNumberText(text), let number = Decimal(string: text), !number.isNaN else { return .null }
      return .decimal(number)
    default: return .null
    }
  }

  /// Digits with an optional sign, fraction and exponent: no hexadecimal numbers, no names.
  private static func isNumberText(_ text: String) -> Bool {
    let allowed = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
    }
    return allowed && (Double(text)?.isFinite ?? false)
  }

  static func text(of value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .uri(let url): url.absoluteString
    case .uuid(let uuid): uuid.uuidString
    case .integer(let integer): String(integer)
    case .boolean(let flag): flag ? "1" : "0"
    case .decimal(let number): number.description
    case .double(let number): shortest(number)
    case .date(let date): shortest(date.timeIntervalSinceReferenceDate)
    case .null, .data, .composite: nil
    }
  }

  private static func shortest(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? number.description
  }

  private static func uuid(_ value: Value) -> Value {
    switch value {
    case .uuid: return value
    case .string(let text): return UUID(uuidString: text).map { .uuid($0) } ?? .null
    case .data(let data) where data.count == 16:
      let bytes = Array(data)
      return .uuid(
        UUID(
          uuid: (
            bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
            bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
          )))
    default: return .null
    }
  }
}
