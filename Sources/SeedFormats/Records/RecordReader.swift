/// Bytes to positioned records. Used by one thread at a time.
///
/// Memory is bounded by the longest record (at most `FormatOptions.Limits.recordBytes`) and a few blocks.
///
/// CSV follows RFC 4180 with these decisions: CR, LF and CRLF all end a record and the last one may lack its end; a
/// quote is special only as the first byte of a field, elsewhere in an unquoted field it is data; blank lines are
/// skipped when the file has more than one column, in a single-column file they are records with an empty field.
/// JSON is RFC 8259 to the letter; duplicate keys are faults where they are projected.
public final class RecordReader {
  /// CSV: the header's names, or the given ones, or `#1`, `#2`, … when there are none. JSON: empty.
  public let columns: [String]
  /// CSV: the delimiter between fields, even when the source itself states it. JSON: empty.
  public let delimiter: [UInt8]
  /// Slices per record: the number of projected paths.
  public let fieldCount: Int

  private let records: Records
  private let scanner = BatchScanner()
  private var ordinal: UInt64 = 0
  private var pendingError: SeedFormatError?
  private var isDone = false

  private enum Records {
    /// Batches of whole records, which are scanned apart.
    case lines(RecordSplitter, ScanPlan, CSVCutFinder?)
    /// The records' ends in a JSON document are only found by scanning it.
    case document(JSONDocumentScanner)
  }

  /// Opens a source and reads a CSV header.
  ///
  /// A projected CSV field is a column name as it stands in the header, or `#3` for the third column (a column with
  /// just that name wins). A JSON field is a JSON Pointer when it starts with `/`; otherwise a top-level key, or,
  /// where a record has no such key, a dotted path in which numbers index arrays. The empty path is the whole record.
  /// - Parameter file: the name that errors carry.
  /// - Throws: errors of the source, `csv.empty`, `csv.duplicate-column`, `csv.unknown-column`, `csv.column-count`,
  ///   `csv.unterminated-quote`, `text.invalid-utf8`, `json.pointer-syntax`, `format.options`.
  public convenience init(
    source: any BlockSource, options: FormatOptions, projection: [String], file: String? = nil
  ) throws(SeedFormatError) {
    try self.init(
      source: source, options: options, projection: projection, file: file, byteGoal: RecordBatch.byteGoal)
  }

  init(
    source: any BlockSource, options: FormatOptions, projection: [String], file: String?, byteGoal: Int
  ) throws(SeedFormatError) {
    try options.validate(file: file)
    fieldCount = projection.count
    if options.format == .json {
      columns = []
      delimiter = []
      records = .document(
        try JSONDocumentScanner(
          window: InputWindow(source: source), options: options, projection: projection, file: file))
      return
    }
    let splitter = RecordSplitter(source: source, byteGoal: byteGoal, recordLimit: options.limits.recordBytes)
    if options.format == .ndjson {
      columns = []
      delimiter = []
      _ = try FieldPaths(projection: projection, file: file)
      try splitter.skipByteOrderMark()
      records = .lines(splitter, ScanPlan(options: options, file: file, projection: projection), nil)
      return
    }
    let header = try CSVHeader(splitter: splitter, options: options, file: file)
    columns = header.columns
    delimiter = [header.options.delimiter] + header.options.delimiterRest
    // The delimiter that the source itself states is used from here on.
    let options = header.options
    let slotColumns = try ColumnNames.resolve(
      projection, in: columns, optional: options.optionalFields, delimiter: options.delimiter, file: file,
      line: header.line)
    let plan = ScanPlan(
      options: options, file: file, projection: projection,
      slotColumns: slotColumns.map { $0 < 0 ? $0 : $0 + header.annotationCount },
      columnCount: header.annotationCount + columns.count, annotationCount: header.annotationCount)
    records = .lines(splitter, plan, CSVCutFinder(options: options, skipsBlankLines: plan.columnCount != 1))
  }

  /// Fills the batch with the next records and faults, anew.
  ///
  /// A batch holds at most `maximumRecords` records (never more than 65,536) and about 1 MB of text. An error that ends
  /// the input is thrown by the call after the one that delivered the last record before it.
  /// - Returns: false at the end of the input, with the batch empty.
  public func next(_ batch: RecordBatch, maximumRecords: Int = 8192) throws(SeedFormatError) -> Bool {
    while try read(batch, maximumRecords: maximumRecords) {
      scanner.scan(batch)
      batch.number(from: ordinal)
      ordinal += UInt64(batch.count + batch.faults.count)
      let isEmpty = batch.count == 0 && batch.faults.isEmpty
      if let error = batch.failure {
        pendingError = error
        if isEmpty { throw error }
      }
      if !isEmpty { return true }
    }
    batch.number(from: ordinal)
    return false
  }

  /// Fills the batch with the bytes of the next records, anew, for a `BatchScanner` to scan, on any thread and in any
  /// order. Records of a JSON document are scanned already.
  ///
  /// Limits are those of `next`. Errors of the source are thrown as there; those in the text become known when it is
  /// scanned. A batch may turn out to have no record.
  /// - Returns: false at the end of the input, with the batch empty.
  public func read(_ batch: RecordBatch, maximumRecords: Int = 8192) throws(SeedFormatError) -> Bool {
    precondition(batch.fieldCount == fieldCount, "the batch was made for another projection")
    precondition(maximumRecords > 0, "a batch holds at least one record")
    batch.clear()
    if let error = pendingError { throw error }
    if isDone { return false }
    let maximumRecords = min(maximumRecords, 65_536)
    switch records {
    case .document(let scanner):
      try fill(batch, maximumRecords: maximumRecords, from: scanner)
      isDone = batch.count == 0 && batch.faults.isEmpty
    case .lines(let splitter, let plan, let cutFinder):
      batch.countsCarriageReturns = plan.options.format == .csv
      isDone = try !splitter.fill(batch, maximumRecords: maximumRecords) { text, isComplete, maximumRecords in
        cutFinder?.cut(text, isComplete: isComplete, maximumRecords: maximumRecords)
          ?? LineEnds.cut(text, isComplete: isComplete, maximumRecords: maximumRecords)
      }
      if !isDone { batch.raw.plan = plan }
    }
    return !isDone
  }

  private func fill(
    _ batch: RecordBatch, maximumRecords: Int, from scanner: JSONDocumentScanner
  ) throws(SeedFormatError) {
    batch.reserve(records: maximumRecords)
    batch.countsCarriageReturns = false
    scanner.side.removeAll()
    let window = scanner.window
    window.beginBatch(at: scanner.position)
    do {
      try scanner.fill(batch, maximumRecords: maximumRecords)
    } catch {
      pendingError = error
      if batch.count == 0 && batch.faults.isEmpty { throw error }
    }
    // Safety: the batch begins at `batchStart`, and the scanner stands behind its last record, within the window.
    unsafe batch.storage.append(window.base + window.batchStart, count: scanner.position - window.batchStart)
    batch.placeUnescaped(scanner.side)
  }
}
