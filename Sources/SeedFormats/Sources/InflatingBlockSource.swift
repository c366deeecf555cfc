import Platform

/// The decompressed bytes of a gzip stream: any number of members, then nothing or zero padding. Where the compression
/// is to be found out, also those of zstd frames.
///
/// `input` is the filled part of `block`, set anew whenever that is filled.
@safe public final class InflatingBlockSource: BlockSource {
  private enum Stage {
    case undecided, plain, zstd, header, member, betweenMembers, padding, done
  }

  private let upstream: any BlockSource
  private let file: String?
  private var stage: Stage
  /// Made with the first member.
  private var stream: InflateStream?
  /// The compressed bytes at hand, and how many of them were used.
  private var input: UnsafeMutableBufferPointer<UInt8>
  private var used = 0
  private let block = ByteBlock()
  /// Offset of the block at hand in the compressed input.
  private var inputOffset: UInt64 = 0
  private var pendingError: SeedFormatError?
  private var zstd: ZstdBlockSource?
  private let inflation: InflationLimit
  private var inflatedBytes = 0

  /// - Parameters:
  ///   - compression: `automatic` passes input through that starts with neither gzip's nor zstd's magic bytes.
  ///   - file: the name that errors carry.
  ///   - inflation: the most that comes out.
  public init(
    upstream: any BlockSource, compression: FormatOptions.Compression = .automatic, file: String? = nil,
    inflation: InflationLimit = .standard
  ) {
    self.upstream = upstream
    self.inflation = inflation
    self.file = file
    unsafe input = UnsafeMutableBufferPointer(start: block.base, count: 0)
    stage =
      switch compression {
      case .automatic: .undecided
      case .gzip: .header
      case .none: .plain
      }
  }

  /// - Throws: `gzip.truncated`, `gzip.damaged` (wrong checksum or length, impossible codes),
  ///   `gzip.trailing-garbage`, all with the byte offset in the compressed input; those of `ZstdBlockSource`; and the
  ///   upstream's errors.
  public func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    if let error = pendingError {
      pendingError = nil
      throw error
    }
    if stage == .undecided { try decide() }
    if stage == .plain { return try unsafe readPlain(into: target) }
    if let zstd { return try unsafe zstd.read(into: target) }
    var written = 0
    do {
      while written < target.count {
        switch stage {
        case .header, .member:
          try unsafe inflateSome(into: target, &written)
        case .betweenMembers, .padding:
          try passPadding()
        case .done, .undecided, .plain, .zstd:
          return try counted(written)
        }
      }
      return try counted(written)
    } catch {
      // Bytes that were inflated before the damage are still delivered; the next call throws.
      stage = .done
      if written == 0 { throw error }
      pendingError = error
      return written
    }
  }

  /// Counts what comes out, and refuses more than may.
  private func counted(_ written: Int) throws(SeedFormatError) -> Int {
    inflatedBytes += written
    guard let message = inflation.refusal(inflated: inflatedBytes, compressed: Int(offset)) else { return written }
    throw SeedFormatError(
      code: "gzip.too-large", kind: .malformed, message: message,
      hint: "if that is right, raise the limit (--max-inflated)", file: file, byteOffset: offset)
  }

  /// Makes input available.
  /// - Returns: false at the end of the compressed input.
  private func haveInput() throws(SeedFormatError) -> Bool {
    if unsafe used < input.count { return true }
    inputOffset += unsafe UInt64(input.count)
    used = 0
    let isThere = try block.fill(from: upstream)
    unsafe input = UnsafeMutableBufferPointer(start: block.base, count: block.count)
    return isThere
  }

  /// Looks for the magic bytes of gzip and zstd.
  private func decide() throws(SeedFormatError) {
    var count = 0
    while count < 4 {
      let read = try unsafe upstream.read(
        into: UnsafeMutableRawBufferPointer(start: block.base + count, count: block.capacity - count))
      if read == 0 { break }
      count += read
    }
    unsafe input = UnsafeMutableBufferPointer(start: block.base, count: count)
    if unsafe ZstdBlockSource.isFrame(block.base, count: count) {
      let held = unsafe Array(UnsafeBufferPointer(start: block.base, count: count))
      stage = .zstd
      zstd = try ZstdBlockSource(
        upstream: ResumedBlockSource(held, then: upstream), inflation: inflation, file: file)
      return
    }
    switch count {
    case 0:
      // An empty text may be uncompressed; an empty file whose name says it is compressed has lost what it held.
      for (suffix, form) in [(".gz", "gzip"), (".zst", "zstd")] where file?.lowercased().hasSuffix(suffix) == true {
        throw failure(
          "\(form).truncated", "the file is empty, and \(form) data never is",
          hint: "fetch or compress the file again", at: 0)
      }
      stage = .done
    case 1: stage = unsafe input[0] == 0x1F ? .header : .plain
    default: stage = unsafe input[0] == 0x1F && input[1] == 0x8B ? .header : .plain
    }
  }

  private func readPlain(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    guard unsafe used < input.count else { return try unsafe upstream.read(into: target) }
    let count = unsafe min(input.count - used, target.count)
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(input)[used..<used + count]))
    used += count
    return count
  }

  /// - Parameter written: bytes in `target` so far; those before damage count, too.
  private func inflateSome(
    into target: UnsafeMutableRawBufferPointer, _ written: inout Int
  ) throws(SeedFormatError) {
    let stream = try stage == .header ? begin() : self.stream
    guard let stream, try haveInput() else {
      throw failure(
        "gzip.truncated", "the gzip data ends too early", hint: "the file was cut off; fetch it again",
        at: inputOffset)
    }
    // Safety: `written` is under the target's count, and `used` under the input's.
    let (outcome, read, count) = unsafe stream.inflate(
      UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: input[used...])),
      into: UnsafeMutableRawBufferPointer(rebasing: target[written...]))
    used += read
    written += count
    switch outcome {
    case .unfinished: break
    case .ended: stage = .betweenMembers
    case .noMemory: throw failure("gzip.memory", "no memory left to inflate", at: offset)
    case .damaged(let reason):
      throw failure(
        "gzip.damaged", "the gzip data is damaged: \(reason ?? "not a gzip stream")",
        hint: "fetch or compress the file again", at: offset)
    }
  }

  /// Offset of the next compressed byte.
  private var offset: UInt64 { inputOffset + UInt64(used) }

  private func begin() throws(SeedFormatError) -> InflateStream {
    stream?.reset()
    guard let begun = stream ?? InflateStream(.gzip) else {
      throw failure("gzip.memory", "no memory left to inflate", at: offset)
    }
    stream = begun
    stage = .member
    return begun
  }

  /// After a member: another one, zero bytes, or the end.
  private func passPadding() throws(SeedFormatError) {
    guard try haveInput() else {
      stage = .done
      return
    }
    let byte = unsafe input[used]
    if byte == 0x1F && stage == .betweenMembers {
      stage = .header
    } else if byte == 0 {
      stage = .padding
      used += 1
    } else {
      throw failure(
        "gzip.trailing-garbage", "bytes that are no gzip data follow the compressed data",
        hint: "the file was damaged or something was appended to it", at: offset)
    }
  }

  private func failure(_ code: String, _ message: String, hint: String? = nil, at: UInt64) -> SeedFormatError {
    SeedFormatError(code: code, kind: .damaged, message: message, hint: hint, file: file, byteOffset: at)
  }
}
