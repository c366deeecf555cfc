/// Finds the fields of one CSV record.
///
/// The loop looks at eight bytes at a time: one mask has a bit for every delimiter, quote, escape and control byte in
/// them, everything else is passed over unread. It stores where each field ends and nothing more; what a record's
/// fields hold is looked at only where they are projected.
///
/// The text is followed by a slack of zeroes (`ByteBuffer.slack`): a zero at `end` or behind it stops the loop, so that
/// it never reads more than eight bytes beyond. `columnLimit` is at most `maximumColumns`, for which `ends` was
/// made. Copies of a tokenizer share `ends`; one is used at a time.
@safe struct CSVTokenizer {
  enum Outcome {
    /// A record, good or bad.
    case record
    /// The window ends before the record does.
    case incomplete
    /// The source ends inside quotes; `quoteAt` is where they opened.
    case unterminatedQuote
  }

  static let maximumColumns = 65_536

  let delimiter: UInt8
  /// Bytes of the delimiter, one but for delimiters of several characters.
  let delimiterLength: Int
  private let delimiterRest: [UInt8]
  let quote: UInt8?
  let escape: UInt8?
  /// Fields beyond it share one place in `ends`.
  private(set) var columnLimit = CSVTokenizer.maximumColumns

  /// End of each field, from the record's start.
  var ends: UnsafeMutablePointer<UInt32> { unsafe fieldEnds.ends }
  private let fieldEnds = FieldEnds(count: CSVTokenizer.maximumColumns + 1)
  private(set) var fieldCount = 0
  /// Where the record's text ends, and where the next record starts.
  private(set) var contentEnd = 0
  private(set) var next = 0
  /// Line ends in the record, its own included.
  private(set) var lineEnds = 0
  private(set) var hasEscapes = false
  /// The record, or what directly follows it, has bytes above 0x7F.
  private(set) var mayHaveNonASCII = false
  private(set) var nulAt: Int?
  private(set) var textAfterQuoteAt: Int?
  /// Where the field opened whose closing quote `textAfterQuoteAt` follows.
  private(set) var closedQuoteAt = 0
  private(set) var quoteAt = 0

  private let delimiters: UInt64
  private let quotes: UInt64
  private let escapes: UInt64

  init(options: FormatOptions) {
    delimiter = options.delimiter
    delimiterRest = options.delimiterRest
    delimiterLength = 1 + options.delimiterRest.count
    quote = options.quote
    escape = options.escape
    delimiters = SWAR.broadcast(options.delimiter)
    // In place of a character that is not used the delimiter is looked for once more.
    quotes = SWAR.broadcast(options.quote ?? options.delimiter)
    escapes = SWAR.broadcast(options.escape ?? options.delimiter)
  }

  /// Keeps apart the ends of so many fields, one for each column.
  mutating func limitColumns(to count: Int) {
    precondition(0...Self.maximumColumns ~= count, "a record has no place for so many fields")
    columnLimit = count
  }

  /// Bytes below 0x10 (line ends, NUL, tab), delimiters, quotes and escapes.
  @inline(__always) private func specials(_ word: UInt64) -> UInt64 {
    let word7 = word & SWAR.low7
    let controls = SWAR.zeroes(word7 & 0x7070_7070_7070_7070)
    return (controls | SWAR.zeroes(word7 ^ delimiters) | SWAR.zeroes(word7 ^ quotes) | SWAR.zeroes(word7 ^ escapes))
      & ~word & SWAR.high
  }

