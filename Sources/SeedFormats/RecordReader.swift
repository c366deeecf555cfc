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
  public var columns: [String] { scanner.columns }
  /// Slices per record: the number of projected paths.
  public let fieldCount: Int

  private let scanner: any RecordScanner
  private let countsCarriageReturns: Bool
  private var ordinal: UInt64 = 0
  private var pendingError: SeedFormatError?
  private var isDone = false

  /// Opens a source and reads a CSV header.
  ///
  /// A projected CSV field is a column name as it stands in the header, or `#3` for the third column (a column with
  /// just that name wins). A JSON field is a JSON Pointer when it starts with `/`; otherwise a top-level key, or,
  /// where a record has no such key, a dotted path in which numbers index arrays. The empty path is the whole record.
  /// - Parameter file: the name that errors carry.
  /// - Throws: errors of the source, `csv.empty`, `csv.duplicate-column`, `csv.unknown-column`, `csv.column-count`,
  ///   `csv.unterminated-quote`, `text.invalid-utf8`, `json.pointer-syntax`, `format.options`.
  public init(
    source: any BlockSource, options: FormatOptions, projection: [String], file: String? = nil
  ) throws(SeedFormatError) {
    try options.validate(file: file)
    fieldCount = projection.count
    countsCarriageReturns = options.format == .csv
    let window = InputWindow(source: source)
    switch options.format {
    case .csv:
      scanner = try CSVRecordScanner(window: window, options: options, projection: projection, file: file)
    case .json:
      scanner = try JSONDocumentScanner(window: window, options: options, projection: projection, file: file)
    case .ndjson:
      scanner = try NDJSONScanner(window: window, options: options, projection: projection, file: file)
    }
  }

  /// Fills the batch with the next records and faults, anew.
  ///
  /// A batch holds at most `maximumRecords` records (never more than 65,536) and about 1 MB of text. An error that ends the input is thrown by
  /// the call after the one that delivered the last record before it.
  /// - Returns: false at the end of the input, with the batch empty.
  public func next(_ batch: RecordBatch, maximumRecords: Int = 8192) throws(SeedFormatError) -> Bool {
    precondition(batch.fieldCount == fieldCount, "the batch was made for another projection")
    precondition(maximumRecords > 0, "a batch holds at least one record")
    let maximumRecords = min(maximumRecords, 65_536)
    batch.reset(records: maximumRecords)
    batch.countsCarriageReturns = countsCarriageReturns
    batch.firstOrdinal = ordinal
    if let error = pendingError { throw error }
    if isDone { return false }
    scanner.side.count = 0
    scanner.window.batchStart = scanner.position
    do {
      try scanner.fill(batch, maximumRecords: maximumRecords)
    } catch {
      pendingError = error
      if batch.count == 0 && batch.faults.isEmpty { throw error }
    }
    finish(batch)
    ordinal += UInt64(batch.count + batch.faults.count)
    isDone = batch.count == 0 && batch.faults.isEmpty
    return !isDone
  }

  /// Copies the batch's raw bytes and unescaped fields into it.
  private func finish(_ batch: RecordBatch) {
    let window = scanner.window
    let rawCount = scanner.position - window.batchStart
    batch.storage.reserve(rawCount + scanner.side.count)
    unsafe batch.storage.append(window.base + window.batchStart, count: rawCount)
    guard scanner.side.count > 0 else { return }
    unsafe batch.storage.append(scanner.side.base, count: scanner.side.count)
    unsafe SideArena.settle(batch.fieldStorage, count: batch.count * batch.fieldCount, rawCount: rawCount)
  }
}
