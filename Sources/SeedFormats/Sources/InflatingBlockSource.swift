import CZlib

/// The decompressed bytes of a gzip stream: any number of members, then nothing or zero padding.
@safe public final class InflatingBlockSource: BlockSource {
  private enum Stage {
    case undecided, plain, header, member, betweenMembers, padding, done
  }

  private let upstream: any BlockSource
  private let file: String?
  private var stage: Stage
  private let isAutomatic: Bool
  private let stream: UnsafeMutablePointer<z_stream>
  private var isInitialized = false
  /// The compressed block at hand and how much of it was used.
  private let input: ByteBlock
  private var used = 0
  /// Offset of the block at hand in the compressed input.
  private var inputOffset: UInt64 = 0
  private var pendingError: SeedFormatError?

  /// - Parameter compression: `automatic` passes input through that does not start with gzip's magic bytes.
  /// - Parameter file: the name that errors carry.
  public init(
    upstream: any BlockSource, compression: FormatOptions.Compression = .automatic, file: String? = nil
  ) {
    self.upstream = upstream
    self.file = file
    input = ByteBlock()
    isAutomatic = compression == .automatic
    stage =
      switch compression {
      case .automatic: .undecided
      case .gzip: .header
      case .none: .plain
      }
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
  }

  deinit {
    if isInitialized { unsafe inflateEnd(stream) }
    unsafe stream.deallocate()
  }

  /// - Throws: `gzip.truncated`, `gzip.damaged` (wrong checksum or length, impossible codes),
  ///   `gzip.trailing-garbage`, all with the byte offset in the compressed input; and the upstream's errors.
  public func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    if let error = pendingError {
      pendingError = nil
      throw error
    }
    if stage == .undecided { try decide() }
    if stage == .plain { return try unsafe readPlain(into: target) }
    var written = 0
    do {
      while written < target.count {
        switch stage {
        case .header, .member:
          written += try unsafe inflateSome(into: UnsafeMutableRawBufferPointer(rebasing: target[written...]))
        case .betweenMembers, .padding:
          try passPadding()
        case .done, .undecided, .plain:
          return written
        }
      }
    } catch {
      // What was inflated before the damage is still delivered; the next call throws.
      stage = .done
      if written == 0 { throw error }
      pendingError = error
    }
    return written
  }

  /// Makes input available.
  /// - Returns: false at the end of the compressed input.
  private func haveInput() throws(SeedFormatError) -> Bool {
    if used < input.count { return true }
    inputOffset += UInt64(input.count)
    used = 0
    return try input.fill(from: upstream)
  }

  /// Looks for gzip's two magic bytes.
  private func decide() throws(SeedFormatError) {
    while input.count < 2 {
      let read = try unsafe upstream.read(
        into: UnsafeMutableRawBufferPointer(start: input.base + input.count, count: input.capacity - input.count))
      if read == 0 { break }
      input.count += read
    }
    switch unsafe (input.count, input.base[0]) {
    case (0, _): stage = .done
    case (1, let byte): stage = byte == 0x1F ? .header : .plain
    case (_, let byte): stage = unsafe byte == 0x1F && input.base[1] == 0x8B ? .header : .plain
    }
  }

  private func readPlain(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    guard used < input.count else { return try unsafe upstream.read(into: target) }
    let count = min(input.count - used, target.count)
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: input.base + used, count: count))
    used += count
    return count
  }

  /// - Returns: the number of bytes written to the start of `target`.
  private func inflateSome(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    if stage == .header { try begin() }
    guard try haveInput() else {
      throw failure(
        "gzip.truncated", "the gzip data ends too early", hint: "the file was cut off; fetch it again",
        at: inputOffset)
    }
    let room = UInt32(clamping: target.count)
    unsafe stream.pointee.next_in = input.base + used
    unsafe stream.pointee.avail_in = UInt32(input.count - used)
    unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = room
    let result = unsafe inflate(stream, Z_NO_FLUSH)
    unsafe used = input.count - Int(stream.pointee.avail_in)
    let written = unsafe Int(room - stream.pointee.avail_out)
    switch result {
    case Z_STREAM_END: stage = .betweenMembers
    case Z_OK, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw failure("gzip.memory", "no memory left to inflate", at: offset)
    default:
      let reason = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "not a gzip stream"
      throw failure(
        "gzip.damaged", "the gzip data is damaged: \(reason)", hint: "fetch or compress the file again", at: offset)
    }
    return written
  }

  /// Offset of the next compressed byte.
  private var offset: UInt64 { inputOffset + UInt64(used) }

  private func begin() throws(SeedFormatError) {
    // 15: the largest window; 16: expect gzip and check its CRC and length.
    let result =
      unsafe isInitialized
      ? inflateReset(stream)
      : inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw failure("gzip.memory", "no memory left to inflate", at: offset) }
    isInitialized = true
    stage = .member
  }

  /// After a member: another one, zero bytes, or the end.
  private func passPadding() throws(SeedFormatError) {
    guard try haveInput() else {
      stage = .done
      return
    }
    let byte = unsafe input.base[used]
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
