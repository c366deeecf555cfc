import Foundation

extension AttributeDefinition {
  /// The value as this attribute holds it, where Swift's type is not the model's: an integer for a Double or a Boolean,
  /// a double for a Decimal. Nil for a value that the attribute cannot take, such as text for a number or 0.5 for an
  /// integer; whether it is within the attribute's limits is for validation.
  package func converted(_ value: Value) -> Value? {
    if value == .null { return .null }
    switch type {
    case .integer16, .integer32, .integer64:
      if case .boolean(let boolean) = value { return .integer(boolean ? 1 : 0) }
      return Int64(attributeValue: value).map { .integer($0) }
    case .boolean:
      // Core Data takes any number.
      if let number = Double(attributeValue: value) { return .boolean(number != 0) }
      return Bool(attributeValue: value).map { .boolean($0) }
    case .double, .float: return Double(attributeValue: value).map { .double($0) }
    case .decimal: return Decimal(attributeValue: value).map { .decimal($0) }
    case .string: return value.string == nil ? nil : value
    case .date: return value.date == nil ? nil : value
    case .binary, .transformable: return value.data == nil ? nil : value
    case .uuid: return value.uuid == nil ? nil : value
    case .uri: return value.uri == nil ? nil : value
    case .composite: return value.composite == nil ? nil : value
    case .undefined, .objectID: return value
    }
  }
}
