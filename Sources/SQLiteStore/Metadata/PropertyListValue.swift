/// A value of a binary property list.
public enum PropertyListValue: Sendable, Hashable {
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case string(String)
  case data([UInt8])
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

  /// The string, nil for another kind.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The integer, nil for another kind.
  public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The bytes, nil for another kind.
  public var dataValue: [UInt8]? { if case .data(let value) = self { value } else { nil } }
  /// The elements, nil for another kind.
  public var arrayValue: [PropertyListValue]? { if case .array(let value) = self { value } else { nil } }
  /// The entries, nil for another kind.
  public var dictionaryValue: [String: PropertyListValue]? {
    if case .dictionary(let value) = self { value } else { nil }
  }
}
