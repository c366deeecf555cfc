/// Reads the central directory of a zip archive (APPNOTE.TXT 6.3.10).
struct ZipDirectory {
  private let file: RandomAccessFile
  /// The start of the directory, its size, and its number of entries.
  private var start: UInt64 = 0
  private var size: UInt64 = 0
  private var count: UInt64 = 0
  /// The bytes before the archive, such as a program that unpacks it: all offsets count from their end.
  private var prefix: UInt64 = 0

  /// A directory larger than this is refused: it would have millions of members.
  private static let maximumBytes = 256 << 20

  init(file: RandomAccessFile) throws(SeedFormatError) {
    self.file = file
    let head = try file.bytes(at: 0, count: 4)
    let isArchive = head.starts(with: [0x50, 0x4B])
    // The end record is 22 bytes long, and a comment of up to 65,535 may follow.
    let tailStart = file.size - min(file.size, 22 + 65_535)
    let tail = LittleEndian(try file.bytes(at: tailStart, count: Int(file.size - tailStart)))
    guard let at = Self.endRecord(tail) else {
      throw isArchive
        ? failure(
          "zip.truncated", "the zip archive's directory is missing", hint: "the file was cut off; fetch it again")
        : SeedFormatError(code: "zip.none", kind: .malformed, message: "this is no zip archive", file: file.path)
    }
    var disks: [UInt64] = [tail.number(at + 4, 2), tail.number(at + 6, 2)]
    var countHere = tail.number(at + 8, 2)
    count = tail.number(at + 10, 2)
    size = tail.number(at + 12, 4)
    start = tail.number(at + 16, 4)
    let end = tailStart + UInt64(at)
    var directoryEnd = end
    if at >= 20, tail.number(at - 20, 4) == 0x0706_4B50 {
      let stated = tail.number(at - 20 + 8, 8)
      // Where something was put before the archive, the offset is wrong, and the record ends where the locator starts.
      var place = stated
      var record = LittleEndian(try file.bytes(at: min(place, file.size), count: 56))
      if record.number(0, 4) != 0x0606_4B50, end >= 76 {
        place = end - 76
        record = LittleEndian(try file.bytes(at: place, count: 56))
      }
      guard record.number(0, 4) == 0x0606_4B50, record.count == 56 else {
        throw failure("zip.damaged", "the zip archive's zip64 directory is missing")
      }
      disks = [record.number(16, 4), record.number(20, 4)]
      countHere = record.number(24, 8)
      count = record.number(32, 8)
      size = record.number(40, 8)
      start = record.number(48, 8)
      directoryEnd = place
    }
    guard disks == [0, 0], countHere == count else {
      throw SeedFormatError(
        code: "zip.multi-disk", kind: .malformed, message: "the zip archive is one part of several",
        hint: "put the parts together first (zip -s 0 parts.zip --out whole.zip)", file: file.path)
    }
    let (known, overflows) = start.addingReportingOverflow(size)
    guard !overflows, known <= directoryEnd, size <= UInt64(Self.maximumBytes) else {
      throw failure("zip.damaged", "the zip archive's directory is not where its end says")
    }
    prefix = directoryEnd - known
    start += prefix
  }

  /// Where the end record is in the last bytes of the file: its comment must reach to the end.
  private static func endRecord(_ tail: LittleEndian) -> Int? {
    var at = tail.count - 22
    while at >= 0 {
      if tail.number(at, 4) == 0x0605_4B50, at + 22 + Int(tail.number(at + 20, 2)) == tail.count { return at }
      at -= 1
    }
    return nil
  }

  /// The members, in the order of the directory.
  func members() throws(SeedFormatError) -> [ZipArchive.Member] {
    let bytes = LittleEndian(try file.bytes(at: start, count: Int(size)))
    var members: [ZipArchive.Member] = []
    var at = 0
    while UInt64(members.count) < count {
      guard bytes.number(at, 4) == 0x0201_4B50, at + 46 <= bytes.count else { throw damaged(at) }
      let nameLength = Int(bytes.number(at + 28, 2))
      let extraLength = Int(bytes.number(at + 30, 2))
      let next = at + 46 + nameLength + extraLength + Int(bytes.number(at + 32, 2))
      guard next <= bytes.count else { throw damaged(at) }
      let rawName = bytes.bytes(at + 46, nameLength)
      let flags = UInt16(bytes.number(at + 8, 2))
      var member = ZipArchive.Member(
        name: ZipNames.text(rawName, isUTF8: flags & 0x800 != 0), compressedSize: bytes.number(at + 20, 4),
        size: bytes.number(at + 24, 4), rawName: rawName, method: UInt16(bytes.number(at + 10, 2)), flags: flags,
        checksum: UInt32(bytes.number(at + 16, 4)), disk: UInt32(bytes.number(at + 34, 2)),
        headerOffset: bytes.number(at + 42, 4))
      try widen(&member, bytes, from: at + 46 + nameLength, to: at + 46 + nameLength + extraLength)
      let (offset, overflows) = member.headerOffset.addingReportingOverflow(prefix)
      guard !overflows else { throw damaged(at) }
      member.headerOffset = offset
      members.append(member)
      at = next
    }
    guard at == bytes.count || bytes.number(at, 4) == 0x0505_4B50 else { throw damaged(at) }
    return members
  }

  /// Takes numbers that do not fit 32 bits from the extra field for them.
  private func widen(
    _ member: inout ZipArchive.Member, _ bytes: LittleEndian, from start: Int, to end: Int
  ) throws(SeedFormatError) {
    var at = start
    while at + 4 <= end {
      let length = Int(bytes.number(at + 2, 2))
      let stop = at + 4 + length
      guard bytes.number(at, 2) == 1, stop <= end else {
        at = stop
        continue
      }
      at += 4
      for field in [\ZipArchive.Member.size, \.compressedSize, \.headerOffset]
      where member[keyPath: field] == 0xFFFF_FFFF {
        guard at + 8 <= stop else { throw damaged(start) }
        member[keyPath: field] = bytes.number(at, 8)
        at += 8
      }
      if member.disk == 0xFFFF, at + 4 <= stop { member.disk = UInt32(bytes.number(at, 4)) }
      return
    }
  }

  private func damaged(_ at: Int) -> SeedFormatError {
    var error = failure("zip.damaged", "the zip archive's directory is damaged")
    error.byteOffset = start + UInt64(at)
    return error
  }

  private func failure(_ code: String, _ message: String, hint: String? = nil) -> SeedFormatError {
    SeedFormatError(
      code: code, kind: .damaged, message: message, hint: hint ?? "fetch or pack the file again", file: file.path)
  }
}

/// Numbers in bytes, the least significant byte first; beyond the end there are zeroes.
struct LittleEndian {
  private let all: [UInt8]

  init(_ bytes: [UInt8]) { all = bytes }

  var count: Int { all.count }

  func number(_ at: Int, _ width: Int) -> UInt64 {
    guard at >= 0, at + width <= all.count else { return 0 }
    return all[at..<at + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func bytes(_ at: Int, _ count: Int) -> [UInt8] { Array(all[at..<at + count]) }
}

/// Decodes the names of an archive's members.
enum ZipNames {
  /// A name is UTF-8 where its flag says so or where it could be; otherwise it is in the code page of the first PCs.
  static func text(_ bytes: [UInt8], isUTF8: Bool) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    if isUTF8 { return String(decoding: bytes, as: UTF8.self) }
    return String(String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : codePage[Int($0) - 0x80] }))
  }

  /// The upper half of code page 437.
  private static let codePage = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)
}
