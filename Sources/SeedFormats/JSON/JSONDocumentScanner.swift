/// The records of one JSON document into batches: the elements of an array, streamed, or the root as one record.
///
/// `refill` moves the window, so positions are kept instead of pointers and the tokenizer is attached anew after it.
/// Records are written where `maximumRecords` leaves room, which the batch has reserved.
@safe final class JSONDocumentScanner {
  private enum Stage {
    /// Before the first element, between elements, after the array, at the end of the document.
    case firstElement, laterElement, afterArray, done
  }

  let side = ByteBuffer()
  let window: InputWindow
  private(set) var position = 0

  private var projector: JSONProjector
  private let limits: FormatOptions.Limits
  private let pointer: String
  private let expectsArray: Bool
  private let file: String?
  private let path: [[UInt8]]
  private var stage = Stage.firstElement
  private var isStarted = false
  /// Containers that are open on the way to the array, outermost first.
  private var open: [OpenContainer] = []
  private struct OpenContainer {
    let isObject: Bool
    var index = 0
    var isFirst = true
  }
  private let keyScratch = ByteBuffer(capacity: 256)
  /// The batch being filled has records, whose text the window must keep.
  private var holdsRecords = false

  /// Line and column of `placedTo`.
  private var line: UInt64 = 1
  private var column: UInt64 = 1
  private var placedTo: UInt64 = 0

  init(
    window: InputWindow, options: FormatOptions, projection: [String], file: String?
  ) throws(SeedFormatError) {
    self.window = window
    limits = options.limits
    pointer = options.pointer
    expectsArray = options.expectsArray && options.pointer.isEmpty
    self.file = file
    path = try JSONPointer.tokens(options.pointer, file: file)
    unsafe projector = JSONProjector(
      paths: try FieldPaths(projection: projection, file: file), side: side, base: window.base,
      depthLimit: options.limits.nestingDepth)
    projector.requiresObjects = options.requiresObjects
    position = try window.skipByteOrderMark()
    window.beginBatch(at: position)
    placedTo = UInt64(position)
  }

  func fill(_ batch: RecordBatch, maximumRecords: Int) throws(SeedFormatError) {
    holdsRecords = false
    if !isStarted {
      isStarted = true
      try enter(batch)
    }
    while stage == .firstElement || stage == .laterElement {
      guard batch.count < maximumRecords, batch.faults.count < maximumRecords,
        position - window.batchStart < RecordBatch.byteGoal
      else { return }
      let byte = try nextByte()
      if byte == 0x5D {
        position += 1
        stage = .afterArray
        break
      }
      if stage == .laterElement {
        guard byte == 0x2C else { throw malformed(.expectedCommaOrBracket, at: position) }
        position += 1
        _ = try nextByte()
      }
      stage = .laterElement
      try appendRecord(to: batch)
    }
    if stage == .afterArray && !holdsRecords {
      try leave()
      stage = .done
    }
  }

  /// Moves to the first byte that is not whitespace.
  private func nextByte() throws(SeedFormatError) -> UInt8 {
    while true {
      attach()
      position = projector.tokenizer.skipWhitespace(position)
      if position < window.end { return unsafe window.base[position] }
      if window.isComplete { throw malformed(.unexpectedEnd, at: position) }
      try refill()
    }
  }

  private func attach() {
    unsafe projector.tokenizer.attach(window.base, end: window.end, isComplete: window.isComplete)
  }

  private func refill() throws(SeedFormatError) {
    place(position)
    if !holdsRecords { window.beginBatch(at: position) }
    position = try window.refill(unfinishedFrom: position)
    attach()
  }

  /// Passes over one token, reading more input until it is whole.
  private func token(_ scan: (inout JSONTokenizer, Int) -> Int) throws(SeedFormatError) -> Int {
    while true {
      attach()
      let end = scan(&projector.tokenizer, position)
      if end >= 0 { return end }
      guard projector.tokenizer.stop == .incomplete else {
        throw malformed(projector.tokenizer.stop, at: projector.tokenizer.stopAt)
      }
      if window.end - position > limits.recordBytes { throw tooLong() }
      try refill()
    }
  }

