import Foundation

extension ArchivedContent {
  /// The content of a Swift value: texts, numbers, Booleans, dates, bytes, UUIDs, URLs, `NSNull`, and arrays, sets and
  /// dictionaries with text keys of these; Foundation's classes for them too.
  /// - Throws: `ArchiveContentError` for a value of another type.
  public init(_ value: Any) throws(ArchiveContentError) {
    switch value {
    case let content as ArchivedContent: self = content
    case is NSNull: self = .null
    case let text as String: self = .string(text)
    // Before other numbers, which they would be cast to.
    case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
    case let number as NSNumber where type(of: value) is NSNumber.Type: self = Self.number(number)
    case let number as Decimal: self = .decimal(number)
    case let flag as Bool: self = .boolean(flag)
    case let number as any BinaryInteger:
      guard let number = Int64(exactly: number) else { throw ArchiveContentError("\(number) does not fit 64 bits") }
      self = .integer(number)
    case let number as Double: self = .real(number)
    case let number as Float: self = .real(Double(number))
    case let date as Date: self = .date(date)
    case let bytes as Data: self = .data(bytes)
    case let uuid as UUID: self = .uuid(uuid)
    case let url as URL: self = .url(url.absoluteString)
    default: self = try Self.collection(value)
    }
  }

  private static func collection(_ value: Any) throws(ArchiveContentError) -> ArchivedContent {
    switch value {
    case let elements as [Any]: return .list(try contents(elements))
    case let elements as Set<AnyHashable>:
      // Sets have no order, and equal sets are to have equal archives.
      let contents = try contents(elements.map(\.base))
      return .set(contents.sorted { "\($0)" < "\($1)" })
    case let entries as [String: Any]:
      var contents: [Entry] = []
      for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
        contents.append(Entry(key: key, value: try ArchivedContent(value)))
      }
      return .dictionary(contents)
    default: return try foundation(value)
    }
  }

  private static func foundation(_ value: Any) throws(ArchiveContentError) -> ArchivedContent {
    switch value {
    case let text as NSString: return .string(String(describing: text))
    case let date as NSDate: return .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
    case let bytes as NSData: return .data(Data(referencing: bytes))
    case let uuid as NSUUID: return UUID(uuidString: uuid.uuidString).map { .uuid($0) } ?? .null
    case let url as NSURL: return .url(url.absoluteURL?.absoluteString ?? "")
    case let elements as NSArray: return .list(try contents(elements.map { $0 }))
    case let elements as NSSet: return .set(try contents(elements.allObjects).sorted { "\($0)" < "\($1)" })
    case let entries as NSDictionary:
      guard let keys = entries.allKeys as? [String] else {
        throw ArchiveContentError("a dictionary whose keys are no texts cannot be archived")
      }
      var contents: [Entry] = []
      for key in keys.sorted() {
        contents.append(Entry(key: key, value: try ArchivedContent(entries.object(forKey: key) ?? NSNull())))
      }
      return .dictionary(contents)
    default: throw ArchiveContentError("a value of the type \(type(of: value)) cannot be archived")
    }
  }

  private static func number(_ number: NSNumber) -> ArchivedContent {
    // Safety: the type is a C string that is never empty and lives at least as long as the number.
    switch unsafe UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): .real(number.doubleValue)
    case UInt8(ascii: "c"), UInt8(ascii: "B"): .boolean(number.boolValue)
    default: .integer(number.int64Value)
    }
  }

  private static func contents(_ values: [Any]) throws(ArchiveContentError) -> [ArchivedContent] {
    var contents: [ArchivedContent] = []
    for value in values { contents.append(try ArchivedContent(value)) }
    return contents
  }

  /// The content as Swift has it: `String`, `Int`, `Double`, `Bool`, `Decimal`, `Date`, `Data`, `UUID`, `URL`,
  /// `NSNull`, `[Any]`, `Set<AnyHashable>`, `[String: Any]`.
  public var anyValue: Any {
    switch self {
    case .null: NSNull()
    case .boolean(let flag): flag
    case .integer(let number): Int(number)
    case .real(let number): number
    case .decimal(let number): number
    case .string(let text): text
    case .date(let date): date
    case .data(let bytes): bytes
    case .uuid(let uuid): uuid
    case .url(let text): URL(string: text).map { $0 as Any } ?? text
    case .list(let elements): elements.map(\.anyValue)
    case .set(let elements): Set(elements.map(\.hashable))
    case .dictionary(let entries):
      Dictionary(entries.map { ($0.key, $0.value.anyValue) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The content as an element of a set; collections of `Any` have no hash.
  private var hashable: AnyHashable {
    switch self {
    case .list(let elements): AnyHashable(elements.map(\.hashable))
    case .dictionary(let entries):
      AnyHashable(Dictionary(entries.map { ($0.key, $0.value.hashable) }, uniquingKeysWith: { first, _ in first }))
    default: (anyValue as? AnyHashable) ?? AnyHashable(self)
    }
  }
}
