// What the pointers in here rest on: `next` goes through the room that `output` made, which stays where it is until the
// next call of `output`; after each such call `room` and `next` are taken anew. Columns hold `count` rows, as the
// caller says: a state of one byte and a cell of eight each, and a text's bytes live as long as the call.

extension CSVWriter {
  /// Writes records of whole columns: the same bytes as `field` and `endRecord` would write cell by cell.
  /// - Parameter count: rows.
  /// - Throws: the sink's errors.
  public func records(_ columns: [CellColumn], count: Int) throws(SeedFormatError) {
    guard !columns.isEmpty else { return }
    let delimiter = options.delimiter
    let endsWithCRLF = options.endsLinesWithCRLF
    let isSafe = options.safeForSpreadsheets
    let marks = CSVMarks(delimiter: delimiter)
    var room = unsafe output.room(1 << 12)
    var next = unsafe room.next
    for row in 0..<count {
      for index in 0..<columns.count {
        let column = columns[index]
        let hasValue = unsafe column.states[row] == column.valueState
        let isText = column.kind == .text && hasValue
        let text = unsafe isText ? column.text(at: row) : UnsafeRawBufferPointer(start: nil, count: 0)
        // Every byte of a text may be a quote; then come its own quotes, an apostrophe, delimiter and line end.
        let needed = text.count * 2 + NumberText.greatestCount + 8
        // Safety: this is enough for the cell, and for the line's end behind the last one.
        if unsafe room.end - next < needed {
          unsafe output.commit(upTo: next)
          unsafe room = unsafe output.room(needed)
          unsafe next = unsafe room.next
        }
        if index > 0 {
          unsafe next.pointee = delimiter
          unsafe next += 1
        }
        guard hasValue else { continue }
        switch column.kind {
        case .integer:
          unsafe next = unsafe NumberText.write(column.cells.load(fromByteOffset: row * 8, as: Int64.self), at: next)
        case .real:
          unsafe next = unsafe NumberText.write(column.cells.load(fromByteOffset: row * 8, as: Double.self), at: next)
        case .boolean:
          let isTrue = unsafe column.cells.load(fromByteOffset: row * 8, as: Int64.self) != 0
          unsafe next = unsafe CSVWriter.copy(isTrue ? "true" : "false", to: next)
        case .text:
          unsafe next = unsafe CSVWriter.write(text, marks, isSafe: isSafe, at: next)
        }
      }
      if endsWithCRLF {
        unsafe next.pointee = 0x0D
        unsafe next += 1
      }
      unsafe next.pointee = 0x0A
      unsafe next += 1
      if unsafe next >= room.flush {
        unsafe output.commit(upTo: next)
        try output.flushIfFull()
        unsafe room = unsafe output.room(1 << 12)
        unsafe next = unsafe room.next
      }
    }
    unsafe output.commit(upTo: next)
    try output.flushIfFull()
  }

  @inline(__always)
  @unsafe private static func copy(
    _ text: StaticString, to start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    unsafe start.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    return unsafe start + text.utf8CodeUnitCount
  }

  @inline(__always)
  @unsafe private static func write(
    _ text: UnsafeRawBufferPointer, _ marks: CSVMarks, isSafe: Bool, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    guard text.count > 0, let source = text.baseAddress else { return unsafe copy("\"\"", to: start) }
    let needsApostrophe = unsafe isSafe && isDangerous(text)
    var next = unsafe start
    guard unsafe needsApostrophe && marks.delimiter == 0x27 || marks.occur(in: source, count: text.count) else {
      if needsApostrophe {
        unsafe next.pointee = 0x27
        unsafe next += 1
      }
      unsafe UnsafeMutableRawPointer(next).copyMemory(from: source, byteCount: text.count)
      return unsafe next + text.count
    }
    unsafe next.pointee = 0x22
    unsafe next += 1
    if needsApostrophe {
      unsafe next.pointee = 0x27
      unsafe next += 1
    }
    // Safety: two bytes for each of the text and eight more were asked for.
    for index in 0..<text.count {
      let byte = unsafe text[index]
      if byte == 0x22 {
        unsafe next.pointee = 0x22
        unsafe next += 1
      }
      unsafe next.pointee = byte
      unsafe next += 1
    }
    unsafe next.pointee = 0x22
    return unsafe next + 1
  }
}

/// The bytes for which a field is quoted: the delimiter, quotes and line ends.
struct CSVMarks {
  let delimiter: UInt8
  private let delimiters: UInt64

  init(delimiter: UInt8) {
    self.delimiter = delimiter
    delimiters = SWAR.broadcast(delimiter)
  }

  /// Whether a text has any, eight bytes at a time.
  @inline(__always)
  @unsafe func occur(in text: UnsafeRawPointer, count: Int) -> Bool {
    var at = 0
    while at + 8 <= count {
      let word = unsafe text.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      let found =
        CSVMarks.zeroes(word ^ delimiters) | CSVMarks.zeroes(word ^ SWAR.broadcast(0x22))
        | CSVMarks.zeroes(word ^ SWAR.broadcast(0x0A)) | CSVMarks.zeroes(word ^ SWAR.broadcast(0x0D))
      if found != 0 { return true }
      at += 8
    }
    while at < count {
      let byte = unsafe text.load(fromByteOffset: at, as: UInt8.self)
      if byte == delimiter || byte == 0x22 || byte == 0x0A || byte == 0x0D { return true }
      at += 1
    }
    return false
  }

  /// Not zero exactly when a byte of the word is (the lowest marked byte is right; above it there may be false marks).
  @inline(__always)
  private static func zeroes(_ word: UInt64) -> UInt64 {
    (word &- SWAR.low) & ~word & SWAR.high
  }
}