  // MARK: - Records

  private func appendRecord(to batch: RecordBatch) throws(SeedFormatError) {
    projector.tokenizer.outerDepth = open.count + (stage == .laterElement ? 1 : 0)
    if !holdsRecords { window.beginBatch(at: position) }
    holdsRecords = true
    let sideCount = side.count
    // Safety: `fill` has seen that the batch has room for one more record.
    let slices = unsafe batch.fieldStorage + batch.count * batch.fieldCount
    attach()
    var end = unsafe projector.readByShape(at: position, relativeTo: window.batchStart, into: slices)
    let isKnown = end >= 0
    while end < 0 {
      side.resize(to: sideCount)
      end = projector.record(position, from: position, relativeTo: window.batchStart)
      if end >= 0 { break }
      guard projector.tokenizer.stop == .incomplete else {
        throw malformed(projector.tokenizer.stop, at: projector.tokenizer.stopAt)
      }
      if window.end - position > limits.recordBytes { throw tooLong() }
      try refill()
      attach()
    }
    if end - position > limits.recordBytes { throw tooLong() }
    place(position)
    let place = RecordPlace(
      line: line, byteOffset: window.byteOffset + UInt64(position), rawOffset: UInt32(position - window.batchStart),
      rawLength: UInt32(end - position), column: UInt32(clamping: column))
    if !isKnown, let fault = projector.flaw(position, end) ?? projector.misfit(position, end) {
      side.resize(to: sideCount)
      batch.append(
        UnreadableRecord(
          beforeRecord: batch.count, place: place, rawOffset: UInt32(fault.at - position), code: fault.code,
          message: fault.message, hint: fault.hint))
    } else {
      if !isKnown {
        unsafe projector.paths.copy(into: slices)
        projector.learn(position)
      }
      batch.appendRecord(at: place)
    }
    position = end
  }

  // MARK: - The way to the array and out again

  /// Goes to the array of records. A root that is no array is one record when no pointer is given.
  private func enter(_ batch: RecordBatch) throws(SeedFormatError) {
    let first = try nextByte()
    if path.isEmpty && first != 0x5B {
      stage = .afterArray
      batch.markWholeDocument()
      try appendRecord(to: batch)
      if first == 0x7B && expectsArray && batch.count == 1 { try refuseUnlessRecord(batch) }
      return
    }
    for level in 0..<path.count {
      let byte = try nextByte()
      guard byte == 0x7B || byte == 0x5B else { throw notFound(level: level) }
      if open.count >= limits.nestingDepth { throw malformed(.tooDeep, at: position) }
      open.append(OpenContainer(isObject: byte == 0x7B))
      position += 1
      guard try pass(until: path[level]) else { throw notFound(level: level) }
    }
    guard try nextByte() == 0x5B else {
      let (end, isWhole) = try endOfValue()
      let hint = unsafe arraysHint(window.base + position, count: end - position, isWhole: isWhole)
      throw error("json.not-an-array", "the value at \"\(pointer)\" is not an array", at: position, hint: hint)
    }
    position += 1
  }

  /// Takes the document's object for a record only where it must be meant as one.
  private func refuseUnlessRecord(_ batch: RecordBatch) throws(SeedFormatError) {
    let place = batch.place(ofRecord: 0)
    let start = window.batchStart + Int(place.rawOffset)
    let text = unsafe UnsafeRawBufferPointer(start: window.base + start, count: Int(place.rawLength))
    let hasField = (0..<batch.fieldCount).contains { batch.field($0, ofRecord: 0).kind != .absent }
    let arrays = unsafe JSONArrays(text).found
    if hasField, !arrays.contains(where: { $0.holdsObjects && !projector.paths.leads(to: $0.path) }) { return }
    batch.commit(records: 0)
    let hint = unsafe arraysHint(window.base + start, count: text.count)
    throw error("json.not-an-array", "the document is an object, not an array of records", at: start, hint: hint)
  }

