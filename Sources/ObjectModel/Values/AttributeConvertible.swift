public import Foundation

/// A Swift type whose values attributes hold: text, numbers, booleans, dates, bytes, UUIDs and URLs.
public protocol AttributeConvertible {
  /// The value as an object holds it.
  var attributeValue: Value { get }
  /// A value that an object holds; nil for null, for a value of another kind, and for a number that does not fit the
  /// type.
  init?(attributeValue: Value)
}

extension String: AttributeConvertible {
  /// A value with this text.
  public var attributeValue: Value { .string(self) }
  /// Nil for anything but text.
  public init?(attributeValue: Value) {
    guard case .string(let text) = attributeValue else { return nil }
    self = text
  }
}

extension Bool: AttributeConvertible {
  /// A value with this boolean.
  public var attributeValue: Value { .boolean(self) }
  /// Nil for anything but a boolean, 0 and 1.
  public init?(attributeValue: Value) {
    switch attributeValue {
    case .boolean(let boolean): self = boolean
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension AttributeConvertible where Self: FixedWidthInteger {
  /// An integer; a decimal where it does not fit 64 bits with a sign.
  public var attributeValue: Value {
    if let integer = Int64(exactly: self) { return .integer(integer) }
    return Decimal(string: description).map { .decimal($0) } ?? .null
  }
  /// Nil for anything but a whole number that fits, and for a boolean.
  public init?(attributeValue: Value) {
    switch attributeValue {
    case .integer(let integer): self.init(exactly: integer)
    case .double(let double): self.init(exactly: double)
    case .decimal(let decimal): self.init("\(decimal)")
    default: return nil
    }
  }
}

extension Int: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension UInt: AttributeConvertible {}
extension UInt8: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt32: AttributeConvertible {}
extension UInt64: AttributeConvertible {}

extension Double: AttributeConvertible {
  /// A value with this double.
  public var attributeValue: Value { .double(self) }
  /// Nil for anything but a number. A decimal becomes the nearest double.
  public init?(attributeValue: Value) {
    switch attributeValue {
    case .double(let double): self = double
    case .integer(let integer): self = Double(integer)
    case .decimal(let decimal): self = Double("\(decimal)") ?? .nan
    default: return nil
    }
  }
}

extension Float: AttributeConvertible {
  /// A double, widened exactly.
  public var attributeValue: Value { .double(Double(self)) }
  /// Nil for anything but a number, which becomes the nearest Float.
  public init?(attributeValue: Value) {
    guard let double = Double(attributeValue: attributeValue) else { return nil }
    self = Float(double)
  }
}

extension CGFloat: AttributeConvertible {
  /// A value with this number as a double.
  public var attributeValue: Value { .double(Double(self)) }
  /// Nil for anything but a number.
  public init?(attributeValue: Value) {
    guard let double = Double(attributeValue: attributeValue) else { return nil }
    self = CGFloat(double)
  }
}

extension Decimal: AttributeConvertible {
  /// A value with this decimal.
  public var attributeValue: Value { .decimal(self) }
  /// Nil for anything but a number. A double becomes the shortest decimal that is the same double.
  public init?(attributeValue: Value) {
    switch attributeValue {
    case .decimal(let decimal): self = decimal
    case .integer(let integer): self = Decimal(integer)
    case .double(let double):
      guard let decimal = Decimal(string: "\(double)") else { return nil }
      self = decimal
    default: return nil
    }
  }
}

extension Date: AttributeConvertible {
  /// A value with this date.
  public var attributeValue: Value { .date(self) }
  /// Nil for anything but a date.
  public init?(attributeValue: Value) {
    guard case .date(let date) = attributeValue else { return nil }
    self = date
  }
}

extension Data: AttributeConvertible {
  /// A value with these bytes.
  public var attributeValue: Value { .data(self) }
  /// Nil for anything but bytes.
  public init?(attributeValue: Value) {
    guard case .data(let data) = attributeValue else { return nil }
    self = data
  }
}

extension UUID: AttributeConvertible {
  /// A value with this UUID.
  public var attributeValue: Value { .uuid(self) }
  /// Nil for anything but a UUID.
  public init?(attributeValue: Value) {
    guard case .uuid(let uuid) = attributeValue else { return nil }
    self = uuid
  }
}

extension URL: AttributeConvertible {
  /// A value with this URI.
  public var attributeValue: Value { .uri(self) }
  /// Nil for anything but a URI.
  public init?(attributeValue: Value) {
    guard case .uri(let url) = attributeValue else { return nil }
    self = url
  }
}
