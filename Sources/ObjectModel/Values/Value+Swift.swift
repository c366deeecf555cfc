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
