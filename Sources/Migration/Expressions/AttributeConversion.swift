import Foundation
import ObjectModel
import Predicates

/// Converts a value whose attribute has another type in the newer model: a number stays the same number or is refused,
/// other values keep their type. Only a fraction may become the nearest one that the type has.
enum AttributeConversion {
  private static let numbers: Set<AttributeType> = [
    .integer16, .integer32, .integer64, .boolean, .decimal, .double, .float,
  ]

  /// Whether values of a type can become values of another, as far as their types say it.
  static func isPossible(from: AttributeType, to: AttributeType) -> Bool {
    from == to || from == .undefined || to == .undefined || numbers.contains(from) && numbers.contains(to)
  }

  /// The value of an attribute.
  /// - Parameter type: of the expression that gives the value.
  /// - Throws: `MigrationError` for one that the attribute cannot have.
  static func value(
    _ value: Value, for attribute: AttributeDefinition, of type: MappedType
  ) throws(MigrationError) -> Value {
    // Other programs write numbers into a Float's column that no Float equals; they are read as the nearest Float.
    let isSame = attribute.type == .float && type.operand?.element == .attribute(.float)
    let isNumber = value != .null && numbers.contains(attribute.type) && !isSame
    guard let converted = isNumber ? number(value, attribute.type) : attribute.converted(value) else {
      throw MigrationError(
        .value, "\(shown(value)) cannot become a value of the type \(attribute.type.name)",
        hint: "numbers must stay the same; compute anything else in a function of a migration policy")
    }
    return converted
  }

  /// The same number as a value of another type; nil where there is none.
  private static func number(_ value: Value, _ type: AttributeType) -> Value? {
    switch value {
    case .boolean(let boolean): return number(.integer(boolean ? 1 : 0), type)
    case .integer, .double, .decimal: break
    default: return nil
    }
    switch type {
    case .boolean:
      guard let integer = Int64(attributeValue: value) else { return nil }
      return Bool(attributeValue: .integer(integer)).map { .boolean($0) }
    case .integer16: return Int16(attributeValue: value).map { .integer(Int64($0)) }
    case .integer32: return Int32(attributeValue: value).map { .integer(Int64($0)) }
    case .integer64: return Int64(attributeValue: value).map { .integer($0) }
    case .double: return double(value).map { .double($0) }
    case .float: return double(value).flatMap(float).map { .double(Double($0)) }
    case .decimal: return decimal(value).map { .decimal($0) }
    default: return nil
    }
  }

  private static func double(_ value: Value) -> Double? {
    switch value {
    case .double(let double): return double
    case .integer(let integer): return Double(exactly: integer)
    case .decimal(let decimal):
      guard let double = Double(attributeValue: value), double.isFinite || !decimal.isFinite else { return nil }
      // A fraction such as 0.1 has no double that is the same.
      return double != double.rounded() || Self.decimal(.double(double)) == decimal || !decimal.isFinite ? double : nil
    default: return nil
    }
  }

  private static func float(_ double: Double) -> Float? {
    if !double.isFinite { return Float(double) }
    if double == double.rounded() { return Float(exactly: double) }
    let float = Float(double)
    return float.isFinite && float != 0 ? float : nil
  }

  private static func decimal(_ value: Value) -> Decimal? {
    guard let decimal = Decimal(attributeValue: value) else { return nil }
    guard case .double(let double) = value else { return decimal }
    return double.isFinite && decimal.isFinite && Double(attributeValue: .decimal(decimal)) == double ? decimal : nil
  }

  private static func shown(_ value: Value) -> String {
    switch value {
    case .string(let text): "the text \"\(text.prefix(40))\""
    case .data(let data): "\(data.count) bytes"
    case .integer(let number): "the number \(number)"
    case .double(let number): "the number \(number)"
    case .decimal(let number): "the number \(number)"
    default: "\(value)"
    }
  }
}