  /// Which pointers lead to arrays in a value.
  /// - Parameter isWhole: whether all of the value is there.
  private func arraysHint(_ base: UnsafePointer<UInt8>, count: Int, isWhole: Bool = true) -> String? {
    let arrays = unsafe JSONArrays(UnsafeRawBufferPointer(start: base, count: count))
    let whole = "pointer: \"\" takes the document itself as the only record"
    if let list = arrays.list(below: pointer) {
      let more = isWhole ? expectsArray ? "; or \(whole)" : "" : "; others may follow"
      return "state the pointer to the array of records: \(list)\(more)"
    }
    if !arrays.found.isEmpty {
      return "state the pointer to the array of records; those that came are longer than "
        + "\(JSONArrays.longestPointer) bytes"
    }
    if !isWhole {
      return "no array came in what was read of it; state the pointer to the array of records, if one follows"
    }
    return expectsArray
      ? "it has no arrays; \(whole), and keyed-by: id its members as records, with their keys as the field id" : nil
  }

  /// Where the value at `position` ends, or what is there of it when it is too long or malformed.
  private func endOfValue() throws(SeedFormatError) -> (end: Int, isWhole: Bool) {
    while true {
      attach()
      let end = projector.tokenizer.value(position)
      if end >= 0 { return (end, true) }
      guard projector.tokenizer.stop == .incomplete, window.end - position <= limits.recordBytes else {
        return (window.end, false)
      }
      try refill()
    }
  }

  /// Validates what follows the array of records up to the end of the document.
  private func leave() throws(SeedFormatError) {
    while !open.isEmpty {
      _ = try pass(until: nil)
      open.removeLast()
    }
    while true {
      attach()
      position = projector.tokenizer.skipWhitespace(position)
      if position < window.end {
        throw malformed(.textAfterValue, at: position)
      }
      if window.isComplete { return }
      try refill()
    }
  }

  /// Passes over members of the innermost open container: up to the value of the wanted one, or to the end.
  /// - Returns: whether the wanted member was found. The container's end is passed when it was not.
  private func pass(until wanted: [UInt8]?) throws(SeedFormatError) -> Bool {
    let level = open.count - 1
    let isObject = open[level].isObject
    let wantedIndex = wanted.map(FieldPaths.arrayIndex)
    while true {
      var byte = try nextByte()
      if byte == (isObject ? 0x7D : 0x5D) {
        position += 1
        return false
      }
      if !open[level].isFirst {
        guard byte == 0x2C else {
          throw malformed(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket, at: position)
        }
        position += 1
        byte = try nextByte()
      }
      open[level].isFirst = false
      var isWanted = open[level].index == wantedIndex
      if isObject {
        guard byte == 0x22 else { throw malformed(.expectedKey, at: position) }
        let keyEnd = try token { $0.string($1) }
        let matches = try key(endingAt: keyEnd) == path[level]
        if matches && wanted == nil {
          throw error("json.duplicate-key", "the key on the way to the records occurs twice", at: position)
        }
        isWanted = matches && wanted != nil
        position = keyEnd
        guard try nextByte() == 0x3A else { throw malformed(.expectedColon, at: position) }
        position += 1
        _ = try nextByte()
      }
      open[level].index += 1
      if isWanted { return true }
      try passValue()
    }
  }

  /// The key at `position`, unescaped.
  private func key(endingAt end: Int) throws(SeedFormatError) -> [UInt8] {
    if let at = unsafe UTF8Text.invalidUTF8(window.base, position, end) {
      throw error("text.invalid-utf8", "the document is not valid UTF-8", at: at)
    }
    keyScratch.removeAll()
    // Safety: `end` is behind the closing quote, and nothing is read on while the key is unescaped.
    unsafe JSONStringDecoding.unescape(window.base + position + 1, count: end - position - 2, into: keyScratch)
    return unsafe Array(UnsafeBufferPointer(start: keyScratch.base, count: keyScratch.count))
  }

