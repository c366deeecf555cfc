import Foundation
import ObjectModel

extension ModelValueText {
  /// The text that `defaultValue` and `bound` read as this value; nil for values that model files have no form for.
  /// Dates are seconds since 2001-01-01T00:00:00Z.
  static func text(_ value: Value) -> String? {
    switch value {
    case .integer(let number): String(number)
    case .boolean(let flag): flag ? "YES" : "NO"
    case .double(let number): number.isFinite ? "\(number)" : nil
    case .decimal(let number): decimal(number)
    case .string(let text): text
    case .date(let date): seconds(date.timeIntervalSinceReferenceDate)
    case .uuid(let uuid): uuid.uuidString
    case .uri(let url): url.absoluteString
    case .null, .data, .composite: nil
    }
  }

  /// Xcode gives whole decimals a fraction.
  private static func decimal(_ number: Decimal) -> String? {
    guard number.isFinite else { return nil }
    let text = "\(number)"
    return text.contains(".") ? text : text + ".0"
  }

  private static func seconds(_ seconds: Double) -> String? {
    guard seconds.isFinite else { return nil }
    return Int64(exactly: seconds).map(String.init) ?? "\(seconds)"
  }
}
