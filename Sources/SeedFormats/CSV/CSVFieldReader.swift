/// The fields of a tokenized CSV record, and what is wrong with it.
///
/// `base` is the start of the batch's text, which stays while a record is looked at. Callers ask only for columns that
/// the record has, whose ends the tokenizer has stored: a record with another number of fields than columns is a fault
/// before that.
@safe struct CSVFieldReader {
  /// Fields of each record as written, annotation included; 0: not known yet.
  let columnCount: Int
  /// Columns before the record's own.
  let annotationCount: Int
  /// Unescaped fields; slices into it carry `SideArena.mark`.
  let side = ByteBuffer()

  /// One field of the record that starts at `start`, unescaped where it must be.
  /// - Parameter column: -1 for the whole record.
  func slice(
    ofColumn column: Int, _ tokenizer: CSVTokenizer, recordStart start: Int, _ base: UnsafePointer<UInt8>
  ) -> FieldSlice {
    var from = unsafe column <= 0 ? 0 : Int(tokenizer.ends[column - 1]) + tokenizer.delimiterLength
    var to = unsafe column < 0 ? tokenizer.contentEnd - start : Int(tokenizer.ends[column])
    let rawOffset = from
    let isQuoted = unsafe column >= 0 && to > from && base[start + from] == tokenizer.quote
    if isQuoted {
      from += 1
      to -= 1
    }
    var slice = FieldSlice(
      offset: UInt32(start + from), length: UInt32(to - from), kind: .string, isQuoted: isQuoted,
      rawOffset: UInt32(rawOffset))
    if isQuoted, tokenizer.hasEscapes, let quote = tokenizer.quote {
      unsafe unescape(&slice, base, escape: tokenizer.escape ?? quote, quote: quote)
    }
    return slice
  }

  /// Lets a slice of a quoted field point to its text without the escape bytes, if it has any.
  func unescape(_ slice: inout FieldSlice, _ base: UnsafePointer<UInt8>, escape: UInt8, quote: UInt8) {
    let unescaped = side.count
    guard unsafe unescape(base + Int(slice.offset), count: Int(slice.length), escape: escape, quote: quote) else {
      return
    }
    slice.offset = UInt32(unescaped) | SideArena.mark
    slice.length = UInt32(side.count - unescaped)
  }

  /// The text of a field. For names: it allocates.
  func text(
    ofColumn column: Int, _ tokenizer: CSVTokenizer, recordStart start: Int, _ base: UnsafePointer<UInt8>
  ) -> String {
    let slice = unsafe slice(ofColumn: column, tokenizer, recordStart: start, base)
    let isInSide = slice.offset & SideArena.mark != 0
    let source = unsafe isInSide ? UnsafePointer(side.base) : base
    return unsafe String(
      decoding: UnsafeBufferPointer(start: source + Int(slice.offset & ~SideArena.mark), count: Int(slice.length)),
      as: UTF8.self)
  }

  /// Appends the text without its escape bytes to `side`, if it has any.
  private func unescape(_ text: UnsafePointer<UInt8>, count: Int, escape: UInt8, quote: UInt8) -> Bool {
    guard count > 1, let first = unsafe LineEnds.find(escape, text, 0, count - 1) else { return false }
    side.reserve(count)
    unsafe side.append(text, count: first)
    // Safety: room for `count` bytes was made before the first were appended, and no more come out than go in. The text
    // is the batch's, which `side` is no part of.
    let output = unsafe side.base
    var length = side.count
    var at = first
    while at < count {
      if unsafe text[at] == escape && at &+ 1 < count && (text[at &+ 1] == quote || text[at &+ 1] == escape) {
        at &+= 1
      }
      unsafe output[length] = text[at]
      length &+= 1
      at &+= 1
    }
    side.resize(to: length)
    return true
  }

  /// Lets a place begin where the record's own fields do.
  /// - Returns: the bytes left out; 0 when the record does not even have all fields of the annotation.
  func stripAnnotation(
    from place: inout RecordPlace, _ tokenizer: CSVTokenizer, _ start: Int, _ base: UnsafePointer<UInt8>
  ) -> Int {
    guard annotationCount > 0, tokenizer.fieldCount > annotationCount else { return 0 }
    let shift = unsafe Int(tokenizer.ends[annotationCount - 1]) + tokenizer.delimiterLength
    let (lines, lineStart) = unsafe UTF8Text.lineEnds(base, start, start + shift)
    place.line += UInt64(lines)
    place.column = UInt32(unsafe UTF8Text.scalars(base, lineStart, start + shift)) + 1
    place.byteOffset += UInt64(shift)
    place.rawOffset += UInt32(shift)
    place.rawLength -= UInt32(shift)
    return shift
  }

