public import Foundation

/// Writes keyed archives of plain property-list classes, in the shape that `NSKeyedArchiver` gives them, so that
/// Apple's secure unarchiver reads them. Equal contents give equal bytes.
struct KeyedArchiveWriter {
  private var archive = KeyedArchiveBuilder()

  static func encode(_ content: ArchivedContent) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let root = writer.add(content)
    return writer.archive.bytes(root: root)
  }

  /// Archives an object. It stands before those that it holds, as in Apple's archives.
  private mutating func add(_ content: ArchivedContent) -> KeyedArchiveBuilder.Reference {
    switch content {
    case .boolean(let flag): return archive.add(plain: .boolean(flag))
    case .integer(let number): return archive.add(plain: .integer(number))
    case .real(let number): return archive.add(plain: .real(number))
    case .string(let text): return archive.add(string: text)
    case .data(let bytes): return archive.add(plain: .data(bytes))
    case .null: return archive.add(.null, [])
    case .date(let date): return archive.add(date: date)
    case .uuid(let uuid): return archive.add(uuid: uuid)
    case .url(let text): return archive.add(url: text)
    case .decimal(let decimal): return archive.add(decimal: decimal)
    case .list(let elements): return add(.array, of: elements)
    case .set(let elements): return add(.set, of: elements)
    case .dictionary(let entries):
      let reference = archive.reserve()
      let keys = entries.map { archive.add(string: $0.key) }
      let values = entries.map { add($0.value) }
      archive.describe(
        reference, as: .dictionary, [("NS.keys", .objects(keys)), ("NS.objects", .objects(values))])
      return reference
    }
  }

  private mutating func add(
    _ kind: ArchiveClass, of elements: [ArchivedContent]
  ) -> KeyedArchiveBuilder.Reference {
    let reference = archive.reserve()
    let members = elements.map { add($0) }
    archive.describe(reference, as: kind, [("NS.objects", .objects(members))])
    return reference
  }
}

extension ArchivedContent {
  /// The keyed archive of this content, as Apple's `NSKeyedArchiver` would have it: a set, a date or a URL as an object
  /// of their class, and texts and numbers as such. Equal contents give equal bytes.
  /// - Throws: `ArchiveContentError` for what could not be read back: a decimal that is NaN, an invalid address, and
  ///   more of anything than `init(archive:)` reads.
  public func archived() throws(ArchiveContentError) -> Data {
    let bytes = KeyedArchiveWriter.encode(self)
    guard let again = ArchivedContent(archive: bytes), again.isSame(as: self) else {
      throw ArchiveContentError("the value is too large or too deep for an archive, or a part of it has no value")
    }
    return Data(bytes)
  }

  /// Equal; NaN is the same as NaN.
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
