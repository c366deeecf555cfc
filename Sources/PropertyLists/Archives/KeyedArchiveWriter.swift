public import Foundation

/// Writes keyed archives of plain property-list classes, in the shape that `NSKeyedArchiver` gives them, so that Apple's
/// secure unarchiver reads them. Equal contents give equal bytes.
struct KeyedArchiveWriter {
  private var list = BinaryPropertyListWriter()
  /// The archived objects, by their numbers in the property list; references count them.
  private var archived: [Int] = []
  private var classes: [String: Int] = [:]
  private var strings: [String: Int] = [:]

  static func encode(_ content: ArchivedContent) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    writer.archived.append(writer.list.add(plain: .string("$null")))
    let root = writer.list.add(uid: writer.archive(content))
    let top = writer.list.add(dictionary: [("root", root)])
    let objects = writer.list.add(array: writer.archived)
    let archiver = writer.list.add(plain: .string("NSKeyedArchiver"))
    let version = writer.list.add(plain: .integer(100_000))
    let outermost = writer.list.add(
      dictionary: [("$version", version), ("$archiver", archiver), ("$top", top), ("$objects", objects)])
    return writer.list.bytes(root: outermost)
  }

  /// Archives an object; returns its reference. An object stands before those that it holds, as in Apple's archives.
  private mutating func archive(_ content: ArchivedContent) -> Int {
    if case .string(let text) = content, let known = strings[text] { return known }
    let reference = archived.count
    archived.append(0)
    if case .string(let text) = content { strings[text] = reference }
    archived[reference] = number(of: content)
    return reference
  }

  private mutating func number(of content: ArchivedContent) -> Int {
    switch content {
    case .boolean(let flag): return list.add(plain: .boolean(flag))
    case .integer(let number): return list.add(plain: .integer(number))
    case .real(let number): return list.add(plain: .real(number))
    case .string(let text): return list.add(plain: .string(text))
    case .data(let bytes): return list.add(plain: .data(bytes))
    case .null: return object([], "NSNull")
    case .date(let date):
      return object([("NS.time", list.add(plain: .real(date.timeIntervalSinceReferenceDate)))], "NSDate")
    case .uuid(let uuid):
      let bytes = Data([
        uuid.uuid.0, uuid.uuid.1, uuid.uuid.2, uuid.uuid.3, uuid.uuid.4, uuid.uuid.5, uuid.uuid.6, uuid.uuid.7,
        uuid.uuid.8, uuid.uuid.9, uuid.uuid.10, uuid.uuid.11, uuid.uuid.12, uuid.uuid.13, uuid.uuid.14, uuid.uuid.15,
      ])
      return object([("NS.uuidbytes", list.add(plain: .data(bytes)))], "NSUUID")
    case .url(let text):
      let address = list.add(uid: archive(.string(text)))
      return object([("NS.base", list.add(uid: 0)), ("NS.relative", address)], "NSURL")
    case .decimal(let decimal): return object(fields(of: decimal), "NSDecimalNumber", "NSNumber", "NSValue")
    case .list(let elements): return object([("NS.objects", references(to: elements))], "NSArray")
    case .set(let elements): return object([("NS.objects", references(to: elements))], "NSSet")
    case .dictionary(let entries):
      let keys = references(to: entries.map { .string($0.key) })
      return object([("NS.keys", keys), ("NS.objects", references(to: entries.map(\.value)))], "NSDictionary")
    }
  }

  private mutating func references(to contents: [ArchivedContent]) -> Int {
    let references = contents.map { archive($0) }
    return list.add(array: references.map { list.add(uid: $0) })
  }

  private mutating func object(_ fields: [(key: String, value: Int)], _ names: String...) -> Int {
    let name = names[0]
    let reference: Int
    if let known = classes[name] {
      reference = known
    } else {
      reference = archived.count
      classes[name] = reference
      let all = list.add(plain: .array((names + ["NSObject"]).map { .string($0) }))
      archived.append(list.add(dictionary: [("$classes", all), ("$classname", list.add(plain: .string(name)))]))
    }
    return list.add(dictionary: fields + [("$class", list.add(uid: reference))])
  }

  /// The mantissa stands in eight words of 16 bits, the lowest first, each with its low byte first.
  private mutating func fields(of decimal: Decimal) -> [(key: String, value: Int)] {
    var words = [UInt32](repeating: 0, count: 8)
    for digit in "\(decimal.significand)".utf8 where (0x30...0x39).contains(digit) {
      var carry = UInt32(digit - 0x30)
      for index in words.indices {
        let next = words[index] * 10 + carry
        words[index] = next & 0xFFFF
        carry = next >> 16
      }
    }
    let mantissa = Data(words.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    let length = decimal.isNaN ? 0 : (words.lastIndex { $0 != 0 } ?? -1) + 1
    return [
      ("NS.exponent", list.add(plain: .integer(Int64(decimal.exponent)))),
      ("NS.length", list.add(plain: .integer(Int64(length)))),
      ("NS.negative", list.add(plain: .boolean(decimal.isNaN || decimal.isSignMinus))),
      ("NS.compact", list.add(plain: .boolean(true))),
      ("NS.mantissa.bo", list.add(plain: .integer(1))),
      ("NS.mantissa", list.add(plain: .data(mantissa))),
    ]
  }
}

extension ArchivedContent {
  /// The keyed archive of this content, as Apple's `NSKeyedArchiver` would have it: a set, a date or a URL as an object of
  /// their class, and texts and numbers as such. Equal contents give equal bytes.
  /// - Throws: `ArchiveContentError` for what could not be read back: a date, number or address that is none, and more of
  ///   anything than `init(archive:)` reads.
  public func archived() throws(ArchiveContentError) -> Data {
    let bytes = KeyedArchiveWriter.encode(self)
    guard let again = ArchivedContent(archive: bytes), again.isSame(as: self) else {
      throw ArchiveContentError("the value is too large or too deep for an archive, or a part of it has no value")
    }
    return Data(bytes)
  }

  /// Equal, numbers that are none included.
  private func isSame(as other: ArchivedContent) -> Bool {
    self == other || KeyedArchiveWriter.encode(self) == KeyedArchiveWriter.encode(other)
  }
}

/// Why a value cannot be archived.
public struct ArchiveContentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence without a period.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension ArchiveContentError: LocalizedError, CustomNSError {
  /// What is wrong.
  public var errorDescription: String? { description }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.ArchiveContentError" }
  /// Always 1.
  public var errorCode: Int { 1 }
  /// The description, under Foundation's key.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
