import Foundation
package import ObjectModel
package import Pipelines

extension Value {
  /// The value as JSON, from which the very same value can be read: infinities and decimals as texts, because JSON has
  /// none of the first and its readers make doubles of the others; bytes as base64; dates in ISO 8601, or as seconds
  /// since 2001 where that is not exact.
  package var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let number): .number(String(number))
    case .boolean(let flag): .boolean(flag)
    case .double(let number):
      number.isFinite ? .double(number) : .string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    case .decimal(let number): .string(number.isNaN ? "NaN" : number.description)
    case .string(let text): .string(text)
    case .date(let date):
      StoredValueText.exactText(ofDate: date.timeIntervalSinceReferenceDate).map { .string($0) }
        ?? Value.double(date.timeIntervalSinceReferenceDate).json
    case .data(let data): .string(data.base64EncodedString())
    case .uuid(let uuid): .string(uuid.uuidString)
    case .uri(let url): .string(url.absoluteString)
    case .composite(let elements): .object(elements.sortedByCodePoint(\.key).map { ($0.key, $0.value.json) })
    }
  }
}
