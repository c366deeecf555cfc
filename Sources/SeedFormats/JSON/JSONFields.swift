/// Fields of nested JSON: projects objects and walks arrays that a record's slices point to.
///
/// Results are slices of the same batch, so nested values go to any depth. Used by one thread at a time.
@safe public final class JSONFields {
  /// Slices per object: the number of projected paths.
  public let fieldCount: Int
  private let side = ByteBuffer()
  private var projector: JSONProjector

  /// - Parameter projection: as for `RecordReader`; empty when only `elements` is needed.
  /// - Throws: `json.pointer-syntax`.
  public init(projection: [String], nestingDepth: Int = 512) throws(SeedFormatError) {
    let paths = try FieldPaths(projection: projection, file: nil)
    fieldCount = paths.fieldCount
    unsafe projector = JSONProjector(paths: paths, side: side, base: side.base, depthLimit: nestingDepth)
  }

  /// Finds the projected fields of a JSON value in the batch, in projection order. Unescaped strings are appended
  /// to `batch.bytes`, which moves it.
  ///
  /// The value may also be JSON inside a text field; that it is JSON is checked here.
  /// - Parameter slices: takes `fieldCount` slices; their raw offsets count from the same record's start as `value`'s.
  /// - Throws: `json.malformed` with the byte offset in the value, `json.duplicate-key`, `json.lone-surrogate`.
  public func project(
    _ value: FieldSlice, in batch: RecordBatch, into slices: UnsafeMutableBufferPointer<FieldSlice>
  ) throws(SeedFormatError) {
    precondition(slices.count >= fieldCount, "a slice is needed for every projected path")
    guard let output = slices.baseAddress else { return }
    let start = Int(value.offset)
    let end = start + Int(value.length)
    side.removeAll()
    // Safety: the batch's bytes move only when unescaped text is put behind them, after the scan; the value lies
    // among them, and their slack may be read.
    unsafe projector.tokenizer.attach(batch.storage.base, end: end, isComplete: true)
    try projector.whole(from: start, recordStart: start &- Int(value.rawOffset))
    unsafe projector.paths.copy(into: output)
    unsafe placeUnescaped(output, count: fieldCount, in: batch)
  }

  /// Finds the elements of a JSON array in the batch, in order. Unescaped strings are appended to `batch.bytes`,
  /// which moves it.
  /// - Parameter slices: emptied, then given one slice per element; reuse it to save the allocation.
  /// - Throws: `json.not-an-array`, `json.malformed` with the byte offset in the value, `json.lone-surrogate`.
  public func elements(
    of array: FieldSlice, in batch: RecordBatch, into slices: inout [FieldSlice]
  ) throws(SeedFormatError) {
    try collect(array, in: batch, into: &slices) { projector, start, recordStart, slices throws(SeedFormatError) in
      try projector.elements(from: start, recordStart: recordStart, into: &slices)
    }
  }

  /// Finds the members of a JSON object in the batch, in order: key after key, each before its value. Unescaped strings
  /// are appended to `batch.bytes`, which moves it.
  /// - Parameter slices: emptied, then given two slices per member; reuse it to save the allocation.
  /// - Throws: `json.not-an-object`, `json.malformed` with the byte offset in the value, `json.lone-surrogate`.
  public func members(
    of object: FieldSlice, in batch: RecordBatch, into slices: inout [FieldSlice]
  ) throws(SeedFormatError) {
    try collect(object, in: batch, into: &slices) { projector, start, recordStart, slices throws(SeedFormatError) in
      try projector.members(from: start, recordStart: recordStart, into: &slices)
    }
  }

  /// Gives a value's parts their slices.
  private func collect(
    _ value: FieldSlice, in batch: RecordBatch, into slices: inout [FieldSlice],
    _ scan: (inout JSONProjector, _ start: Int, _ recordStart: Int, inout [FieldSlice]) throws(SeedFormatError) -> Void
  ) throws(SeedFormatError) {
    slices.removeAll(keepingCapacity: true)
    let start = Int(value.offset)
    side.removeAll()
    // Safety: as for `project`.
    unsafe projector.tokenizer.attach(batch.storage.base, end: start + Int(value.length), isComplete: true)
    try scan(&projector, start, start &- Int(value.rawOffset), &slices)
    unsafe slices.withUnsafeMutableBufferPointer { slices in
      guard let first = slices.baseAddress else { return }
      unsafe placeUnescaped(first, count: slices.count, in: batch)
    }
  }

  /// Moves unescaped text to the end of the batch's bytes.
  private func placeUnescaped(_ slices: UnsafeMutablePointer<FieldSlice>, count: Int, in batch: RecordBatch) {
    guard side.count > 0 else { return }
    let rawCount = batch.storage.count
    // Safety: `side` is a buffer of its own, and callers give `count` slices.
    unsafe batch.storage.append(side.base, count: side.count)
    unsafe SideArena.place(slices, count: count, rawCount: rawCount)
    side.removeAll()
  }
}

