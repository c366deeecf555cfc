import Foundation

extension PropertyListValue {
  /// A value as Swift and Foundation have it; nil for what no property list has.
  package init?(plainValue value: Any) {
    switch value {
    case let text as String: self = .string(text)
    // Before numbers, since Apple's systems take a truth value for one.
    case let flag as Bool where type(of: value) == Bool.self: self = .boolean(flag)
    case let number as Int: self = .integer(Int64(number))
    case let number as Int64: self = .integer(number)
    case let number as Double: self = .real(number)
    case let date as Date: self = .date(date)
    case let data as Data: self = .data(data)
    case let number as NSNumber: self = Self.number(number)
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

  private static func number(_ number: NSNumber) -> PropertyListValue {
    // Safety: the text is a constant of the class.
    switch unsafe String(cString: number.objCType) {
    case "c", "B": .boolean(number.boolValue)
    case "f", "d": .real(number.doubleValue)
    default: .integer(number.int64Value)
    }
  }
}