  /// Passes over a value that is no record, however long it is.
  private func passValue() throws(SeedFormatError) {
    let byte = try nextByte()
    projector.tokenizer.clear()
    guard byte == 0x7B || byte == 0x5B else {
      let end = try token { $0.scalar($1) }
      try checkSkipped(to: end)
      return
    }
    projector.tokenizer.outerDepth = open.count
    guard projector.tokenizer.open(position) else { throw malformed(.tooDeep, at: position) }
    position += 1
    while true {
      let end = projector.tokenizer.passContainer(position)
      if end >= 0 {
        try checkSkipped(to: end)
        return
      }
      guard projector.tokenizer.stop == .incomplete else {
        throw malformed(projector.tokenizer.stop, at: projector.tokenizer.stopAt)
      }
      try checkSkipped(to: projector.tokenizer.stopAt)
      if window.end - position > limits.recordBytes { throw tooLong() }
      try refill()
    }
  }

  /// Text that is no record must be valid all the same: there is no record to blame.
  private func checkSkipped(to end: Int) throws(SeedFormatError) {
    if let at = unsafe UTF8Text.invalidUTF8(window.base, position, end) {
      throw error("text.invalid-utf8", "the document is not valid UTF-8", at: at)
    }
    switch projector.tokenizer.flaw {
    case .nul: throw error("text.nul", "a string holds a NUL byte", at: projector.tokenizer.flawAt)
    case .loneSurrogate:
      throw error("json.lone-surrogate", "half of a surrogate pair stands alone", at: projector.tokenizer.flawAt)
    default: break
    }
    position = end
  }

  // MARK: - Places

  /// Moves line and column on to a position in the window.
  private func place(_ position: Int) {
    let from = Int(placedTo - window.byteOffset)
    let (lines, lineStart) = unsafe UTF8Text.lineFeeds(window.base, from, position)
    line += UInt64(lines)
    let scalars = unsafe UInt64(UTF8Text.scalars(window.base, lineStart, position))
    column = lines > 0 ? scalars + 1 : column + scalars
    placedTo = window.byteOffset + UInt64(position)
  }

  private func malformed(_ stop: JSONStop, at: Int) -> SeedFormatError {
    stop == .tooDeep
      ? error(
        "json.too-deep", stop.message, at: at, hint: "at most \(limits.nestingDepth) levels are read")
      : error(
        "json.malformed", stop.message, at: at,
        hint: stop.hint(at: at < window.end ? unsafe window.base[at] : nil, isDocument: true))
  }

  private func tooLong() -> SeedFormatError {
    var hint: String? = pointer.isEmpty ? "does a pointer to the array of records miss?" : nil
    if stage == .afterArray, open.isEmpty, path.isEmpty {
      // The whole document is being read as one record.
      hint = unsafe arraysHint(window.base + position, count: window.end - position, isWhole: false) ?? hint
    }
    return error(
      "json.record-too-long", "the value is longer than \(limits.recordBytes) bytes", at: position, hint: hint)
  }

  private func notFound(level: Int) -> SeedFormatError {
    let token = String(decoding: path[level], as: UTF8.self)
    return error(
      "json.pointer-not-found", "the document has no \"\(pointer)\": \"\(token)\" is missing", at: position,
      hint: "a pointer names each key on the way to the array of records, with a slash before it")
  }

  private func error(_ code: String, _ message: String, at: Int, hint: String? = nil) -> SeedFormatError {
    place(max(at, Int(placedTo - window.byteOffset)))
    return SeedFormatError(
      code: code, kind: .malformed, message: message, hint: hint, file: file, line: line, column: column,
      byteOffset: placedTo)
  }
}
