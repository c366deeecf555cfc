import Foundation

/// Values as key-value coding has them: of any type.
extension Value {
  /// What `value(forKey:)` gives: numbers and booleans as `NSNumber`, for `as? Int`, `as? Double` or `as? Bool`;
  /// decimals as `NSDecimalNumber`, for `as? Decimal`; a composite as a dictionary.
  package var anyValue: Any? {
    switch self {
    case .null: nil
    case .integer(let integer): NSNumber(value: integer)
    case .boolean(let boolean): NSNumber(value: boolean)
    case .double(let double): NSNumber(value: double)
    case .decimal(let decimal): NSDecimalNumber(decimal: decimal)
    case .string(let text): text
    case .date(let date): date
    case .data(let data): data
    case .uuid(let uuid): uuid
    case .uri(let uri): uri
    case .composite(let elements): elements.compactMapValues(\.anyValue)
    }
  }

  /// The value that `setValue(_:forKey:)` is given; nil for one of a type that no attribute has.
  package init?(anyValue: Any?) {
    switch anyValue {
    case nil, is NSNull: self = .null
    case let value as Value: self = value
    // Before `NSNumber`, which it is too.
    case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
    case let value as any AttributeConvertible: self = value.attributeValue
    case let number as NSNumber: self = Value(number)
    case let text as NSString: self = .string(String(describing: text))
    case let date as NSDate: self = .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
    case let data as NSData: self = .data(Data(referencing: data))
    case let uuid as NSUUID:
      guard let uuid = UUID(uuidString: uuid.uuidString) else { return nil }
      self = .uuid(uuid)
    case let url as NSURL:
      guard let url = url.absoluteURL else { return nil }
      self = .uri(url)
    case let elements as [String: Any?]:
      var values: [String: Value] = [:]
      for (name, element) in elements {
        guard let value = Value(anyValue: element) else { return nil }
        values[name] = value
      }
      self = .composite(values)
    default: return nil
    }
  }

  private init(_ number: NSNumber) {
    // Safety: the type is a C string that is never empty and lives at least as long as the number.
    switch unsafe UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
    case UInt8(ascii: "Q"): self = number.uint64Value.attributeValue
    default: self = .integer(number.int64Value)
    }
  }
}
