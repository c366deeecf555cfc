/// UTF-16, Latin-1 or Windows-1252 text as UTF-8.
@safe public final class TranscodingBlockSource: BlockSource {
  private enum Decoder {
    case undecided, passing, littleEndian, bigEndian, latin1, windows1252
  }

  private let upstream: any BlockSource
  private let file: String?
  private let encoding: FormatOptions.Encoding
  private var decoder = Decoder.undecided
  /// Bytes that were read but not decoded: the first of them starts a code unit.
  private let held = ByteBuffer()
  /// Text that was decoded, and how much of it was handed out.
  private let text = ByteBuffer()
  private var given = 0
  /// Offset of the next byte to decode in the text before transcoding.
  private var byteOffset: UInt64 = 0
  /// All whole code units that are held were decoded: more input is needed.
  private var isWaiting = false
  private var isAtEnd = false
  private var pendingError: SeedFormatError?
  /// Notes control characters; nil once that is done.
  private var notices: TextNotices?

  /// - Parameters:
  ///   - encoding: UTF-8 is passed through unchecked, with its byte order mark.
  ///   - notices: gets bytes that are letters in another encoding.
  public init(
    upstream: any BlockSource, encoding: FormatOptions.Encoding, file: String? = nil, notices: TextNotices? = nil
  ) {
    self.notices = notices
    self.upstream = upstream
    self.encoding = encoding
    self.file = file
  }

  /// - Throws: `text.lone-surrogate`, `text.odd-byte-count` with the byte offset in the text before transcoding; and
  ///   the upstream's errors.
  public func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    if decoder == .undecided { try decide() }
    while given == text.count {
      if decoder == .passing { return try unsafe upstream.read(into: target) }
      if let error = pendingError {
        pendingError = nil
        isAtEnd = true
        throw error
      }
      if isAtEnd { return 0 }
      try decodeMore()
    }
    let count = min(target.count, text.count - given)
    // Safety: `count` is no more than the text has behind `given`.
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: text.base + given, count: count))
    given += count
    return count
  }

  /// Reads as much as a byte order mark takes and picks the decoder.
  private func decide() throws(SeedFormatError) {
    switch encoding {
    case .utf8: decoder = .passing
    case .latin1: decoder = .latin1
    case .windows1252: decoder = .windows1252
    case .utf16LittleEndian, .utf16BigEndian, .utf16, .automatic:
      while held.count < 2, try held.append(from: upstream, maximum: ByteBlock.defaultCapacity) {}
      let first = unsafe held.count > 1 ? (held.base[0], held.base[1]) : (0, 0)
      let isLittle = first == (0xFF, 0xFE)
      let isBig = first == (0xFE, 0xFF)
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
      if decoder == .passing {
        unsafe text.append(held.base, count: held.count)
        held.removeAll()
      }
    }
  }

  /// Decodes what is held and what follows it.
  private func decodeMore() throws(SeedFormatError) {
    text.removeAll()
    given = 0
    let held = held
    if held.count < 2 || isWaiting {
      guard try held.append(from: upstream, maximum: ByteBlock.defaultCapacity) else {
        isAtEnd = true
        if held.count == 0 { return }
        // An unpaired surrogate is held until the unit after it is known.
        throw held.count == 2 ? loneSurrogate() : oddByteCount()
      }
    }
    let used = decoder == .latin1 ? decodeLatin1() : decoder == .windows1252 ? decodeWindows1252() : decodeUTF16()
    byteOffset += UInt64(used)
    held.removeFirst(used)
    isWaiting = true
  }

  /// - Returns: the bytes decoded.
  private func decodeLatin1() -> Int {
    text.reserve(held.count * 2)
    let input = unsafe held.base
    let output = unsafe text.base
    var count = 0
    var hasControls = false
    // Safety: a byte becomes two at most, for which room was made; neither buffer moves in the loop.
    for index in 0..<held.count {
      let byte = unsafe input[index]
      if byte < 0x80 {
        unsafe output[count] = byte
        count &+= 1
      } else {
        if byte < 0xA0 { hasControls = true }
        unsafe output[count] = 0xC0 | byte >> 6
        unsafe output[count &+ 1] = 0x80 | byte & 0x3F
        count &+= 2
      }
    }
    if hasControls {
      notices?.noteControls(file: file)
      notices = nil
    }
    text.resize(to: count)
    return held.count
  }

  /// - Returns: the bytes decoded.
  private func decodeWindows1252() -> Int {
    text.reserve(held.count * 3)
    let input = unsafe held.base
    let output = unsafe text.base
    // Safety: three bytes are written for each at most, for which room was made; neither buffer moves in the loop.
    let table = Windows1252.utf8
    var count = 0
    for index in 0..<held.count {
      let byte = unsafe input[index]
      if byte < 0x80 {
        unsafe output[count] = byte
        count &+= 1
      } else {
        let (bytes, length) = table[Int(byte) - 0x80]
        unsafe output[count] = bytes.0
        unsafe output[count &+ 1] = bytes.1
        unsafe output[count &+ 2] = bytes.2
        count &+= length
      }
    }
    text.resize(to: count)
    return held.count
  }

  /// - Returns: the bytes decoded.
  private func decodeUTF16() -> Int {
    // One unit of two bytes takes at most three bytes of UTF-8.
    text.reserve(held.count / 2 * 3)
    let input = unsafe held.base
    // Safety: a unit is read where two bytes are left; no more than three are written for each. Neither buffer moves.
    let inputCount = held.count
    let output = unsafe text.base
    let highByte = decoder == .bigEndian ? 0 : 1
    var count = 0
    var at = 0
    func unit(_ at: Int) -> UInt32 {
      unsafe UInt32(input[at + highByte]) << 8 | UInt32(input[at + 1 - highByte])
    }
    func emit(_ byte: UInt32) {
      unsafe output[count] = UInt8(truncatingIfNeeded: byte)
      count &+= 1
    }
    while at + 2 <= inputCount {
      var scalar = unit(at)
      var width = 2
      if scalar & 0xF800 == 0xD800 {
        if scalar & 0x0400 == 0 && at + 4 > inputCount { break }
        let low = at + 4 <= inputCount ? unit(at + 2) : 0
        guard scalar & 0x0400 == 0, low & 0xFC00 == 0xDC00 else {
          pendingError = loneSurrogate(after: at)
          break
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
    text.resize(to: count)
    return at
  }

  private func loneSurrogate(after count: Int = 0) -> SeedFormatError {
    SeedFormatError(
      code: "text.lone-surrogate", kind: .malformed, message: "half of a UTF-16 surrogate pair stands alone",
      hint: "is the text really UTF-16 of this byte order?", file: file, byteOffset: byteOffset + UInt64(count))
  }

  private func oddByteCount() -> SeedFormatError {
    SeedFormatError(
      code: "text.odd-byte-count", kind: .malformed, message: "UTF-16 text ends in the middle of a code unit",
      hint: "the file was cut off, or is not UTF-16", file: file, byteOffset: byteOffset + UInt64(held.count & ~1))
  }
}
