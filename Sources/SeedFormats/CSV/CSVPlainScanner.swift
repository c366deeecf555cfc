/// The CSV scanner of text in which nothing is special but delimiters, line ends and quotes around whole fields on one
/// line: a delimiter of one byte, no escape or comment byte, no NUL, no CR without its LF, and all of it UTF-8. Most
/// machine-written files are of that sort from end to end.
///
/// Where each field ends is looked up in a structural index of the whole batch.
///
/// The batch has room for as many records as the splitter found line ends or records in its bytes
/// (`raw.maximumRecords`, which `BatchScanner` reserves); a line end inside quotes is none there, and makes `build`
/// give up here. Its storage stays where it is during a scan, because unescaped text gathers in `fields.side` and is
/// put behind the bytes afterwards.
@safe final class CSVPlainScanner {
  private let plan: ScanPlan
  private let fields: CSVFieldReader
  private let index: StructuralIndex
  /// Column of each projected field; of the whole record any.
  private let slotColumns: FieldEnds
  private let wholeRecordSlots: [Int]
  /// Projected fields that the file has no column for.
  private let absentSlots: [Int]

  init(plan: ScanPlan, fields: CSVFieldReader) {
    self.plan = plan
    self.fields = fields
    index = StructuralIndex(slack: plan.columnCount + 1)
    slotColumns = FieldEnds(count: max(plan.slotColumns.count, 1))
    for (slot, column) in plan.slotColumns.enumerated() { unsafe slotColumns.ends[slot] = UInt32(max(column, 0)) }
    wholeRecordSlots = plan.slotColumns.indices.filter { plan.slotColumns[$0] == ScanPlan.wholeRecord }
    absentSlots = plan.slotColumns.indices.filter { plan.slotColumns[$0] == ScanPlan.noColumn }
  }

  /// - Returns: false, and nothing is done, when the batch is not of the sort.
  func scan(_ batch: RecordBatch) throws(SeedFormatError) -> Bool {
    guard suits(batch) else { return false }
    let storage = batch.storage
    let base = unsafe storage.base
    var end = batch.raw.count
    let options = plan.options
    let quote = options.quote.flatMap { unsafe LineEnds.find($0, base, 0, end) == nil ? nil : $0 }
    // The last record gets the line end that it may lack.
    if unsafe end > 0 && base[end - 1] != 0x0A {
      // Safety: the first byte of the slack; `terminate` makes it zero again.
      unsafe base[end] = 0x0A
      end += 1
    }
    defer { storage.terminate() }
    var hasDoubledQuotes = false
    if let quote {
      guard let found = unsafe index.build(base, count: end, delimiter: options.delimiter, quote: quote),
        !found || options.escape == nil
      else { return false }
      hasDoubledQuotes = found
    } else {
      unsafe index.build(base, count: end, delimiter: options.delimiter)
    }
    fields.side.removeAll()
    let tooLongAt = unsafe findRecords(batch, base, quote: quote, hasDoubledQuotes: hasDoubledQuotes)
    batch.placeUnescaped(fields.side)
    guard let tooLongAt else { return true }
    let errors = unsafe CSVErrors(
      base: batch.storage.base, byteOffset: batch.raw.byteOffset, recordStart: tooLongAt,
      line: batch.raw.firstLine + UInt64(LineEnds.count(0x0A, batch.storage.base, 0, tooLongAt)), file: plan.file)
    throw errors.tooLong(limit: options.limits.recordBytes)
  }

  private func suits(_ batch: RecordBatch) -> Bool {
    let options = plan.options
    let base = unsafe UnsafePointer(batch.storage.base)
    let count = batch.raw.count
    guard plan.annotationCount == 0, options.delimiterRest.isEmpty, plan.columnCount > 0, !batch.raw.isCut,
      count <= StructuralIndex.maximumBytes
    else { return false }
    for byte in [options.escape, options.comment, 0] {
      if let byte, unsafe LineEnds.find(byte, base, 0, count) != nil { return false }
    }
    return unsafe LineEnds.countBareCarriageReturns(base, 0, count) == 0 && UTF8Text.invalidUTF8(base, 0, count) == nil
  }

