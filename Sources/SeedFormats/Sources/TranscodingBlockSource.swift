/// UTF-16 or Latin-1 text as UTF-8.
public final class TranscodingBlockSource: BlockSource {
  private enum Decoder {
    case undecided, passing, littleEndian, bigEndian, latin1
  }

  private let upstream: any BlockSource
  private let file: String?
  private let encoding: FormatOptions.Encoding
  private var decoder = Decoder.undecided
  /// Bytes that were read but not decoded: the first of them starts a code unit.
  private var held: [UInt8] = []
  /// What was read to look for a byte order mark.
  private var first: ByteBlock?
  /// Offset of the next byte to decode in the text before transcoding.
  private var byteOffset: UInt64 = 0
  private var isAtEnd = false
  private var pendingError: SeedFormatError?

  /// - Parameter encoding: UTF-8 is passed through unchecked, with its byte order mark.
  public init(upstream: any BlockSource, encoding: FormatOptions.Encoding, file: String? = nil) {
    self.upstream = upstream
    self.encoding = encoding
    self.file = file
  }

  /// - Throws: `text.lone-surrogate`, `text.odd-byte-count` with the byte offset in the text before transcoding; and
  ///   the upstream's errors.
  public func next() throws(SeedFormatError) -> ByteBlock? {
    if decoder == .undecided { try decide() }
    while true {
      if let error = pendingError {
        pendingError = nil
        isAtEnd = true
        throw error
      }
      if isAtEnd { return nil }
      guard let block = try nextInput() else {
        isAtEnd = true
        if held.isEmpty { return nil }
        // An unpaired surrogate is held until the unit after it is known.
        throw held.count == 2 ? loneSurrogate() : oddByteCount()
      }
      if decoder == .passing { return block }
      let output = decoder == .latin1 ? decodeLatin1(block) : decodeUTF16(block)
      if output.count > 0 { return output }
    }
  }

  /// Reads as much as a byte order mark takes and picks the decoder.
  private func decide() throws(SeedFormatError) {
    switch encoding {
    case .utf8: decoder = .passing
    case .latin1: decoder = .latin1
    case .utf16LittleEndian, .utf16BigEndian, .utf16, .automatic:
      while held.count < 2, let block = try upstream.next() {
        unsafe held.append(contentsOf: block.bytes)
      }
      let isLittle = held.starts(with: [0xFF, 0xFE])
      let isBig = held.starts(with: [0xFE, 0xFF])
      switch encoding {
      case .utf16LittleEndian: decoder = .littleEndian
      case .utf16BigEndian: decoder = .bigEndian
      case .utf16: decoder = isLittle ? .littleEndian : .bigEndian
      default: decoder = isLittle ? .littleEndian : isBig ? .bigEndian : .passing
      }
      let hasMark = decoder == .littleEndian ? isLittle : decoder == .bigEndian && isBig
      if hasMark {
        held.removeFirst(2)
        byteOffset = 2
      }
      if decoder == .passing || held.count > 1 {
        first = held.isEmpty ? nil : joined(nil)
      }
    }
  }

  /// The next bytes to decode, what was held before them.
  private func nextInput() throws(SeedFormatError) -> ByteBlock? {
    if let block = first {
      first = nil
      return block
    }
    guard let block = try upstream.next() else { return nil }
    return held.isEmpty ? block : joined(block)
  }

  /// One block of what is held and what follows it.
  private func joined(_ following: ByteBlock?) -> ByteBlock {
    let block = ByteBlock(capacity: held.count + (following?.count ?? 0))
    for index in 0..<held.count { unsafe block.base[index] = held[index] }
    if let following { unsafe (block.base + held.count).update(from: following.base, count: following.count) }
    block.count = block.capacity
    held.removeAll(keepingCapacity: true)
    return block
  }

  private func decodeLatin1(_ block: ByteBlock) -> ByteBlock {
    let output = ByteBlock(capacity: block.count * 2)
    var count = 0
    for index in 0..<block.count {
      let byte = unsafe block.base[index]
      if byte < 0x80 {
        unsafe output.base[count] = byte
        count &+= 1
      } else {
        unsafe output.base[count] = 0xC0 | byte >> 6
        unsafe output.base[count &+ 1] = 0x80 | byte & 0x3F
        count &+= 2
      }
    }
    output.count = count
    return output
  }

  private func decodeUTF16(_ block: ByteBlock) -> ByteBlock {
    // One unit of two bytes takes at most three bytes of UTF-8.
    let output = ByteBlock(capacity: block.count / 2 * 3)
    let highByte = decoder == .bigEndian ? 0 : 1
    var count = 0
    var at = 0
    func unit(_ at: Int) -> UInt32 {
      unsafe UInt32(block.base[at + highByte]) << 8 | UInt32(block.base[at + 1 - highByte])
    }
    func emit(_ byte: UInt32) {
      unsafe output.base[count] = UInt8(truncatingIfNeeded: byte)
      count &+= 1
    }
    while at + 2 <= block.count {
      var scalar = unit(at)
      var width = 2
      if scalar & 0xF800 == 0xD800 {
        if scalar & 0x0400 == 0 && at + 4 > block.count { break }
        let low = at + 4 <= block.count ? unit(at + 2) : 0
        guard scalar & 0x0400 == 0, low & 0xFC00 == 0xDC00 else {
          byteOffset += UInt64(at)
          pendingError = loneSurrogate()
          output.count = count
          return output
        }
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
        width = 4
      }
      switch scalar {
      case ..<0x80: emit(scalar)
      case ..<0x800:
        emit(0xC0 | scalar >> 6)
        emit(0x80 | scalar & 0x3F)
      case ..<0x10000:
        emit(0xE0 | scalar >> 12)
        emit(0x80 | scalar >> 6 & 0x3F)
        emit(0x80 | scalar & 0x3F)
      default:
        emit(0xF0 | scalar >> 18)
        emit(0x80 | scalar >> 12 & 0x3F)
        emit(0x80 | scalar >> 6 & 0x3F)
        emit(0x80 | scalar & 0x3F)
      }
      at += width
    }
    byteOffset += UInt64(at)
    held = (at..<block.count).map { unsafe block.base[$0] }
    output.count = count
    return output
  }

  private func loneSurrogate() -> SeedFormatError {
    SeedFormatError(
      code: "text.lone-surrogate", kind: .malformed, message: "half of a UTF-16 surrogate pair stands alone",
      hint: "is the text really UTF-16 of this byte order?", file: file, byteOffset: byteOffset)
  }

  private func oddByteCount() -> SeedFormatError {
    SeedFormatError(
      code: "text.odd-byte-count", kind: .malformed, message: "UTF-16 text ends in the middle of a code unit",
      hint: "the file was cut off, or is not UTF-16", file: file, byteOffset: byteOffset + UInt64(held.count & ~1))
  }
}
