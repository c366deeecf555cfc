/// Finds where a batch of CSV records may end, in text that starts where a record does.
///
/// Without a quote, escape or comment byte in the text every line end ends a record. With quotes, only they and the
/// line ends are looked at: a quote opens a field where a delimiter or a line end stands before it, as the tokenizer
/// has it, and from there the next quote that is not doubled closes it. Where escapes, comments or quotes beside a
/// delimiter of several characters occur, the tokenizer itself goes from record to record.
///
/// The text stays in place while it is looked at. Up to eight bytes are read beyond its end, where the slack is.
@safe final class CSVCutFinder {
  private let options: FormatOptions
  private let skipsBlankLines: Bool
  private var finder: CSVRecordFinder?

  init(options: FormatOptions, skipsBlankLines: Bool) {
    self.options = options
    self.skipsBlankLines = skipsBlankLines
  }

  /// - Parameters:
  ///   - text: followed by its slack of zeroes.
  ///   - isComplete: nothing follows the text.
  func cut(_ text: ByteBuffer, isComplete: Bool, maximumRecords: Int) -> RecordCut {
    let base = unsafe UnsafePointer(text.base)
    let count = text.count
    func has(_ byte: UInt8?) -> Bool {
      guard let byte else { return false }
      return unsafe LineEnds.find(byte, base, 0, count) != nil
    }
    if has(options.escape) || has(options.comment) {
      return unsafe cutByRecord(base, count, isComplete: isComplete, maximumRecords)
    }
    if !has(options.quote), let cut = cutByLine(text, isComplete: isComplete, maximumRecords) {
      return cut
    }
    if !options.delimiterRest.isEmpty {
      return unsafe cutByRecord(base, count, isComplete: isComplete, maximumRecords)
    }
    return unsafe cutByQuotes(base, count, isComplete: isComplete, maximumRecords)
  }

  /// No quotes: lines are records. nil when lines end with a bare CR.
  private func cutByLine(_ text: ByteBuffer, isComplete: Bool, _ maximumRecords: Int) -> RecordCut? {
    let found = LineEnds.cut(text, isComplete: isComplete, maximumRecords: maximumRecords)
    let end = found.end > 0 ? found.end : text.count
    return unsafe LineEnds.countBareCarriageReturns(text.base, 0, end) > 0 ? nil : found
  }

  private func cutByQuotes(
    _ base: UnsafePointer<UInt8>, _ count: Int, isComplete: Bool, _ maximumRecords: Int
  ) -> RecordCut {
    let quotes = SWAR.broadcast(options.quote ?? 0x0A)
    let quote = options.quote ?? 0
    let delimiter = options.delimiter
    let doubles = options.escape == nil
    var isInside = false
    /// A quote that belongs to the one before it.
    var doubled = -1
    var end = 0
    var records = 0
    var position = 0
    words: while position < count {
      let word = unsafe SWAR.load(base + position)
      let word7 = word & SWAR.low7
      var mask =
        (SWAR.zeroes(word7 ^ LineEnds.lineFeeds) | SWAR.zeroes(word7 ^ LineEnds.carriageReturns)
          | SWAR.zeroes(word7 ^ quotes)) & ~word & SWAR.high
      while mask != 0 {
        let at = position &+ (mask.trailingZeroBitCount >> 3)
        mask &= mask &- 1
        let byte = unsafe base[at]
        if byte == quote {
          if isInside {
            if at == doubled { continue }
            // Whether the quote closes is only known with the next byte.
            if doubles && at &+ 1 == count { break words }
            if unsafe doubles && base[at &+ 1] == quote { doubled = at &+ 1 } else { isInside = false }
          } else {
            let before = unsafe at == 0 ? 0x0A : base[at &- 1]
            isInside = before == delimiter || before == 0x0A || before == 0x0D
          }
        } else if !isInside {
          if byte == 0x0D {
            if at &+ 1 == count && !isComplete { break words }
            if unsafe base[at &+ 1] == 0x0A { continue }
          }
          end = at &+ 1
          records &+= 1
          if records == maximumRecords { break words }
        }
      }
      position &+= 8
    }
    if isComplete && records < maximumRecords {
      end = count
      records += 1
    }
    return RecordCut(end: end, lines: unsafe lines(base, end), maximumRecords: records)
  }

  private func cutByRecord(
    _ base: UnsafePointer<UInt8>, _ count: Int, isComplete: Bool, _ maximumRecords: Int
  ) -> RecordCut {
    var finder = self.finder ?? CSVRecordFinder(options: options, skipsBlankLines: skipsBlankLines)
    self.finder = finder
    finder.position = 0
    var records = 0
    while records < maximumRecords, unsafe finder.find(base, to: count, isComplete: isComplete) == .record {
      finder.advance()
      records += 1
    }
    var end = finder.position
    if isComplete && records < maximumRecords {
      // Whatever stopped the finder is for the scanner to report.
      end = count
      records += 1
    }
    return RecordCut(end: end, lines: unsafe lines(base, end), maximumRecords: records)
  }

  /// Line ends of any sort before `end`.
  private func lines(_ base: UnsafePointer<UInt8>, _ end: Int) -> Int {
    unsafe LineEnds.count(0x0A, base, 0, end) + LineEnds.countBareCarriageReturns(base, 0, end)
  }
}
