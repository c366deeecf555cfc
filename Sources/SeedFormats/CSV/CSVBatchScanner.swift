/// Finds the records of a batch of CSV text and their projected fields.
///
/// The batch's bytes stay in place while it is scanned: unescaped fields gather in `fields.side` and are put behind
/// them at the end. They are followed by a slack of zeroes. A record is written only where `recordCapacity` leaves
/// room.
@safe final class CSVBatchScanner: BatchScanning {
  let plan: ScanPlan
  private let fields: CSVFieldReader
  private let plain: CSVPlainScanner
  private var finder: CSVRecordFinder

  init(plan: ScanPlan) {
    self.plan = plan
    fields = CSVFieldReader(columnCount: plan.columnCount, annotationCount: plan.annotationCount)
    plain = CSVPlainScanner(plan: plan, fields: fields)
    finder = CSVRecordFinder(options: plan.options, skipsBlankLines: plan.columnCount != 1)
    finder.tokenizer.limitColumns(to: plan.columnCount)
  }

  func scan(_ batch: RecordBatch) throws(SeedFormatError) {
    if try !scanPlain(batch) { try scanAny(batch) }
  }

  /// - Returns: false, and nothing is done, when the text is not of the plain sort.
  func scanPlain(_ batch: RecordBatch) throws(SeedFormatError) -> Bool { try plain.scan(batch) }

  /// Text of any sort: quotes anywhere, escapes, comments, bare carriage returns, NUL, bytes that are no UTF-8.
  func scanAny(_ batch: RecordBatch) throws(SeedFormatError) {
    let raw = batch.raw
    let base = unsafe UnsafePointer(batch.storage.base)
    let limit = plan.options.limits.recordBytes
    fields.side.removeAll()
    // Back at the end, so that the loop works on its own copy.
    var finder = self.finder
    finder.position = 0
    finder.line = raw.firstLine
    defer {
      self.finder = finder
      batch.placeUnescaped(fields.side)
    }
    while true {
      let outcome = unsafe finder.find(base, to: raw.count, isComplete: !raw.isCut)
      let start = finder.position
      var isTooLong = false
      switch outcome {
      case .record: isTooLong = finder.tokenizer.contentEnd &- start > limit
      case .end: return
      case .incomplete, .tooLong: isTooLong = true
      case .unterminatedQuote: isTooLong = raw.count &- start > limit
      }
      if isTooLong || outcome == .unterminatedQuote {
        let errors = unsafe CSVErrors(
          base: base, byteOffset: raw.byteOffset, recordStart: start, line: finder.line, file: plan.file)
        let quote = outcome == .unterminatedQuote ? finder.tokenizer.quoteAt : nil
        guard let quote, !isTooLong else { throw errors.tooLong(limit: limit, openQuote: quote) }
        throw errors.unterminatedQuote(at: quote)
      }
      unsafe append(finder.tokenizer, start, finder.line, to: batch, base)
      finder.advance()
    }
  }

  @inline(__always) private func append(
    _ tokenizer: CSVTokenizer, _ start: Int, _ line: UInt64, to batch: RecordBatch, _ base: UnsafePointer<UInt8>
  ) {
    var place = RecordPlace(
      line: line, byteOffset: batch.raw.byteOffset &+ UInt64(truncatingIfNeeded: start),
      rawOffset: UInt32(truncatingIfNeeded: start),
      rawLength: UInt32(truncatingIfNeeded: tokenizer.contentEnd &- start))
    if tokenizer.fieldCount != plan.columnCount || tokenizer.mayHaveNonASCII || tokenizer.nulAt != nil
      || tokenizer.textAfterQuoteAt != nil
    {
      if let fault = unsafe fields.fault(tokenizer, recordStart: start, line: line, base) {
        let shift = unsafe fields.stripAnnotation(from: &place, tokenizer, start, base)
        batch.append(
          UnreadableRecord(
            beforeRecord: batch.count, place: place, rawOffset: UInt32(max(fault.at - start - shift, 0)),
            code: fault.code, message: fault.message, hint: fault.hint))
        return
      }
    }
    precondition(batch.count < batch.recordCapacity, "a batch has more records than were cut off")
    // Safety: there is room for the record, and a plan has a slot for each of its `fieldCount` slices.
    let slices = unsafe batch.fieldStorage + batch.count &* batch.fieldCount
    let shift = unsafe UInt32(fields.stripAnnotation(from: &place, tokenizer, start, base))
    for (slot, column) in plan.slotColumns.enumerated() {
      if column == ScanPlan.noColumn {
        unsafe slices[slot] = .absent
        continue
      }
      var slice = unsafe fields.slice(ofColumn: column, tokenizer, recordStart: start, base)
      if column < 0 {
        slice.offset += shift
        slice.length -= shift
      } else {
        slice.rawOffset -= shift
      }
      unsafe slices[slot] = slice
    }
    batch.appendRecord(at: place)
  }
}
