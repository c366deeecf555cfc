import CZlib
import Platform

/// The bytes that a member of a zip archive takes in the file, still compressed.
public final class ZipMemberBytes: BlockSource {
  private let file: RandomAccessFile
  private var position: UInt64
  private let end: UInt64
  private let name: String

  /// Opens a member.
  /// - Parameter name: the source's name in errors.
  /// - Throws: `zip.encrypted`, `zip.method`, `zip.multi-disk`, `zip.damaged`, `zip.truncated`, and errors of the file.
  public init(_ member: ZipArchive.Member, of path: String, name: String) throws(SeedFormatError) {
    func failure(_ code: String, _ message: String, _ hint: String, kind: SeedFormatError.Kind) -> SeedFormatError {
      SeedFormatError(
        code: code, kind: kind, message: message, hint: hint, file: name,
        byteOffset: kind == .damaged ? member.headerOffset : nil)
    }
    guard member.flags & 0x2041 == 0, member.method != 99 else {
      throw failure(
        "zip.encrypted", "the member is encrypted", "unpack the archive with its password, or ask for one without",
        kind: .malformed)
    }
    guard member.method == 0 || member.method == 8 else {
      throw failure(
        "zip.method", "the member is compressed with \(Self.methodName(member.method))",
        "unpack the archive, or pack it anew with deflate (zip), which is read", kind: .malformed)
    }
    guard member.disk == 0 else {
      throw failure(
        "zip.multi-disk", "the member is in another part of the archive", "put the parts together first",
        kind: .malformed)
    }
    file = try RandomAccessFile(path: path)
    self.name = name
    let header = LittleEndian(try file.bytes(at: member.headerOffset, count: 30))
    let nameLength = Int(header.number(26, 2))
    let rawName = try file.bytes(at: min(member.headerOffset, file.size) + 30, count: nameLength)
    guard header.number(0, 4) == 0x0403_4B50, rawName == member.rawName else {
      throw failure(
        "zip.damaged", "the member is not where the archive's directory says", "fetch or pack the file again",
        kind: .damaged)
    }
    position = member.headerOffset + 30 + UInt64(nameLength) + header.number(28, 2)
    let (end, overflows) = position.addingReportingOverflow(member.compressedSize)
    guard !overflows, end <= file.size else {
      throw failure(
        "zip.truncated", "the archive ends before the member does", "the file was cut off; fetch it again",
        kind: .damaged)
    }
    self.end = end
  }

  /// - Throws: errors of the file.
  public func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    let count = Int(min(UInt64(target.count), end - position))
    guard count > 0 else { return 0 }
    let read: Int
    do {
      read = try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]), at: position)
    } catch {
      var error = error
      error.file = name
      throw error
    }
    position += UInt64(read)
    return read
  }

  private static func methodName(_ method: UInt16) -> String {
    let names: [UInt16: String] = [
      1: "Shrink", 6: "Implode", 9: "Deflate64", 12: "bzip2", 14: "LZMA", 20: "Zstandard (old)", 93: "Zstandard",
      95: "xz", 96: "JPEG", 97: "WavPack", 98: "PPMd",
    ]
    return names[method] ?? "method \(method)"
  }
}

/// The contents of a member of a zip archive: inflated, counted, and checked against size and checksum of the
/// directory.
@safe final class ZipMemberSource: PiecewiseSource {
  private let upstream: any BlockSource
  private let member: ZipArchive.Member
  private let file: String?
  private let inflation: InflationLimit
  /// Made with the first deflated bytes.
  private var stream: InflateStream?
  private let block = ByteBlock()
  private var used = 0
  private var taken: UInt64 = 0
  private var given: UInt64 = 0
  private var checksum: UInt
  var isDone = false
  var pendingError: SeedFormatError?

  init(upstream: any BlockSource, member: ZipArchive.Member, inflation: InflationLimit, file: String?) {
    self.upstream = upstream
    self.member = member
    self.inflation = inflation
    self.file = file
    checksum = crc32(0, nil, 0)
  }

  /// - Throws: `zip.damaged` (impossible codes, wrong size or checksum), `zip.too-large`, and the upstream's errors.
  ///   What was inflated before is given first.
  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    try unsafe fill(target)
  }

  func some(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    if used == block.count {
      used = 0
      let isThere = try block.fill(from: upstream)
      taken += UInt64(block.count)
      if !isThere {
        // Deflated data states its own end.
        guard member.method == 0 else { throw damaged("the deflated data ends too early") }
        try finish()
        return 0
      }
    }
    let count = member.method == 0 ? unsafe copy(into: target) : try unsafe inflateSome(into: target)
    checksum = unsafe crc32(checksum, target.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(count))
    given += UInt64(count)
    guard given <= member.size else { throw damaged("it holds more than the \(member.size) bytes that it should") }
    if let message = inflation.refusal(inflated: Int(given), compressed: Int(taken), what: "zip member") {
      throw SeedFormatError(
        code: "zip.too-large", kind: .malformed, message: message,
        hint: "if that is right, raise the limit (--max-inflated)", file: file)
    }
    if isAtEnd { try finish() }
    return count
  }

  /// The deflated data said that it ends here.
  private var isAtEnd = false

  private func copy(into target: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(target.count, block.count - used)
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: block.base + used, count: count))
    used += count
    return count
  }

  private func inflateSome(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    let noMemory = SeedFormatError(code: "zip.memory", kind: .io, message: "no memory left to inflate", file: file)
    // Raw, because the directory has size and checksum.
    guard let stream = stream ?? InflateStream(.raw) else { throw noMemory }
    self.stream = stream
    // Safety: `used` is under the block's count.
    let (outcome, read, written) = unsafe stream.inflate(
      UnsafeRawBufferPointer(start: block.base + used, count: block.count - used), into: target)
    used += read
    switch outcome {
    case .unfinished: break
    case .ended: isAtEnd = true
    case .noMemory: throw noMemory
    case .damaged(let reason): throw damaged(reason ?? "no deflated data")
    }
    return written
  }

  /// Compares what came out with what the directory says.
  private func finish() throws(SeedFormatError) {
    isDone = true
    let compressed = taken - UInt64(block.count - used)
    guard given == member.size, compressed == member.compressedSize else {
      throw damaged("it holds \(given) bytes, and should hold \(member.size)")
    }
    guard UInt32(truncatingIfNeeded: checksum) == member.checksum else { throw damaged("its checksum is wrong") }
  }

  private func damaged(_ reason: String) -> SeedFormatError {
    SeedFormatError(
      code: "zip.damaged", kind: .damaged, message: "the zip member is damaged: \(reason)",
      hint: "fetch or pack the file again", file: file, byteOffset: taken - UInt64(block.count - used))
  }
}
