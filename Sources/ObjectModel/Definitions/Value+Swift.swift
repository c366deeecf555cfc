public import Foundation

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral
{
  /// A value with the text of a literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A value with the integer of a literal.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A value with the double of a literal.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A value with the boolean of a literal.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// The payload of each case; nil where the value is of another.
extension Value {
  /// The integer of an `integer` value.
  public var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
  /// The boolean of a `boolean` value.
  public var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }
  /// The double of a `double` value.
  public var double: Double? { if case .double(let double) = self { double } else { nil } }
  /// The decimal of a `decimal` value.
  public var decimal: Decimal? { if case .decimal(let decimal) = self { decimal } else { nil } }
  /// The text of a `string` value.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The date of a `date` value.
  public var date: Date? { if case .date(let date) = self { date } else { nil } }
  /// The bytes of a `data` value.
  public var data: Data? { if case .data(let data) = self { data } else { nil } }
  /// The UUID of a `uuid` value.
  public var uuid: UUID? { if case .uuid(let uuid) = self { uuid } else { nil } }
  /// The URI of a `uri` value.
  public var uri: URL? { if case .uri(let uri) = self { uri } else { nil } }
  /// The elements of a composite by name.
  public var composite: [String: Value]? { if case .composite(let elements) = self { elements } else { nil } }
}

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
