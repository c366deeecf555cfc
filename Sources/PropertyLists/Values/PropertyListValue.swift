public import Foundation

/// A value of a property list, such as a store's metadata are made of.
public indirect enum PropertyListValue: Sendable, Hashable {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  case date(Date)
  case data(Data)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

  /// The string, nil for another kind.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The integer, nil for another kind.
  public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The bytes, nil for another kind.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
  /// The elements, nil for another kind.
  public var arrayValue: [PropertyListValue]? { if case .array(let value) = self { value } else { nil } }
  /// The entries, nil for another kind.
  public var dictionaryValue: [String: PropertyListValue]? {
    if case .dictionary(let value) = self { value } else { nil }
  }
}
