/// CSV records of a window into batches.
@safe final class CSVRecordScanner: RecordScanner {
  private(set) var columns: [String] = []
  let side = ByteBuffer()
  let window: InputWindow
  private(set) var position = 0

  private let tokenizer: CSVTokenizer
  private let options: FormatOptions
  private let file: String?
  private var line: UInt64 = 1
  /// Column of each projected field, -1 for the whole record.
  private var slotColumns: [Int] = []
  /// Fields of each record as written, annotation included.
  private var columnCount = 0
  /// Columns before the record's own.
  private var annotationCount = 0

  init(
    window: InputWindow, options: FormatOptions, projection: [String], file: String?
  ) throws(SeedFormatError) {
    self.window = window
    self.options = options
    self.file = file
    tokenizer = CSVTokenizer(options: options)
    position = try window.skipByteOrderMark()
    window.batchStart = position
    try readColumns()
    slotColumns = try ColumnNames.resolve(projection, in: columns, file: file).map {
      $0 < 0 ? $0 : $0 + annotationCount
    }
    columnCount = annotationCount + columns.count
    tokenizer.columnLimit = columnCount
  }

  /// Learns the columns from the header, the options, or the width of the first record.
  private func readColumns() throws(SeedFormatError) {
    if !options.hasHeader, let given = options.columns { columnCount = given.count }
    let hasRecord = try nextRecord()
    if hasRecord, isAnnotated {
      annotationCount = options.annotationColumns.count
      columnCount = 0
    }
    if options.hasHeader || annotationCount > 0 {
      guard hasRecord else {
        throw SeedFormatError(
          code: "csv.empty", kind: .malformed, message: "the file is empty, a header was expected",
          hint: "set header: false if the file has none", file: file, line: 1, column: 1, byteOffset: 0)
      }
      let names = try headerNames()
      line += UInt64(tokenizer.lineEnds)
      position = tokenizer.next
      window.batchStart = position
      if let given = options.columns, given.count != names.count {
        throw SeedFormatError(
          code: "csv.column-count", kind: .malformed,
          message: "\(given.count) column names are given, the header has \(names.count)", file: file, line: line - 1)
      }
      columns = options.columns ?? names
    } else if let given = options.columns {
      columns = given
    } else if hasRecord {
      columns = (1...tokenizer.fieldCount).map { "#\($0)" }
      if tokenizer.fieldCount == 1 {
        // The blank lines passed over on the way were records of the single column.
        position = window.batchStart
        line = 1
      }
    }
    if let given = options.columns { try ColumnNames.checkUnique(given, file: file) { _ in nil } }
  }

  private func headerNames() throws(SeedFormatError) -> [String] {
    let start = position
    if let fault = unsafe fault(ofRecordAt: start, window.base) {
      throw error(fault.code, fault.message, at: fault.at)
    }
    guard tokenizer.fieldCount <= CSVTokenizer.maximumColumns else {
      throw error("csv.too-many-columns", "the header has \(tokenizer.fieldCount) columns, at most 65,536", at: start)
    }
    let names = (annotationCount..<tokenizer.fieldCount).map { text(ofColumn: $0, recordStart: start) }
    let starts = (annotationCount..<tokenizer.fieldCount).map { index in
      unsafe index == 0 ? 0 : Int(tokenizer.ends[index - 1]) + 1
    }
    let scalars = starts.map { unsafe UInt64(Text.scalars(window.base, start, start + $0)) + 1 }
    try ColumnNames.checkUnique(names, file: file) { (self.line, scalars[$0]) }
    return names
  }

  /// Whether the tokenized record begins with the names of the annotation.
  private var isAnnotated: Bool {
    let names = options.annotationColumns
    guard !names.isEmpty, tokenizer.fieldCount > names.count else { return false }
    return names.indices.allSatisfy { text(ofColumn: $0, recordStart: position).utf8.elementsEqual(names[$0].utf8) }
  }

  /// The text of a field of the tokenized record.
  private func text(ofColumn column: Int, recordStart: Int) -> String {
    let slice = unsafe self.slice(ofColumn: column, recordStart: recordStart, window.base, relativeTo: 0)
    let isInSide = slice.offset & SideArena.mark != 0
    let offset = Int(slice.offset & ~SideArena.mark)
    let source = unsafe isInSide ? UnsafePointer(side.base) : window.base
    return unsafe String(
      decoding: UnsafeBufferPointer(start: source + offset, count: Int(slice.length)), as: UTF8.self)
  }