  /// What is wrong with the tokenized record, the gravest first.
  /// - Parameter line: where the record starts.
  func fault(
    _ tokenizer: CSVTokenizer, recordStart start: Int, line: UInt64, _ base: UnsafePointer<UInt8>
  ) -> (code: String, message: String, hint: String?, at: Int)? {
    if let at = tokenizer.nulAt {
      return ("text.nul", "the record holds a NUL byte", "is the file really text, in the stated encoding?", at)
    }
    if tokenizer.mayHaveNonASCII, let at = unsafe UTF8Text.invalidUTF8(base, start, tokenizer.contentEnd) {
      return (
        "text.invalid-utf8", "the record is not valid UTF-8",
        "state its encoding, such as encoding: windows-1252 or latin-1", at
      )
    }
    if let at = tokenizer.textAfterQuoteAt {
      // A quote that was left open takes in lines up to the next quote, which then seems to close it.
      let (lines, lineStart) = unsafe UTF8Text.lineEnds(base, start, tokenizer.closedQuoteAt)
      let opened = line + UInt64(lines)
      guard unsafe UTF8Text.lineEnds(base, tokenizer.closedQuoteAt, at).count > 0 else {
        return (
          "csv.text-after-quote", "text follows the quote that closes a field",
          "a quote inside quotes is written twice", at
        )
      }
      let column = unsafe UTF8Text.scalars(base, lineStart, tokenizer.closedQuoteAt) + 1
      return (
        "csv.text-after-quote",
        "text follows the quote that closes the field opened in line \(opened), column \(column)",
        "is the quote in line \(opened) never closed? a quote inside quotes is written twice", at
      )
    }
    guard columnCount > 0, tokenizer.fieldCount != columnCount else { return nil }
    let found = tokenizer.fieldCount
    let at = unsafe found < columnCount ? tokenizer.contentEnd : start + Int(tokenizer.ends[columnCount - 1])
    var fault = raggedFault(found, at: at)
    if tokenizer.lineEnds > 1 {
      let last = line + UInt64(tokenizer.lineEnds) - 1
      fault.hint = "a quoted field makes the record run from line \(line) to line \(last): is a quote left open there?"
    }
    return fault
  }

  /// The fault of a record with another number of fields than columns.
  func raggedFault(_ found: Int, at: Int) -> (code: String, message: String, hint: String?, at: Int) {
    let own = max(found - annotationCount, 0)
    let expected = columnCount - annotationCount
    let hint =
      own > expected
      ? "put a field in quotes that holds the delimiter" : "is the line cut off, or the delimiter another?"
    return ("csv.ragged", "the record has \(own) fields, expected \(expected)", hint, at)
  }
}

/// Errors in CSV text that starts `byteOffset` bytes into its source, at a record that starts in `line`.
@safe struct CSVErrors {
  let base: UnsafePointer<UInt8>
  let byteOffset: UInt64
  let recordStart: Int
  let line: UInt64
  let file: String?

  func unterminatedQuote(at: Int) -> SeedFormatError {
    error(
      "csv.unterminated-quote", "the quote that opens here is never closed", at: at,
      hint: "close the field with a quote; a quote inside quotes is written twice")
  }

  /// - Parameter openQuote: where quotes opened that had no end so far.
  func tooLong(limit: Int, openQuote: Int? = nil) -> SeedFormatError {
    let quote = openQuote.map { line + UInt64(unsafe UTF8Text.lineEnds(base, recordStart, $0).count) }
    return error(
      "csv.record-too-long", "the record is longer than \(limit) bytes", at: recordStart,
      hint: quote.map { "is the quote that opens in line \($0) never closed?" } ?? "is a quote left open?")
  }

  /// An error at a position in the record.
  func error(_ code: String, _ message: String, at: Int, hint: String? = nil) -> SeedFormatError {
    let (lines, lineStart) = unsafe UTF8Text.lineEnds(base, recordStart, at)
    return SeedFormatError(
      code: code, kind: .malformed, message: message, hint: hint, file: file, line: line + UInt64(lines),
      column: unsafe UInt64(UTF8Text.scalars(base, lineStart, at)) + 1, byteOffset: byteOffset + UInt64(at))
  }
}
