import Foundation

extension PropertyListValue {
  /// A value as Swift and Foundation have it; nil for what no property list has.
  package init?(plainValue value: Any) {
    // Casts make numbers of truth values, and integers of doubles without a fraction: so what it is comes first.
    if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
      guard let own = Self.number(number) else { return nil }
      self = own
      return
    }
    switch value {
    case let text as String: self = .string(text)
    case let flag as Bool where type(of: value) == Bool.self: self = .boolean(flag)
    case let number as Double where type(of: value) == Double.self: self = .real(number)
    case let number as Float where type(of: value) == Float.self: self = .real(Double(number))
    case let number as any BinaryInteger:
      guard let own = Self.number(number) else { return nil }
      self = own
    case let date as Date: self = .date(date)
    case let data as Data: self = .data(data)
    case let array as [Any]:
      let elements = array.compactMap { PropertyListValue(plainValue: $0) }
      guard elements.count == array.count else { return nil }
      self = .array(elements)
    case let dictionary as [String: Any]:
      let entries = dictionary.compactMapValues { PropertyListValue(plainValue: $0) }
      guard entries.count == dictionary.count else { return nil }
      self = .dictionary(entries)
    default: return nil
    }
  }

  /// Nil beyond 64 bits.
  private static func number(_ number: some BinaryInteger) -> PropertyListValue? {
    Int64(exactly: number).map { .integer($0) } ?? UInt64(exactly: number).map { .unsigned($0) }
  }

  private static func number(_ number: NSNumber) -> PropertyListValue? {
    // Safety: the text is a constant of the class.
    switch unsafe String(cString: number.objCType) {
    // Truth values have the type of a character, too.
    case "c" where number == 0 || number == 1, "B": .boolean(number.boolValue)
    case "f", "d": .real(number.doubleValue)
    case "Q", "L": Self.number(number.uint64Value)
    default: .integer(number.int64Value)
    }
  }
}
