public import Foundation

/// A value of a property list, such as a store's metadata are made of.
public indirect enum PropertyListValue: Sendable, Hashable {
  case string(String)
  case integer(Int64)
  /// A whole number beyond those of `integer`, which stands in 16 bytes.
  case unsigned(UInt64)
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

  /// The value as Swift and Foundation have it: texts, numbers, dates, bytes, arrays and dictionaries of these. A
  /// dictionary with nothing but bytes in it is a `[String: Data]`, an array of nothing but texts a `[String]`.
  package var plainValue: any Sendable {
    switch self {
    case .string(let text): return text
    case .integer(let number): return Int(number)
    case .unsigned(let number): return UInt(number)
    case .real(let number): return number
    case .boolean(let flag): return flag
    case .date(let date): return date
    case .data(let data): return data
    case .array(let elements):
      let texts = elements.compactMap(\.stringValue)
      return texts.count == elements.count ? texts : elements.map(\.plainValue)
    case .dictionary(let entries):
      let data = entries.compactMapValues(\.dataValue)
      return data.count == entries.count ? data : entries.mapValues(\.plainValue)
    }
  }
}