  /// Tokenizes the record at `position`, after blank lines and comments.
  /// - Returns: false at the end of the input.
  private func nextRecord() throws(SeedFormatError) -> Bool {
    while true {
      let end = window.end
      guard position < end else {
        if window.isComplete { return false }
        position = try window.refill(unfinishedFrom: position)
        continue
      }
      let first = unsafe window.base[position]
      if (first == 0x0A || first == 0x0D) && columnCount != 1 || first == options.comment {
        guard try skipLine() else { continue }
        continue
      }
      switch unsafe tokenizer.readRecord(window.base, from: position, to: end, isComplete: window.isComplete) {
      case .record:
        if tokenizer.contentEnd - position > options.limits.recordBytes { throw tooLong() }
        return true
      case .incomplete:
        if end - position > options.limits.recordBytes { throw tooLong() }
        position = try window.refill(unfinishedFrom: position)
      case .unterminatedQuote:
        if end - position > options.limits.recordBytes { throw tooLong() }
        throw error(
          "csv.unterminated-quote", "the quote that opens here is never closed", at: tokenizer.quoteAt,
          hint: "close the field with a quote; a quote inside quotes is written twice")
      }
    }
  }

  /// Skips a comment or a blank line, when the window has all of it; otherwise reads more.
  private func skipLine() throws(SeedFormatError) -> Bool {
    var at = position
    let end = window.end
    while at < end, unsafe window.base[at] != 0x0A && window.base[at] != 0x0D { at += 1 }
    let isWhole = at < end && (unsafe window.base[at] == 0x0A || at + 1 < end)
    if !isWhole && !window.isComplete {
      if end - position > options.limits.recordBytes { throw tooLong() }
      position = try window.refill(unfinishedFrom: position)
      return false
    }
    if at + 1 < end, unsafe window.base[at] == 0x0D && window.base[at + 1] == 0x0A { at += 1 }
    position = min(at + 1, end)
    line += 1
    return true
  }

  func fill(_ batch: RecordBatch, maximumRecords: Int) throws(SeedFormatError) {
    while batch.count < maximumRecords, batch.faults.count < maximumRecords,
      position - window.batchStart < batchByteGoal
    {
      guard try nextRecord() else { return }
      unsafe appendRecord(to: batch, window.base)
      line &+= UInt64(truncatingIfNeeded: tokenizer.lineEnds)
      position = tokenizer.next
    }
  }

  @inline(__always) private func appendRecord(to batch: RecordBatch, _ base: UnsafePointer<UInt8>) {
    let start = position
    let recordOffset = start &- window.batchStart
    var place = RecordPlace(
      line: line, byteOffset: window.byteOffset &+ UInt64(truncatingIfNeeded: start),
      rawOffset: UInt32(truncatingIfNeeded: recordOffset),
      rawLength: UInt32(truncatingIfNeeded: tokenizer.contentEnd &- start))
    if tokenizer.fieldCount != columnCount || tokenizer.mayHaveNonASCII || tokenizer.nulAt != nil
      || tokenizer.textAfterQuoteAt != nil
    {
      if let fault = unsafe fault(ofRecordAt: start, base) {
        let shift = annotationCount > 0 ? unsafe stripAnnotation(from: &place, start, base) : 0
        batch.faults.append(
          RecordFault(
            beforeRecord: batch.count, place: place, rawOffset: UInt32(max(fault.at - start - shift, 0)),
            code: fault.code,
            message: fault.message, hint: fault.hint))
        return
      }
    }
    let fieldCount = batch.fieldCount
    let slices = unsafe batch.fieldStorage + batch.count &* fieldCount
    if tokenizer.hasQuotes || tokenizer.hasEscapes {
      for slot in 0..<fieldCount {
        unsafe slices[slot] = slice(
          ofColumn: slotColumns[slot], recordStart: start, base, relativeTo: window.batchStart)
      }
    } else {
      let ends = unsafe tokenizer.ends
      unsafe slotColumns.withUnsafeBufferPointer { slotColumns in
        for slot in 0..<fieldCount {
          let column = unsafe slotColumns[slot]
          var from: UInt32 = 0
          var to = place.rawLength
          if column >= 0 {
            to = unsafe ends[column]
            if column > 0 { from = unsafe ends[column &- 1] &+ 1 }
          }
          unsafe slices[slot] = FieldSlice(
            offset: place.rawOffset &+ from, length: to &- from, kind: .string, isQuoted: false, rawOffset: from)
        }
      }
    }
    if annotationCount > 0 {
      let shift = UInt32(unsafe stripAnnotation(from: &place, start, base))
      for slot in 0..<fieldCount {
        if slotColumns[slot] < 0 {
          unsafe slices[slot].offset += shift
          unsafe slices[slot].length -= shift
        } else {
          unsafe slices[slot].rawOffset -= shift
        }
      }
    }
    unsafe batch.placeStorage[batch.count] = place
    batch.count &+= 1
  }

