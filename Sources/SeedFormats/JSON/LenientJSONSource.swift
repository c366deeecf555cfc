/// JSON with comments and with commas before closing brackets and braces, as JSON: each byte of them becomes a blank,
/// so that every other byte stays where it is, and so do lines.
@safe final class LenientJSONSource: BlockSource {
  private enum State {
    case value, string, escape, slash, lineComment, blockComment, star
  }

  private let upstream: any BlockSource
  private let holdLimit: Int
  private let file: String?
  private let block = ByteBlock()
  /// Text that was looked at, and how much of it was handed out.
  private let text = ByteBuffer()
  private var given = 0
  private var state = State.value
  /// Where a comma stands in the text that may turn out to be one too many.
  private var comma: Int?
  /// The last byte that is neither blank nor comment.
  private var last: UInt8 = 0
  private var line: UInt64 = 1
  private var byteOffset: UInt64 = 0
  /// Where the comment at hand opened.
  private var opened: (line: UInt64, byteOffset: UInt64) = (1, 0)
  private var isAtEnd = false

  /// - Parameter holdLimit: the most that is held back behind a comma.
  init(upstream: any BlockSource, holdLimit: Int, file: String?) {
    self.upstream = upstream
    self.holdLimit = holdLimit
    self.file = file
  }

  /// - Throws: `json.unterminated-comment`, `json.record-too-long`, and the upstream's errors.
  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    while true {
      let ready = comma ?? text.count - (state == .slash ? 1 : 0)
      if given < ready {
        let count = min(target.count, ready - given)
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: text.base + given, count: count))
        given += count
        return count
      }
      if isAtEnd { return 0 }
      try readMore()
    }
  }

  private func readMore() throws(SeedFormatError) {
    text.removeFirst(given)
    if let comma { self.comma = comma - given }
    given = 0
    if text.count > holdLimit {
      throw SeedFormatError(
        code: "json.record-too-long", kind: .malformed,
        message: "more than \(holdLimit) bytes of comments follow a comma",
        file: file, line: line, byteOffset: byteOffset)
    }
    guard try block.fill(from: upstream) else {
      isAtEnd = true
      comma = nil
      if state == .slash { state = .value }
      if state == .blockComment || state == .star {
        throw SeedFormatError(
          code: "json.unterminated-comment", kind: .malformed, message: "the comment that opens here is never closed",
          hint: "close it with */", file: file, line: opened.line, byteOffset: opened.byteOffset)
      }
      return
    }
    let start = text.count
    unsafe text.append(block.base, count: block.count)
    // Safety: nothing is added to the text while it is looked at, and `comma` lies in what was not given out yet.
    for at in start..<text.count { scan(at) }
  }

  private func scan(_ at: Int) {
    let base = unsafe text.base
    let byte = unsafe base[at]
    if byte == 0x0A { line += 1 }
    defer { byteOffset += 1 }
    switch state {
    case .string:
      if byte == 0x22 { state = .value } else if byte == 0x5C { state = .escape }
    case .escape: state = .string
    case .value: scanOutsideString(byte, at)
    case .slash:
      if byte == 0x2F || byte == 0x2A {
        opened = (line, byteOffset - 1)
        state = byte == 0x2F ? .lineComment : .blockComment
        unsafe base[at - 1] = 0x20
        unsafe base[at] = 0x20
      } else {
        // A slash of its own is a mistake, which is left to the reader.
        state = .value
        comma = nil
        last = 0x2F
        scanOutsideString(byte, at)
      }
    case .lineComment:
      if byte == 0x0A || byte == 0x0D { state = .value } else { unsafe base[at] = 0x20 }
    case .blockComment, .star:
      if byte == 0x2F, state == .star { state = .value } else { state = byte == 0x2A ? .star : .blockComment }
      if byte != 0x0A && byte != 0x0D { unsafe base[at] = 0x20 }
    }
  }

  private func scanOutsideString(_ byte: UInt8, _ at: Int) {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: return
    case 0x2F:
      state = .slash
      return
    case 0x22:
      state = .string
      comma = nil
    case 0x5D, 0x7D:
      if let comma { unsafe text.base[comma] = 0x20 }
      comma = nil
    case 0x2C:
      // Only after a value: a comma alone in brackets is a mistake.
      comma = [0, 0x5B, 0x7B, 0x2C, 0x3A].contains(last) ? nil : at
    default: comma = nil
    }
    last = byte
  }
}
