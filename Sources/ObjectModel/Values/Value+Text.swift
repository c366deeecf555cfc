import Foundation

extension Value {
  /// The value as plain text: numbers in decimal, `true` and `false`, dates to the second in ISO 8601, bytes as base64;
  /// empty for null and composites. Where some kinds are shown in another way, they are handled first.
  package var plainText: String {
    switch self {
    case .null, .composite: ""
    case .integer(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .double(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .string(let text): text
    case .date(let date): date.formatted(.iso8601)
    case .data(let data): data.base64EncodedString()
    case .uuid(let uuid): uuid.uuidString
    case .uri(let url): url.absoluteString
    }
  }
}