  /// - Returns: where a record starts that is longer than any may be; nil when there is none.
  private func findRecords(
    _ batch: RecordBatch, _ base: UnsafePointer<UInt8>, quote: UInt8?, hasDoubledQuotes: Bool
  ) -> Int? {
    let columnCount = plan.columnCount
    let recordLimit = plan.options.limits.recordBytes
    let slotCount = batch.fieldCount
    let byteOffset = batch.raw.byteOffset
    let firstLine = batch.raw.firstLine
    let columns = unsafe slotColumns.ends
    let lineFeeds = unsafe index.lineFeeds
    let hasWholeRecords = !wholeRecordSlots.isEmpty
    let hasAbsent = !absentSlots.isEmpty
    // The ends of the fields of the record at hand.
    var ends = unsafe index.positions
    var slices = unsafe batch.fieldStorage
    var place = unsafe batch.placeStorage
    var count = 0
    defer { batch.commit(records: count) }

    var start: UInt32 = 0
    for line in 0..<index.lineFeedCount {
      let lineFeed = unsafe lineFeeds[line]
      var end = lineFeed
      if unsafe end > start && base[Int(truncatingIfNeeded: end) &- 1] == 0x0D { end &-= 1 }
      if Int(truncatingIfNeeded: end &- start) > recordLimit { return Int(start) }
      let raw = RecordPlace(
        line: firstLine &+ UInt64(truncatingIfNeeded: line), byteOffset: byteOffset &+ UInt64(start), rawOffset: start,
        rawLength: end &- start)
      // Safety: a record may have fewer fields than there are columns; the index then gives the ends of the next ones,
      // or, behind the last, as many places of its slack. A column is under `columnCount`, or one of a slot that is
      // filled in below.
      if unsafe ends[columnCount &- 1] == lineFeed && (end > start || columnCount == 1) {
        // Safety: the end of the record before, which nothing reads any more, or the place in front of the list.
        unsafe ends[-1] = start &- 1
        unsafe ends[columnCount &- 1] = end
        for slot in 0..<slotCount {
          let column = unsafe Int(truncatingIfNeeded: columns[slot])
          let from = unsafe ends[column &- 1] &+ 1
          unsafe slices[slot] = FieldSlice(
            offset: from, length: ends[column] &- from, kind: .string, isQuoted: false, rawOffset: from &- start)
        }
        if let quote {
          unsafe removeQuotes(slices, slotCount, base, quote, hasDoubledQuotes: hasDoubledQuotes)
        }
        if hasWholeRecords { unsafe fillWholeRecord(slices, raw) }
        if hasAbsent { for slot in absentSlots { unsafe slices[slot] = .absent } }
        unsafe place.pointee = raw
        unsafe slices += slotCount
        unsafe place += 1
        count &+= 1
        unsafe ends += columnCount
      } else {
        var found = 1
        // Safety: every line feed is in the list of ends too.
        while unsafe ends[found &- 1] != lineFeed { found &+= 1 }
        if end > start {
          batch.commit(records: count)
          unsafe appendRagged(raw, fieldCount: found, ends, to: batch)
        }
        unsafe ends += found
      }
      start = lineFeed &+ 1
    }
    return nil
  }

  @inline(__always) private func removeQuotes(
    _ slices: UnsafeMutablePointer<FieldSlice>, _ count: Int, _ base: UnsafePointer<UInt8>, _ quote: UInt8,
    hasDoubledQuotes: Bool
  ) {
    for slot in 0..<count {
      let slice = unsafe slices[slot]
      guard unsafe slice.length > 0 && base[Int(truncatingIfNeeded: slice.offset)] == quote else { continue }
      unsafe slices[slot].offset = slice.offset &+ 1
      unsafe slices[slot].length = slice.length &- 2
      unsafe slices[slot].isQuoted = true
      guard hasDoubledQuotes, !wholeRecordSlots.contains(slot) else { continue }
      unsafe fields.unescape(&slices[slot], base, escape: quote, quote: quote)
    }
  }

  private func fillWholeRecord(_ slices: UnsafeMutablePointer<FieldSlice>, _ place: RecordPlace) {
    for slot in wholeRecordSlots {
      unsafe slices[slot] = FieldSlice(
        offset: place.rawOffset, length: place.rawLength, kind: .string, isQuoted: false, rawOffset: 0)
    }
  }

  private func appendRagged(
    _ place: RecordPlace, fieldCount: Int, _ ends: UnsafePointer<UInt32>, to batch: RecordBatch
  ) {
    // Of too many fields the last expected one tells where the mistake is, of too few the record's end.
    let at = unsafe fieldCount < plan.columnCount ? place.rawLength : ends[plan.columnCount - 1] - place.rawOffset
    let fault = fields.raggedFault(fieldCount, at: Int(at))
    batch.append(
      UnreadableRecord(
        beforeRecord: batch.count, place: place, rawOffset: at, code: fault.code, message: fault.message,
        hint: fault.hint))
  }
}
