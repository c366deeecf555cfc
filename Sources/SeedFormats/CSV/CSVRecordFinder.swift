/// Goes from record to record in CSV text: passes over blank lines and comments and tokenizes the rest.
@safe struct CSVRecordFinder {
  enum Outcome {
    /// A record was tokenized; it starts at `position`.
    case record
    /// Nothing is left.
    case end
    /// The text ends before the record, blank line or comment at `position` does.
    case incomplete
    /// The source ends inside quotes that opened at the tokenizer's `quoteAt`.
    case unterminatedQuote
    /// The comment at `position` is longer than a record may be.
    case tooLong
  }

  var tokenizer: CSVTokenizer
  /// Where the record at hand starts.
  var position = 0
  /// 1-based line of `position`.
  var line: UInt64 = 1
  /// Blank lines are no records where there is more than one column.
  var skipsBlankLines: Bool
  private let comment: UInt8?
  private let recordLimit: Int

  init(options: FormatOptions, skipsBlankLines: Bool) {
    tokenizer = CSVTokenizer(options: options)
    self.skipsBlankLines = skipsBlankLines
    comment = options.comment
    recordLimit = options.limits.recordBytes
  }

  /// Tokenizes the next record from `position` on.
  /// - Parameter isComplete: nothing follows `end`.
  mutating func find(_ base: UnsafePointer<UInt8>, to end: Int, isComplete: Bool) -> Outcome {
    // Safety: bytes are read before `end`, the tokenizer's own apart: it needs the zeroes behind.
    while position < end {
      let first = unsafe base[position]
      guard (first == 0x0A || first == 0x0D) && skipsBlankLines || first == comment else {
        switch unsafe tokenizer.readRecord(base, from: position, to: end, isComplete: isComplete) {
        case .record: return .record
        case .incomplete: return .incomplete
        case .unterminatedQuote: return .unterminatedQuote
        }
      }
      var at = position
      while at < end, unsafe base[at] != 0x0A && base[at] != 0x0D { at &+= 1 }
      if at &- position > recordLimit { return .tooLong }
      let isWhole = unsafe at < end && (base[at] == 0x0A || at &+ 1 < end)
      guard isWhole || isComplete else { return .incomplete }
      if at &+ 1 < end, unsafe base[at] == 0x0D && base[at &+ 1] == 0x0A { at &+= 1 }
      position = min(at &+ 1, end)
      line &+= 1
    }
    return .end
  }

  /// Passes over the tokenized record.
  @inline(__always) mutating func advance() {
    line &+= UInt64(truncatingIfNeeded: tokenizer.lineEnds)
    position = tokenizer.next
  }
}
