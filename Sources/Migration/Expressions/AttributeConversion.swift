import Foundation
import ObjectModel

/// Converts a value whose attribute has another type in the newer model: a number stays the same number or is refused,
/// other values keep their type.
enum AttributeConversion {
  private static let numbers: Set<AttributeType> = [
    .integer16, .integer32, .integer64, .boolean, .decimal, .double, .float,
  ]

  /// Whether values of a type can become values of another, as far as their types say it.
  static func isPossible(from: AttributeType, to: AttributeType) -> Bool {
    from == to || from == .undefined || to == .undefined || numbers.contains(from) && numbers.contains(to)
  }

  /// The value of an attribute.
  /// - Throws: `MigrationError` for one that the attribute cannot have.
  static func value(_ value: Value, for attribute: AttributeDefinition) throws(MigrationError) -> Value {
    guard let converted = attribute.converted(value), fits(converted, attribute.type) else {
      throw MigrationError(
        .value, "\(shown(value)) cannot become a value of the type \(attribute.type.name)",
        hint: "numbers must stay the same; compute anything else in a function of a migration policy")
    }
    return converted
  }

  private static func fits(_ value: Value, _ type: AttributeType) -> Bool {
    guard case .integer(let number) = value else { return true }
    return switch type {
    case .integer16: Int16(exactly: number) != nil
    case .integer32: Int32(exactly: number) != nil
    default: true
    }
  }

  private static func shown(_ value: Value) -> String {
    switch value {
    case .string(let text): "the text \"\(text.prefix(40))\""
    case .data(let data): "\(data.count) bytes"
    default: "\(value)"
    }
  }
}