  /// Reads the record that starts at `start`, before `end`. The bytes from `end` on are zero.
  mutating func readRecord(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int, isComplete: Bool) -> Outcome {
    let delimiter = delimiter
    let isLong = delimiterLength > 1
    let quote = quote ?? 0
    let columnLimit = columnLimit
    let ends = unsafe ends
    var field = 0
    var fieldStart = start
    var nonASCII: UInt64 = 0
    var position = start
    lineEnds = 1
    hasEscapes = false
    nulAt = nil
    textAfterQuoteAt = nil
    words: while true {
      // Safety: `position` is less than eight bytes behind `end`: the zero there would have stopped the loop.
      let word = unsafe SWAR.load(base + position)
      nonASCII |= word
      var mask = specials(word)
      while mask != 0 {
        let at = position &+ (mask.trailingZeroBitCount >> 3)
        mask &= mask &- 1
        let byte = unsafe base[at]
        if byte == delimiter {
          if isLong {
            if at &+ delimiterLength > end && !isComplete { return .incomplete }
            guard unsafe hasDelimiterRest(base, after: at) else { continue }
          }
          unsafe ends[min(field, columnLimit)] = UInt32(truncatingIfNeeded: at &- start)
          field &+= 1
          fieldStart = at &+ 1
          if isLong {
            fieldStart = at &+ delimiterLength
            position = fieldStart
            continue words
          }
        } else if byte == 0x0A || byte == 0x0D || (byte == 0 && at >= end) {
          if byte == 0x0A {
            next = at &+ 1
          } else if byte == 0x0D {
            if at &+ 1 == end && !isComplete { return .incomplete }
            next = unsafe base[at &+ 1] == 0x0A ? at &+ 2 : at &+ 1
          } else {
            guard isComplete else { return .incomplete }
            next = end
          }
          contentEnd = min(at, end)
          unsafe ends[min(field, columnLimit)] = UInt32(truncatingIfNeeded: contentEnd &- start)
          fieldCount = field &+ 1
          mayHaveNonASCII = nonASCII & SWAR.high != 0
          return .record
        } else if byte == 0 {
          if nulAt == nil { nulAt = at }
        } else if byte == quote {
          guard at == fieldStart else { continue }
          quoteAt = at
          let close = unsafe closingQuote(base, from: at &+ 1, to: end, isComplete: isComplete, nonASCII: &nonASCII)
          guard close >= 0 else { return isComplete ? .unterminatedQuote : .incomplete }
          position = close &+ 1
          if position >= end {
            if !isComplete { return .incomplete }
          } else {
            let following = unsafe base[position]
            if isLong && following == delimiter {
              if position &+ delimiterLength > end && !isComplete { return .incomplete }
              if unsafe !hasDelimiterRest(base, after: position), textAfterQuoteAt == nil {
                textAfterQuoteAt = position
                closedQuoteAt = at
              }
            } else if following != delimiter, following != 0x0A, following != 0x0D, textAfterQuoteAt == nil {
              textAfterQuoteAt = position
              closedQuoteAt = at
            }
          }
          continue words
        }
      }
      position &+= 8
    }
  }

  /// Whether a delimiter of several characters stands where its first one was found. The bytes from the end on are
  /// zero.
  private func hasDelimiterRest(_ base: UnsafePointer<UInt8>, after at: Int) -> Bool {
    // Safety: no byte of the delimiter is zero, so the first of the slack ends this.
    for (index, byte) in delimiterRest.enumerated() where unsafe base[at &+ 1 &+ index] != byte { return false }
    return true
  }

  /// - Returns: the position of the quote that closes a field, -1 when there is none before `end`.
  private mutating func closingQuote(
    _ base: UnsafePointer<UInt8>, from start: Int, to end: Int, isComplete: Bool, nonASCII: inout UInt64
  ) -> Int {
    let quote = quote ?? 0
    let escape = escape ?? 0
    var position = start
    words: while true {
      let word = unsafe SWAR.load(base + position)
      nonASCII |= word
      var mask = specials(word)
      while mask != 0 {
        let at = position &+ (mask.trailingZeroBitCount >> 3)
        mask &= mask &- 1
        if at >= end { return -1 }
        let byte = unsafe base[at]
        if byte == quote {
          guard escape == 0 else { return at }
          if at &+ 1 == end && !isComplete { return -1 }
          guard unsafe at &+ 1 < end && base[at &+ 1] == quote else { return at }
          hasEscapes = true
          position = at &+ 2
          continue words
        } else if byte == 0x0A || byte == 0x0D {
          unsafe countLineEnd(base, at)
        } else if byte == 0 {
          if nulAt == nil { nulAt = at }
        } else if byte == escape {
          guard at &+ 1 < end else { return -1 }
          // Before anything else it is data.
          guard unsafe base[at &+ 1] == quote || base[at &+ 1] == escape else { continue }
          hasEscapes = true
          position = at &+ 2
          continue words
        }
      }
      position &+= 8
    }
  }

  /// Counts a line end inside a record; the line feed of a CRLF was counted with its carriage return.
  private mutating func countLineEnd(_ base: UnsafePointer<UInt8>, _ at: Int) {
    switch unsafe base[at] {
    case 0x0D: lineEnds &+= 1
    case 0x0A where unsafe base[at &- 1] != 0x0D: lineEnds &+= 1
    default: break
    }
  }
}

/// Where the fields of a record end.
@safe final class FieldEnds {
  let ends: UnsafeMutablePointer<UInt32>

  init(count: Int) {
    unsafe ends = .allocate(capacity: count)
  }

  deinit { unsafe ends.deallocate() }
}
