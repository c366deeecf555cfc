/// Counts the lines of a text of columns that are comments and stand below its first record, which is most often the
/// header: where they were meant as records, they would be lost in silence.
struct CommentedLines {
  private(set) var count = 0
  /// The number of the first of them.
  private(set) var firstLine: UInt64 = 0
  private let mark: UInt8
  private let quote: UInt8?
  private var line: UInt64 = 1
  private var isAtStart = true
  private var isInComment = false
  private var isInQuotes = false
  private var isBelowRecord = false
  private var lastByte: UInt8 = 0

  init(mark: UInt8, quote: UInt8?) {
    self.mark = mark
    self.quote = quote
  }

  /// Goes on with the next bytes of the text.
  mutating func scan(_ bytes: UnsafeRawBufferPointer) {
    for index in bytes.indices { unsafe consume(bytes[index]) }
  }

  private mutating func consume(_ byte: UInt8) {
    defer { lastByte = byte }
    if byte == 0x0A || byte == 0x0D {
      if byte == 0x0A, lastByte == 0x0D { return }
      line += 1
      if !isInQuotes { (isAtStart, isInComment) = (true, false) }
      return
    }
    if isAtStart {
      isAtStart = false
      isInComment = byte == mark
      if isInComment, isBelowRecord {
        if count == 0 { firstLine = line }
        count += 1
      }
      if !isInComment { isBelowRecord = true }
    }
    if byte == quote, !isInComment { isInQuotes.toggle() }
  }
}
