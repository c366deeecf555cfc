/// Builds zip archives byte by byte, well made and odd ones.
public struct ZipBuilder: Sendable {
  /// A member and how it is written.
  public struct Member: Sendable {
    /// The name's bytes.
    public var name: [UInt8]
    /// What it holds.
    public var content: [UInt8]
    /// What stands in the archive; nil: the content itself, stored.
    public var deflated: [UInt8]?
    /// Another method than the one that the bytes say.
    public var method: UInt16?
    /// The general purpose flags.
    public var flags: UInt16 = 0
    /// Sizes and checksum follow the data, and the local header has none.
    public var hasDescriptor = false
    /// Sizes and offset stand in the extra field.
    public var isZip64 = false
    /// Another checksum than the content's.
    public var checksum: UInt32?
    /// Another size than the content's.
    public var size: UInt64?
    /// The name in the local header, where it is another.
    public var localName: [UInt8]?
    /// The extra field of the local header.
    public var localExtra: [UInt8] = []

    /// A member with a text.
    public init(_ name: String, _ content: String, deflated: [UInt8]? = nil) {
      self.init(name, Array(content.utf8), deflated: deflated)
    }

    /// A member with bytes.
    public init(_ name: String, _ content: [UInt8], deflated: [UInt8]? = nil) {
      self.name = Array(name.utf8)
      self.content = content
      self.deflated = deflated
    }
  }

  /// In the order in which they are written.
  public var members: [Member]
  /// The archive's comment.
  public var comment: [UInt8] = []
  /// What stands before the archive without its knowing.
  public var prefix: [UInt8] = []
  /// The end of the directory is written in both forms.
  public var isZip64 = false
  /// The number of the part that it says it is.
  public var disk: UInt16 = 0
  /// Adds to the number of entries that the end tells.
  public var countError = 0

  /// An archive of members.
  public init(_ members: [Member]) { self.members = members }

  /// The archive.
  public var bytes: [UInt8] {
    var out: [UInt8] = []
    var directory: [UInt8] = []
    for member in members {
      let offset = UInt64(out.count)
      let data = member.deflated ?? member.content
      let method = member.method ?? (member.deflated == nil ? 0 : 8)
      let flags = member.flags | (member.hasDescriptor ? 8 : 0)
      let checksum = member.checksum ?? Self.checksum(member.content)
      let size = member.size ?? UInt64(member.content.count)
      let localName = member.localName ?? member.name
      let known: (UInt64) -> UInt64 = { member.hasDescriptor ? 0 : $0 }
      out += Self.number(0x0403_4B50, 4) + Self.number(20, 2) + Self.number(UInt64(flags), 2)
      out += Self.number(UInt64(method), 2) + Self.number(0, 4) + Self.number(known(UInt64(checksum)), 4)
      out += Self.number(known(UInt64(data.count)), 4) + Self.number(known(size), 4)
      out += Self.number(UInt64(localName.count), 2) + Self.number(UInt64(member.localExtra.count), 2)
      out += localName + member.localExtra + data
      if member.hasDescriptor {
        out += Self.number(0x0807_4B50, 4) + Self.number(UInt64(checksum), 4) + Self.number(UInt64(data.count), 4)
        out += Self.number(size, 4)
      }
      let wide = Self.number(size, 8) + Self.number(UInt64(data.count), 8) + Self.number(offset, 8)
      // Another extra field comes first, as tools write it.
      let extra =
        Self.number(0x5455, 2) + Self.number(1, 2) + [0]
        + (member.isZip64 ? Self.number(1, 2) + Self.number(UInt64(wide.count), 2) + wide : [])
      let most: (UInt64) -> UInt64 = { member.isZip64 ? 0xFFFF_FFFF : $0 }
      directory += Self.number(0x0201_4B50, 4) + Self.number(45, 2) + Self.number(45, 2)
      directory += Self.number(UInt64(flags), 2) + Self.number(UInt64(method), 2) + Self.number(0, 4)
      directory += Self.number(UInt64(checksum), 4) + Self.number(most(UInt64(data.count)), 4)
      directory += Self.number(most(size), 4) + Self.number(UInt64(member.name.count), 2)
      directory += Self.number(UInt64(extra.count), 2) + Self.number(3, 2) + Self.number(0, 8)
      directory += Self.number(most(offset), 4) + member.name + extra + [0x61, 0x62, 0x63]
    }
    let start = UInt64(out.count)
    let size = UInt64(directory.count)
    let count = UInt64(members.count + countError)
    out += directory
    if isZip64 {
      let record = UInt64(out.count)
      out += Self.number(0x0606_4B50, 4) + Self.number(44, 8) + Self.number(45, 2) + Self.number(45, 2)
      out += Self.number(UInt64(disk), 4) + Self.number(0, 4) + Self.number(count, 8) + Self.number(count, 8)
      out += Self.number(size, 8) + Self.number(start, 8)
      out += Self.number(0x0706_4B50, 4) + Self.number(0, 4) + Self.number(record, 8) + Self.number(1, 4)
    }
    out += Self.number(0x0605_4B50, 4) + Self.number(UInt64(disk), 2) + Self.number(0, 2)
    out += Self.number(isZip64 ? 0xFFFF : count, 2) + Self.number(isZip64 ? 0xFFFF : count, 2)
    out += Self.number(isZip64 ? 0xFFFF_FFFF : size, 4) + Self.number(isZip64 ? 0xFFFF_FFFF : start, 4)
    return prefix + out + Self.number(UInt64(comment.count), 2) + comment
  }

  private static func number(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  /// CRC-32, bit by bit.
  public static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = ~0
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~sum
  }
}