  /// Lets a place begin where the record's own fields do.
  /// - Returns: the bytes left out; 0 when the record does not even have all fields of the annotation.
  private func stripAnnotation(from place: inout RecordPlace, _ start: Int, _ base: UnsafePointer<UInt8>) -> Int {
    guard tokenizer.fieldCount > annotationCount else { return 0 }
    let shift = unsafe Int(tokenizer.ends[annotationCount - 1]) + 1
    var lineStart = start
    for index in start..<start + shift {
      let byte = unsafe base[index]
      guard byte == 0x0A || byte == 0x0D else { continue }
      if unsafe byte == 0x0D || index == start || base[index - 1] != 0x0D { place.line += 1 }
      lineStart = index + 1
    }
    place.column = UInt32(unsafe Text.scalars(base, lineStart, start + shift)) + 1
    place.byteOffset += UInt64(shift)
    place.rawOffset += UInt32(shift)
    place.rawLength -= UInt32(shift)
    return shift
  }

  /// One field of the tokenized record, unescaped where it must be.
  private func slice(
    ofColumn column: Int, recordStart: Int, _ base: UnsafePointer<UInt8>, relativeTo origin: Int
  ) -> FieldSlice {
    var from = unsafe column <= 0 ? 0 : Int(tokenizer.ends[column - 1]) + 1
    var to = unsafe column < 0 ? tokenizer.contentEnd - recordStart : Int(tokenizer.ends[column])
    let rawOffset = from
    let isQuoted = unsafe column >= 0 && to > from && base[recordStart + from] == tokenizer.quote
    if isQuoted {
      from += 1
      to -= 1
    }
    let text = recordStart + from
    var offset = UInt32(text - origin)
    var length = to - from
    if column >= 0, tokenizer.hasEscapes, let escape = tokenizer.escape ?? (isQuoted ? tokenizer.quote : nil) {
      let unescaped = side.count
      if unsafe unescape(base + text, count: length, escape: escape) {
        offset = UInt32(unescaped) | SideArena.mark
        length = side.count - unescaped
      }
    }
    return FieldSlice(
      offset: offset, length: UInt32(length), kind: .string, isQuoted: isQuoted, rawOffset: UInt32(rawOffset))
  }

  /// Appends the text without its escape bytes to `side`, if it has any.
  private func unescape(_ text: UnsafePointer<UInt8>, count: Int, escape: UInt8) -> Bool {
    guard count > 1, let first = (0..<count - 1).first(where: { unsafe text[$0] == escape }) else { return false }
    side.reserve(count)
    unsafe side.append(text, count: first)
    var at = first
    while at < count {
      if unsafe text[at] == escape && at + 1 < count { at += 1 }
      unsafe side.append(text[at])
      at += 1
    }
    return true
  }

  /// What is wrong with the tokenized record, the gravest first.
  private func fault(
    ofRecordAt start: Int, _ base: UnsafePointer<UInt8>
  ) -> (code: String, message: String, hint: String?, at: Int)? {
    if let at = tokenizer.nulAt {
      return ("text.nul", "the record holds a NUL byte", "is the file really text, in the stated encoding?", at)
    }
    if tokenizer.mayHaveNonASCII, let at = unsafe Text.invalidUTF8(base, start, tokenizer.contentEnd) {
      return (
        "text.invalid-utf8", "the record is not valid UTF-8", "state the encoding if it is UTF-16 or Latin-1", at
      )
    }
    if let at = tokenizer.textAfterQuoteAt {
      return (
        "csv.text-after-quote", "text follows the quote that closes a field",
        "a quote inside quotes is written twice", at
      )
    }
    let found = tokenizer.fieldCount
    guard columnCount > 0, found != columnCount else { return nil }
    let at = unsafe found < columnCount ? tokenizer.contentEnd : start + Int(tokenizer.ends[columnCount - 1])
    let own = max(found - annotationCount, 0)
    return ("csv.ragged", "the record has \(own) fields, expected \(columnCount - annotationCount)", nil, at)
  }

  private func tooLong() -> SeedFormatError {
    error(
      "csv.record-too-long", "the record is longer than \(options.limits.recordBytes) bytes", at: position,
      hint: "is a quote left open? otherwise raise the record limit")
  }

  /// An error at a position in the record that starts at `position`.
  private func error(_ code: String, _ message: String, at: Int, hint: String? = nil) -> SeedFormatError {
    var line = self.line
    var lineStart = position
    for index in position..<at {
      let byte = unsafe window.base[index]
      guard byte == 0x0A || byte == 0x0D else { continue }
      if unsafe byte == 0x0D || index == position || window.base[index - 1] != 0x0D { line += 1 }
      lineStart = index + 1
    }
    return SeedFormatError(
      code: code, kind: .malformed, message: message, hint: hint, file: file, line: line,
      column: unsafe UInt64(Text.scalars(window.base, lineStart, at)) + 1, byteOffset: window.byteOffset + UInt64(at))
  }
}
