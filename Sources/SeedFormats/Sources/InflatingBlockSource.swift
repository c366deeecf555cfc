import CZlib

/// The decompressed bytes of a gzip stream: any number of members, then nothing or zero padding.
@safe public final class InflatingBlockSource: BlockSource {
  private enum Stage {
    case undecided, plain, header, member, betweenMembers, padding, done
  }

  private let upstream: any BlockSource
  private let file: String?
  private let blockCapacity: Int
  private var stage: Stage
  private let isAutomatic: Bool
  private let stream: UnsafeMutablePointer<z_stream>
  private var isInitialized = false
  /// The compressed block at hand and how much of it was used.
  private var input: ByteBlock?
  private var used = 0
  /// Offset of the block at hand in the compressed input.
  private var inputOffset: UInt64 = 0
  private var pendingError: SeedFormatError?

  /// - Parameter compression: `automatic` passes input through that does not start with gzip's magic bytes.
  /// - Parameter file: the name that errors carry.
  public init(
    upstream: any BlockSource, compression: FormatOptions.Compression = .automatic, file: String? = nil,
    blockCapacity: Int = ByteBlock.defaultCapacity
  ) {
    self.upstream = upstream
    self.file = file
    self.blockCapacity = blockCapacity
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
  public func next() throws(SeedFormatError) -> ByteBlock? {
    if let error = pendingError {
      pendingError = nil
      throw error
    }
    if stage == .undecided { try decide() }
    if stage == .plain { return try nextPlain() }
    let output = ByteBlock(capacity: blockCapacity)
    do {
      while output.count < output.capacity {
        switch stage {
        case .header, .member:
          try inflateSome(into: output)
        case .betweenMembers, .padding:
          try passPadding()
        case .done, .undecided, .plain:
          return output.count > 0 ? output : nil
        }
      }
    } catch {
      // What was inflated before the damage is still delivered; the next call throws.
      stage = .done
      if output.count == 0 { throw error }
      pendingError = error
    }
    return output
  }

  /// Makes input available.
  /// - Returns: false at the end of the compressed input.
  private func haveInput() throws(SeedFormatError) -> Bool {
    if let input, used < input.count { return true }
    if let input { inputOffset += UInt64(input.count) }
    used = 0
    input = nil
    input = try upstream.next()
    return input != nil
  }

  private func decide() throws(SeedFormatError) {
    guard try haveInput(), var block = input else {
      stage = .done
      return
    }
    if block.count == 1, unsafe block.base[0] == 0x1F {
      // The second magic byte is in the next block: join the two.
      if let following = try upstream.next() {
        let joined = ByteBlock(capacity: 1 + following.count)
        unsafe joined.base[0] = 0x1F
        unsafe (joined.base + 1).update(from: following.base, count: following.count)
        joined.count = 1 + following.count
        input = joined
        block = joined
      } else {
        stage = .header
        return
      }
    }
    stage = unsafe block.count >= 2 && block.base[0] == 0x1F && block.base[1] == 0x8B ? .header : .plain
  }

  private func nextPlain() throws(SeedFormatError) -> ByteBlock? {
    if let first = input {
      input = nil
      return first
    }
    return try upstream.next()
  }

  private func inflateSome(into output: ByteBlock) throws(SeedFormatError) {
    if stage == .header { try begin() }
    guard try haveInput(), let input else {
      throw failure(
        "gzip.truncated", "the gzip data ends too early", hint: "the file was cut off; fetch it again",
        at: inputOffset)
    }
    unsafe stream.pointee.next_in = input.base + used
    unsafe stream.pointee.avail_in = UInt32(input.count - used)
    unsafe stream.pointee.next_out = output.base + output.count
    unsafe stream.pointee.avail_out = UInt32(output.capacity - output.count)
    let result = unsafe inflate(stream, Z_NO_FLUSH)
    unsafe used = input.count - Int(stream.pointee.avail_in)
    unsafe output.count = output.capacity - Int(stream.pointee.avail_out)
    switch result {
    case Z_STREAM_END: stage = .betweenMembers
    case Z_OK, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw failure("gzip.memory", "no memory left to inflate", at: offset)
    default:
      let reason = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "not a gzip stream"
      throw failure(
        "gzip.damaged", "the gzip data is damaged: \(reason)", hint: "fetch or compress the file again", at: offset)
    }
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
    guard try haveInput(), let input else {
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
