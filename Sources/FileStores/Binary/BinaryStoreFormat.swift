public import Foundation
public import MemoryStore
public import ObjectModel
public import PropertyLists
public import StoreInterface

/// A store in one compact binary file, in a format of this package.
///
/// Apple's binary stores are keyed archives of private classes of its framework, which nothing else can read or write;
/// a file of one is refused as no store. This format:
///
/// ```
/// 8 bytes   "SeedBinS"
/// 4 bytes   version, little-endian: 1
/// 8 bytes   length of the body, little-endian
/// n bytes   body
/// 32 bytes  SHA-256 over all before
/// ```
///
/// The body is a sequence of little-endian base-128 numbers and length-prefixed bytes: the store's UUID, the metadata,
/// the names of entities and their stored properties, the next primary keys, the objects, the members of to-many
/// relationships. Objects name their properties by position in those lists of names.
public struct BinaryStoreFormat: AtomicStoreFormat {
  /// The name of the type in Core Data's metadata.
  public var storeType: String { "Binary" }
  /// Keys belong to an entity's hierarchy, as in SQLite stores.
  public var givesKeysStoreWide: Bool { false }

  static let magic = Data("SeedBinS".utf8)
  static let version: UInt32 = 1
  static let headerByteCount = 20
  static let checksumByteCount = 32

  /// The format; `.binary` reads better.
  public init() {}

  /// Whether the file begins with the format's magic bytes.
  public func recognizes(_ start: Data) -> Bool { start.starts(with: Self.magic) }

  /// Reads a whole file. Its length and its checksum are compared before anything else.
  public func read(_ file: Data, model: ManagedObjectModel) throws(StoreError) -> StoreContents {
    var reader = BinaryReader(try Self.body(of: file))
    return try reader.contents(model)
  }

  /// The metadata at the body's start, with the UUID. Length and checksum of the file are compared first.
  public func metadata(of file: Data) throws(StoreError) -> [String: PropertyListValue] {
    var reader = BinaryReader(try Self.body(of: file))
    let (identifier, metadata) = try reader.head()
    return metadata.merging([StoreMetadataKey.storeUUID: .string(identifier.uuidString)]) { $1 }
  }

  /// Makes a whole file.
  public func write(_ contents: StoreContents, model: ManagedObjectModel) throws(StoreError) -> Data {
    var writer = BinaryWriter()
    writer.append(contents, model)
    var file = Self.magic
    Self.append(UInt64(Self.version), byteCount: 4, to: &file)
    Self.append(UInt64(writer.bytes.count), byteCount: 8, to: &file)
    file += writer.bytes
    var digest = ContentDigest()
    digest.update(file)
    return file + digest.finalize()
  }

  private static func body(of file: Data) throws(StoreError) -> Data {
    if file.starts(with: Data("bplist".utf8)) {
      throw .failure("this is a binary store of Apple's framework, which only that framework can read")
    }
    guard file.starts(with: magic) else { throw .failure("it does not begin as a binary store does") }
    guard file.count >= headerByteCount + checksumByteCount else { throw .failure("the file ends in its header") }
    let bytes = Data(file)
    let found = number(bytes[8..<12])
    guard found == version else {
      throw .failure("the file has version \(found) of the format; this program reads version \(version)")
    }
    let length = number(bytes[12..<20])
    let expected = UInt64(bytes.count - headerByteCount - checksumByteCount)
    guard length == expected else {
      throw .failure("the file says that its body has \(length) bytes, but there are \(expected)")
    }
    let end = bytes.count - checksumByteCount
    var digest = ContentDigest()
    digest.update(bytes[..<end])
    guard digest.finalize() == bytes[end...] else { throw .failure("the file's checksum is wrong: it is damaged") }
    return bytes[headerByteCount..<end]
  }

  private static func number(_ bytes: Data) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func append(_ number: UInt64, byteCount: Int, to data: inout Data) {
    for index in 0..<byteCount { data.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
  }
}
