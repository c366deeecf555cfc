public import Foundation

/// The content of a keyed archive of plain property-list classes, such as the value of a Transformable attribute.
///
/// The classes are a fixed list: strings, numbers, dates, data, UUIDs, URLs, null, arrays, sets and dictionaries with
/// strings as keys, their mutable kinds included. Nothing is made of a class that the archive names.
public indirect enum ArchivedContent: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case decimal(Decimal)
  case string(String)
  case date(Date)
  case data(Data)
  case uuid(UUID)
  case url(String)
  case list([ArchivedContent])
  /// The elements of a set, in the order of the archive.
  case set([ArchivedContent])
  /// The entries of a dictionary, in the order of the archive.
  case dictionary([Entry])

  /// An entry of a dictionary.
  public struct Entry: Sendable, Hashable {
    /// Unique in its dictionary.
    public var key: String
    /// The value of the key.
    public var value: ArchivedContent

    /// An entry of a dictionary.
    public init(key: String, value: ArchivedContent) {
      self.key = key
      self.value = value
    }
  }

  /// The longest archive that is read, in bytes.
  public static let maximumByteCount = 4 << 20

  /// Reads an archive.
  ///
  /// Depth (64 levels), values (65,536) and bytes of text and data (four times `maximumByteCount`) are bounded, so that
  /// shared or circular objects cannot expand without end.
  /// - Returns: nil when the bytes are no keyed archive, are damaged, or hold an object of another class.
  public init?(archive bytes: [UInt8]) {
    guard bytes.count <= Self.maximumByteCount else { return nil }
    var reader = Reader()
    do {
      self = try reader.content(of: KeyedArchive(bytes).root(), depth: 0)
    } catch {
      return nil
    }
  }

  private struct Reader {
    var valuesLeft = 65_536
    var bytesLeft = 4 * ArchivedContent.maximumByteCount

    mutating func content(of value: ArchivedValue, depth: Int) throws(ArchiveError) -> ArchivedContent {
      valuesLeft -= 1
      guard valuesLeft >= 0, depth <= 64 else { throw .tooMuchWork }
      switch value {
      case .null: return .null
      case .boolean(let flag): return .boolean(flag)
      case .integer(let number): return .integer(number)
      case .real(let number): return .real(number)
      case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
      case .string(let text):
        try spend(text.utf8.count)
        return .string(text)
      case .data(let bytes):
        try spend(bytes.count)
        return .data(Data(bytes))
      case .object(let object): return try content(of: object, value, depth: depth)
      }
    }

    private mutating func content(
      of object: ArchivedObject, _ value: ArchivedValue, depth: Int
    ) throws(ArchiveError) -> ArchivedContent {
      if let decimal = try object.decimal() { return .decimal(decimal) }
      if let uuid = try object.uuid() { return .uuid(uuid) }
      if let url = try object.url() { return .url(url.absoluteString) }
      if let elements = try value.elements() {
        var list: [ArchivedContent] = []
        for element in elements { list.append(try content(of: element, depth: depth + 1)) }
        return object.kind == .set || object.kind == .mutableSet ? .set(list) : .list(list)
      }
      guard let entries = try object.entries() else {
        throw .unsupported("an object of the class \(object.shownClass) is not shown")
      }
      var contents: [Entry] = []
      for entry in entries {
        try spend(entry.key.utf8.count)
        contents.append(Entry(key: entry.key, value: try content(of: entry.value, depth: depth + 1)))
      }
      return .dictionary(contents)
    }

    private mutating func spend(_ count: Int) throws(ArchiveError) {
      bytesLeft -= count
      if bytesLeft < 0 { throw .tooMuchWork }
    }
  }
}
