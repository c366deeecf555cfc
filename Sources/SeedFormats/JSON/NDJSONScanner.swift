#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One JSON value per line into batches. Lines end with LF or CRLF.
@safe final class NDJSONScanner: RecordScanner {
  let columns: [String] = []
  let side = ByteBuffer()
  let window: InputWindow
  private(set) var position = 0

  private var projector: JSONProjector
  private let limits: FormatOptions.Limits
  private let file: String?
  private var line: UInt64 = 1

  init(
    window: InputWindow, options: FormatOptions, projection: [String], file: String?
  ) throws(SeedFormatError) {
    self.window = window
    limits = options.limits
    self.file = file
    unsafe projector = JSONProjector(
      paths: try FieldPaths(projection: projection, file: file), side: side, base: window.base,
      depthLimit: options.limits.nestingDepth)
    position = try window.skipByteOrderMark()
    window.batchStart = position
  }

  func fill(_ batch: RecordBatch, maximumRecords: Int) throws(SeedFormatError) {
    while batch.count < maximumRecords, batch.faults.count < maximumRecords,
      position - window.batchStart < batchByteGoal
    {
      let end = window.end
      var lineEnd = end
      if position < end, let found = unsafe memchr(window.base + position, 0x0A, end - position) {
        lineEnd = unsafe UnsafeRawPointer(found) - UnsafeRawPointer(window.base)
      }
      if lineEnd - position > limits.recordBytes { throw tooLong() }
      if lineEnd == end {
        if !window.isComplete {
          position = try window.refill(unfinishedFrom: position)
          continue
        }
        if position == end { return }
      }
      appendLine(to: batch, lineEnd: lineEnd)
      line += 1
      position = min(lineEnd + 1, end)
    }
  }

  private func appendLine(to batch: RecordBatch, lineEnd: Int) {
    let lineStart = position
    unsafe projector.tokenizer.attach(window.base, end: lineEnd, isComplete: true)
    let start = projector.tokenizer.skipWhitespace(lineStart)
    guard start < lineEnd else { return }
    var textEnd = lineEnd
    if unsafe window.base[lineEnd - 1] == 0x0D { textEnd -= 1 }
    let place = RecordPlace(
      line: line, byteOffset: window.byteOffset + UInt64(lineStart), rawOffset: UInt32(lineStart - window.batchStart),
      rawLength: UInt32(textEnd - lineStart))
    let sideCount = side.count
    var fault: (code: String, message: String, hint: String?, at: Int)?
    let end = projector.record(start, from: lineStart, relativeTo: window.batchStart)
    if end < 0 {
      fault = malformed(projector.tokenizer.stop, at: projector.tokenizer.stopAt, lineStart, lineEnd)
    } else {
      let rest = projector.tokenizer.skipWhitespace(end)
      fault =
        rest < lineEnd
        ? malformed(.textAfterValue, at: rest, lineStart, lineEnd)
        : projector.flaw(lineStart, lineEnd)
    }
    if let fault {
      side.count = sideCount
      batch.faults.append(
        RecordFault(
          beforeRecord: batch.count, place: place, rawOffset: UInt32(min(fault.at, textEnd) - lineStart),
          code: fault.code, message: fault.message, hint: fault.hint))
      return
    }
    unsafe projector.paths.copy(into: batch.fieldStorage + batch.count * batch.fieldCount)
    unsafe batch.placeStorage[batch.count] = place
    batch.count += 1
  }

  /// A line that is no JSON value; bytes that are no text at all are the better reason where there are some.
  private func malformed(
    _ stop: JSONStop, at: Int, _ start: Int, _ end: Int
  ) -> (code: String, message: String, hint: String?, at: Int) {
    if let nul = unsafe memchr(window.base + start, 0, end - start) {
      let at = unsafe UnsafeRawPointer(nul) - UnsafeRawPointer(window.base)
      return ("text.nul", "the record holds a NUL byte", "is the file really text, in the stated encoding?", at)
    }
    if let at = unsafe Text.invalidUTF8(window.base, start, end) {
      return (
        "text.invalid-utf8", "the record is not valid UTF-8", "state the encoding if it is UTF-16 or Latin-1", at
      )
    }
    return stop == .tooDeep
      ? ("json.too-deep", stop.message, "at most \(limits.nestingDepth) levels are read", at)
      : ("json.malformed", stop.message, nil, at)
  }

  private func tooLong() -> SeedFormatError {
    SeedFormatError(
      code: "json.record-too-long", kind: .malformed,
      message: "the record is longer than \(limits.recordBytes) bytes",
      hint: "is the file one JSON document rather than one value per line? otherwise raise the record limit",
      file: file, line: line, column: 1, byteOffset: window.byteOffset + UInt64(position))
  }
}