extension JSONProjector {
  /// Scans the value that is all of the text from `start` to the tokenizer's end.
  fileprivate mutating func whole(from start: Int, recordStart: Int) throws(SeedFormatError) {
    let text = tokenizer.skipWhitespace(start)
    guard text < tokenizer.end else { throw malformed(.unexpectedEnd, 0) }
    let valueEnd = record(text, from: recordStart, relativeTo: 0)
    guard valueEnd >= 0 else { throw malformed(tokenizer.stop, tokenizer.stopAt - start) }
    try finish(valueEnd, start)
  }

  /// Scans the array that is all of the text from `start` to the tokenizer's end, one slice per element.
  fileprivate mutating func elements(
    from start: Int, recordStart: Int, into slices: inout [FieldSlice]
  ) throws(SeedFormatError) {
    guard var position = contents(0x5B, from: start, recordStart: recordStart) else {
      throw SeedFormatError(code: "json.not-an-array", kind: .malformed, message: "the value is not an array")
    }
    if isAt(0x5D, position) { return try finish(position + 1, start) }
    while true {
      position = try value(at: position, start, into: &slices)
      if isAt(0x5D, position) { return try finish(position + 1, start) }
      guard isAt(0x2C, position) else { throw malformed(.expectedCommaOrBracket, position - start) }
      position = tokenizer.skipWhitespace(position + 1)
    }
  }

  /// Scans the object that is all of the text from `start` to the tokenizer's end, two slices per member.
  fileprivate mutating func members(
    from start: Int, recordStart: Int, into slices: inout [FieldSlice]
  ) throws(SeedFormatError) {
    guard var position = contents(0x7B, from: start, recordStart: recordStart) else {
      throw SeedFormatError(code: "json.not-an-object", kind: .malformed, message: "the value is not an object")
    }
    if isAt(0x7D, position) { return try finish(position + 1, start) }
    while true {
      guard position < tokenizer.end else { throw malformed(.unexpectedEnd, position - start) }
      guard isAt(0x22, position) else { throw malformed(.expectedKey, position - start) }
      position = try value(at: position, start, into: &slices)
      guard isAt(0x3A, position) else { throw malformed(.expectedColon, position - start) }
      position = try value(at: tokenizer.skipWhitespace(position + 1), start, into: &slices)
      if isAt(0x7D, position) { return try finish(position + 1, start) }
      guard isAt(0x2C, position) else { throw malformed(.expectedCommaOrBrace, position - start) }
      position = tokenizer.skipWhitespace(position + 1)
    }
  }

  /// Begins with an array or object.
  /// - Returns: where its contents begin; nil where there is no such bracket.
  private mutating func contents(_ bracket: UInt8, from start: Int, recordStart: Int) -> Int? {
    begin(recordStart: recordStart, relativeTo: 0)
    let position = tokenizer.skipWhitespace(start)
    return isAt(bracket, position) ? tokenizer.skipWhitespace(position + 1) : nil
  }

  /// Scans a value.
  /// - Returns: the position of the next byte that is not white space; there always is one.
  private mutating func value(
    at position: Int, _ start: Int, into slices: inout [FieldSlice]
  ) throws(SeedFormatError) -> Int {
    guard position < tokenizer.end else { throw malformed(.unexpectedEnd, position - start) }
    let end = tokenizer.value(position)
    guard end >= 0 else { throw malformed(tokenizer.stop, tokenizer.stopAt - start) }
    unsafe slices.append(slice(tokenizer.base[position], position, end))
    let next = tokenizer.skipWhitespace(end)
    guard next < tokenizer.end else { throw malformed(.unexpectedEnd, next - start) }
    return next
  }

  private func isAt(_ byte: UInt8, _ position: Int) -> Bool {
    unsafe position < tokenizer.end && tokenizer.base[position] == byte
  }

  /// Checks that only whitespace follows the value and that it has no flaw.
  private func finish(_ valueEnd: Int, _ start: Int) throws(SeedFormatError) {
    let rest = tokenizer.skipWhitespace(valueEnd)
    guard rest == tokenizer.end else { throw malformed(.textAfterValue, rest - start) }
    if let flaw = flaw(start, tokenizer.end) {
      throw SeedFormatError(
        code: flaw.code, kind: .malformed, message: flaw.message, hint: flaw.hint, byteOffset: UInt64(flaw.at - start))
    }
  }

  private func malformed(_ stop: JSONStop, _ at: Int) -> SeedFormatError {
    SeedFormatError(code: "json.malformed", kind: .malformed, message: stop.message, byteOffset: UInt64(at))
  }
}
