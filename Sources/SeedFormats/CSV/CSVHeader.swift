/// The columns of a CSV source: from its header, the options, or the width of the first record.
@safe struct CSVHeader {
  private(set) var columns: [String] = []
  /// Columns before the record's own.
  private(set) var annotationCount = 0
  /// The line in which the first record starts; 1 where there is none.
  private(set) var line: UInt64 = 1

  /// The options given, with the delimiter that the source itself states.
  private(set) var options: FormatOptions
  private let file: String?
  private let splitter: RecordSplitter
  private let fields = CSVFieldReader(columnCount: 0, annotationCount: 0)
  private var finder: CSVRecordFinder

  /// Reads up to the first record, and leaves the splitter there.
  init(splitter: RecordSplitter, options: FormatOptions, file: String?) throws(SeedFormatError) {
    self.splitter = splitter
    self.options = options
    self.file = file
    try splitter.skipByteOrderMark()
    let preamble = CSVPreamble(splitter: splitter, file: file)
    self.options.delimit(by: try preamble.pass(options))
    finder = CSVRecordFinder(options: self.options, skipsBlankLines: options.columns?.count != 1)
    finder.line = splitter.line
    if options.hasHeader, options.columns != nil, try dropBlankHeader() {
      columns = options.columns ?? []
      try ColumnNames.checkUnique(columns, file: file) { _ in nil }
      return
    }
    let hasRecord = try findRecord()
    line = finder.line
    if hasRecord, isAnnotated { annotationCount = options.annotationColumns.count }
    if options.hasHeader || annotationCount > 0 {
      guard hasRecord else {
        throw SeedFormatError(
          code: "csv.empty", kind: .malformed, message: "the file is empty, a header was expected",
          hint: "set header: false if the file has none", file: file, line: line, column: 1,
          byteOffset: splitter.byteOffset)
      }
      let names = try headerNames()
      finder.advance()
      splitter.drop(finder.position, lines: Int(finder.line - splitter.line))
      if let given = options.columns, given.count != names.count {
        throw SeedFormatError(
          code: "csv.column-count", kind: .malformed,
          message: "\(given.count) column names are given, the header has \(names.count)", file: file,
          line: line)
      }
      columns = options.columns ?? names
    } else if let given = options.columns {
      columns = given
    } else if hasRecord {
      columns = (1...finder.tokenizer.fieldCount).map { "#\($0)" }
    }
    let width = annotationCount + columns.count
    guard width <= CSVTokenizer.maximumColumns else {
      throw SeedFormatError(
        code: "csv.too-many-columns", kind: .malformed,
        message: options.columns == nil
          ? "the first record has \(width) fields, at most 65,536 are read"
          : "\(width) columns are named, at most 65,536 are read", file: file, line: line)
    }
    if let given = options.columns { try ColumnNames.checkUnique(given, file: file) { _ in nil } }
  }

  private var errors: CSVErrors {
    unsafe CSVErrors(
      base: UnsafePointer(splitter.carry.base), byteOffset: splitter.byteOffset, recordStart: finder.position,
      line: finder.line, file: file)
  }

  /// Passes over a first line with nothing in it: where the names are given, it is the header.
  /// - Returns: whether there was one.
  private func dropBlankHeader() throws(SeedFormatError) -> Bool {
    // Two bytes, or the end: a CR may have its LF.
    while splitter.carry.count < 2 && !splitter.isAtEnd { try splitter.readMore() }
    let count = splitter.carry.count
    guard count > 0 else { return false }
    let first = unsafe splitter.carry.base[0]
    guard first == 0x0A || first == 0x0D else { return false }
    splitter.drop(unsafe first == 0x0D && count > 1 && splitter.carry.base[1] == 0x0A ? 2 : 1, lines: 1)
    return true
  }

  /// Tokenizes the first record.
  /// - Returns: false when there is none.
  private mutating func findRecord() throws(SeedFormatError) -> Bool {
    let carry = splitter.carry
    let limit = options.limits.recordBytes
    while true {
      // Safety: the carry ends with zeroes, which `readMore` and `drop` put there; its base is taken anew each time.
      let outcome = unsafe finder.find(carry.base, to: carry.count, isComplete: splitter.isAtEnd)
      let length = carry.count - finder.position
      switch outcome {
      case .record where finder.tokenizer.contentEnd - finder.position <= limit: return true
      case .record, .tooLong: throw errors.tooLong(limit: limit)
      case .end where splitter.isAtEnd: return false
      case .end: break
      case .incomplete: if length > limit + 2 { throw errors.tooLong(limit: limit) }
      case .unterminatedQuote:
        if length > limit { throw errors.tooLong(limit: limit, openQuote: finder.tokenizer.quoteAt) }
        throw errors.unterminatedQuote(at: finder.tokenizer.quoteAt)
      }
      try splitter.readMore()
    }
  }

  private func headerNames() throws(SeedFormatError) -> [String] {
    let start = finder.position
    let tokenizer = finder.tokenizer
    // Safety: nothing is read on while the pointer is in use, so the carry stays in place.
    let base = unsafe UnsafePointer(splitter.carry.base)
    if let fault = unsafe fields.fault(tokenizer, recordStart: start, line: finder.line, base) {
      throw errors.error(fault.code, fault.message, at: fault.at, hint: fault.hint)
    }
    guard tokenizer.fieldCount <= CSVTokenizer.maximumColumns else {
      throw errors.error(
        "csv.too-many-columns", "the header has \(tokenizer.fieldCount) columns, at most 65,536", at: start)
    }
    let own = annotationCount..<tokenizer.fieldCount
    let names = own.map { unsafe fields.text(ofColumn: $0, tokenizer, recordStart: start, base) }
    let scalars = own.map { index in
      let from = unsafe index == 0 ? 0 : Int(tokenizer.ends[index - 1]) + tokenizer.delimiterLength
      return unsafe UInt64(UTF8Text.scalars(base, start, start + from)) + 1
    }
    // Names that the options replace may be anything.
    if options.columns == nil { try ColumnNames.checkUnique(names, file: file) { (finder.line, scalars[$0]) } }
    return names
  }

  /// Whether the tokenized record begins with the names of the annotation.
  private var isAnnotated: Bool {
    let names = options.annotationColumns
    guard !names.isEmpty, finder.tokenizer.fieldCount > names.count else { return false }
    let base = unsafe UnsafePointer(splitter.carry.base)
    return names.indices.allSatisfy { index in
      unsafe fields.text(ofColumn: index, finder.tokenizer, recordStart: finder.position, base).utf8
        .elementsEqual(names[index].utf8)
    }
  }
}
