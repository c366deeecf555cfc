/// Finds the records of a batch of lines with one JSON value each. Lines end with LF or CRLF.
///
/// The batch's bytes stay in place while it is scanned: unescaped strings gather in `side` and are put behind them at
/// the end. A record is written only where `recordCapacity` leaves room.
@safe final class NDJSONBatchScanner: BatchScanning {
  let plan: ScanPlan
  private let side = ByteBuffer()
  private var projector: JSONProjector

  init(plan: ScanPlan) throws(SeedFormatError) {
    self.plan = plan
    unsafe projector = JSONProjector(
      paths: try FieldPaths(projection: plan.projection, file: plan.file), side: side, base: side.base,
      depthLimit: plan.options.limits.nestingDepth)
    projector.isLineBound = true
    projector.requiresObjects = plan.options.requiresObjects
  }

  func scan(_ batch: RecordBatch) throws(SeedFormatError) {
    let raw = batch.raw
    let base = unsafe UnsafePointer(batch.storage.base)
    let limit = plan.options.limits.recordBytes
    side.removeAll()
    // Back at the end, so that the loop works on its own copy.
    var projector = self.projector
    defer {
      self.projector = projector
      batch.placeUnescaped(side)
    }
    var line = raw.firstLine
    var position = 0
    while position < raw.count {
      precondition(batch.count < batch.recordCapacity, "a batch has more records than were cut off")
      let slices = unsafe batch.fieldStorage + batch.count &* batch.fieldCount
      unsafe projector.tokenizer.attach(base, end: raw.count, isComplete: true)
      var textEnd = unsafe projector.readByShape(at: position, relativeTo: 0, into: slices)
      var lineEnd = textEnd
      if unsafe textEnd >= 0 && base[textEnd] == 0x0D { lineEnd &+= 1 }
      let isKnown = unsafe textEnd >= 0 && (lineEnd >= raw.count || base[lineEnd] == 0x0A)
      if !isKnown {
        lineEnd = unsafe LineEnds.find(0x0A, base, position, raw.count) ?? raw.count
        textEnd = lineEnd
      }
      if lineEnd &- position > limit || (raw.isCut && lineEnd == raw.count) {
        throw tooLong(line: line, byteOffset: raw.byteOffset + UInt64(position))
      }
      if !isKnown {
        unsafe projector.tokenizer.attach(base, end: lineEnd, isComplete: true)
        if unsafe textEnd > position && base[textEnd - 1] == 0x0D { textEnd -= 1 }
      }
      if isKnown || projector.tokenizer.skipWhitespace(position) < lineEnd {
        let place = RecordPlace(
          line: line, byteOffset: raw.byteOffset &+ UInt64(truncatingIfNeeded: position),
          rawOffset: UInt32(truncatingIfNeeded: position), rawLength: UInt32(truncatingIfNeeded: textEnd &- position))
        if !isKnown, let fault = unsafe scanLine(&projector, position, lineEnd, into: slices) {
          batch.append(
            UnreadableRecord(
              beforeRecord: batch.count, place: place, rawOffset: UInt32(min(fault.at, textEnd) - position),
              code: fault.code, message: fault.message, hint: fault.hint))
        } else {
          batch.appendRecord(at: place)
        }
      }
      line &+= 1
      position = min(lineEnd &+ 1, raw.count)
    }
  }

  /// Scans a line that is not blank.
  /// - Returns: what is wrong with it.
  private func scanLine(
    _ projector: inout JSONProjector, _ lineStart: Int, _ lineEnd: Int, into slices: UnsafeMutablePointer<FieldSlice>
  ) -> (code: String, message: String, hint: String?, at: Int)? {
    let sideCount = side.count
    let start = projector.tokenizer.skipWhitespace(lineStart)
    let end = projector.record(start, from: lineStart, relativeTo: 0)
    var fault: (code: String, message: String, hint: String?, at: Int)?
    if end < 0 {
      fault = malformed(projector.tokenizer, projector.tokenizer.stop, at: projector.tokenizer.stopAt, lineStart)
    } else {
      let rest = projector.tokenizer.skipWhitespace(end)
      fault =
        rest < lineEnd
        ? malformed(projector.tokenizer, .textAfterValue, at: rest, lineStart)
        : projector.flaw(lineStart, lineEnd) ?? projector.misfit(start, end)
    }
    if fault != nil {
      side.resize(to: sideCount)
    } else {
      unsafe projector.paths.copy(into: slices)
      projector.learn(start)
    }
    return fault
  }

  /// A line that is no JSON value; bytes that are no text at all are the better reason where there are some.
  private func malformed(
    _ tokenizer: JSONTokenizer, _ stop: JSONStop, at: Int, _ start: Int
  ) -> (code: String, message: String, hint: String?, at: Int) {
    if let at = unsafe LineEnds.find(0, tokenizer.base, start, tokenizer.end) {
      return ("text.nul", "the record holds a NUL byte", "is the file really text, in the stated encoding?", at)
    }
    if let at = unsafe UTF8Text.invalidUTF8(tokenizer.base, start, tokenizer.end) {
      return (
        "text.invalid-utf8", "the record is not valid UTF-8",
        "state its encoding, such as encoding: windows-1252 or latin-1", at
      )
    }
    return stop == .tooDeep
      ? ("json.too-deep", stop.message, "at most \(plan.options.limits.nestingDepth) levels are read", at)
      : (
        "json.malformed", stop.message,
        stop.hint(at: at < tokenizer.end ? unsafe tokenizer.base[at] : nil, isDocument: false), at
      )
  }

  private func tooLong(line: UInt64, byteOffset: UInt64) -> SeedFormatError {
    SeedFormatError(
      code: "json.record-too-long", kind: .malformed,
      message: "the record is longer than \(plan.options.limits.recordBytes) bytes",
      hint: "is the file one JSON document rather than one value per line?",
      file: plan.file, line: line, column: 1, byteOffset: byteOffset)
  }
}
