import Foundation
import ObjectModel
import Pipelines
import StoreInterface

/// Reads values of attributes from what `Value.json` makes of them.
enum ChangeValue {
  /// The value of an attribute that was read; nil where it is not of the attribute's type.
  static func value(_ content: JSONContent, of attribute: AttributeDefinition) -> Value? {
    if content == .null { return .null }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return content.integer.map { .integer($0) }
    case .boolean:
      if case .boolean(let flag) = content { return .boolean(flag) }
      return nil
    case .double: return real(content).map { .double($0) }
    case .float:
      // The text is infinity, which is written only where the changed store has it.
      if content.string != nil { return real(content).map { .double($0) } }
      return real(content).flatMap { attribute.fitting(.double($0)) }
    case .date:
      if let text = content.string, let seconds = DateParser.iso8601.parse(text) { return date(seconds) }
      return real(content).map(date)
    case .decimal: return content.string.flatMap { Decimal(string: $0) }.map { .decimal($0) }
    case .string: return content.string.map { .string($0) }
    case .binary, .transformable:
      return content.string.flatMap { Data(base64Encoded: $0) }.map { .data($0) }
    case .uuid: return content.string.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }
    case .uri: return content.string.flatMap { URL(string: $0) }.map { .uri($0) }
    case .composite:
      guard let elements = content.object else { return nil }
      var values: [String: Value] = [:]
      for (name, content) in elements {
        guard let element = attribute.composite?.elements.first(where: { $0.name == name }),
          let value = value(content, of: element)
        else { return nil }
        if value != .null { values[name] = value }
      }
      return values.isEmpty ? .null : .composite(values)
    case .undefined, .objectID: return nil
    }
  }

  private static func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

  private static func real(_ content: JSONContent) -> Double? {
    switch content {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: nil
    }
  }
}
