import Crypto
public import Foundation

/// A SHA-256 over a sequence of contents, from which identifiers are derived that depend on nothing else.
public struct ContentDigest {
  private var hasher = SHA256()

  /// The digest of nothing yet.
  public init() {}

  /// Adds bytes to the content at hand.
  public mutating func update(_ bytes: some DataProtocol) { hasher.update(data: bytes) }

  /// Adds a whole content, kept apart from its neighbours by its length.
  public mutating func update(content: some DataProtocol) {
    update(length: content.count)
    hasher.update(data: content)
  }

  /// Marks the length of a content, so that moving bytes from one content to the next changes the digest.
  public mutating func update(length: Int) {
    hasher.update(data: unsafe withUnsafeBytes(of: UInt64(length).littleEndian) { unsafe Data($0) })
  }

  /// The 32 bytes of the digest.
  public func finalize() -> Data { Data(hasher.finalize()) }

  /// A UUID made of a digest's first 16 bytes: version 8 of RFC 9562, upper case.
  public static func uuid(from digest: Data) -> String {
    var bytes = [UInt8](digest.prefix(16))
    bytes += [UInt8](repeating: 0, count: max(0, 16 - bytes.count))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    // Safety: there are 16 bytes, as a UUID has.
    return unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
  }
}
