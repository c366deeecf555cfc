/// Records to CSV (RFC 4180): a field is quoted only where it must be, and where it is an empty text, so that it can be
/// told from a field that has no value. A record whose only field has no value is an empty line.
///
/// Append the fields of a record in order, then call `endRecord`. Used by one thread at a time.
public final class CSVWriter {
  /// How CSV is written.
  public struct Options: Sendable, Equatable {
    /// The byte between fields, an ASCII character.
    public var delimiter: UInt8 = 0x2C
    /// Records end with CRLF, as RFC 4180 has it, instead of LF.
    public var endsLinesWithCRLF = false
    /// An apostrophe goes before cells that a spreadsheet may take for a formula: those that begin with `=`, `+`,
    /// `-`, `@`, a tab or a carriage return and are no plain numbers. Reading them back gives the apostrophe too.
    public var safeForSpreadsheets = false
    /// Commas, LF line ends, cells as they are.
    public init() {}
  }

  let output: OutputBuffer
  let options: Options
  private var fieldsInRecord = 0

  /// A writer onto a sink, which `finish` finishes too.
  public init(sink: any ByteSink, options: Options = Options()) {
    output = OutputBuffer(sink: sink)
    self.options = options
  }

  /// Appends a field of UTF-8 text.
  public func field(_ text: UnsafeRawBufferPointer) {
    separate()
    var mustQuote = unsafe text.isEmpty
    for index in 0..<text.count {
      let byte = unsafe text[index]
      if byte == options.delimiter || byte == 0x22 || byte == 0x0A || byte == 0x0D { mustQuote = true }
    }
    let needsApostrophe = unsafe options.safeForSpreadsheets && CSVWriter.isDangerous(text)
    if needsApostrophe, options.delimiter == 0x27 { mustQuote = true }
    guard mustQuote else {
      if needsApostrophe { output.append(0x27) }
      unsafe output.append(text)
      return
    }
    output.append(0x22)
    if needsApostrophe { output.append(0x27) }
    for index in 0..<text.count {
      let byte = unsafe text[index]
      if byte == 0x22 { output.append(0x22) }
      output.append(byte)
    }
    output.append(0x22)
  }

  /// Appends a field of text.
  public func field(_ text: String) {
    var text = text
    text.withUTF8 { unsafe field(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a field with an integer.
  public func field(_ number: Int64) {
    separate()
    output.append(number: number)
  }

  /// The text that is written for a number.
  public static func text(of number: Double) -> String {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberText.greatestCount) { room in
      guard let start = room.baseAddress else { return "" }
      // Safety: the room has `greatestCount` bytes, and no number takes more.
      let end = unsafe NumberText.write(number, at: start)
      return unsafe String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
    }
  }

  /// Appends a number with the fewest digits that read back as the same; `nan`, `inf` and `-inf` for the others.
  public func field(_ number: Double) {
    separate()
    output.append(number: number)
  }

  /// Appends a field that has no value: nothing, which a reader can tell from an empty text.
  public func emptyField() { separate() }

  /// Appends an empty text.
  public func emptyText() {
    separate()
    output.append("\"\"" as StaticString)
  }

  /// Ends the record.
  /// - Throws: the sink's errors.
  public func endRecord() throws(SeedFormatError) {
    if options.endsLinesWithCRLF { output.append(0x0D) }
    output.append(0x0A)
    fieldsInRecord = 0
    try output.flushIfFull()
  }

  /// Writes a whole record of texts, such as a header.
  public func record(_ fields: [String]) throws(SeedFormatError) {
    for text in fields { field(text) }
    try endRecord()
  }

  /// Ends the output.
  /// - Throws: the sink's errors.
  public func finish() throws(SeedFormatError) { try output.finish() }

  private func separate() {
    if fieldsInRecord > 0 { output.append(options.delimiter) }
    fieldsInRecord += 1
  }

  /// Whether a spreadsheet may take a cell for a formula.
  static func isDangerous(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = unsafe text.first else { return false }
    switch first {
    case 0x3D, 0x40, 0x09, 0x0D: return true
    case 0x2B, 0x2D: return unsafe !DecimalText.matches(text)
    default: return false
    }
  }
}

/// Signed decimal numbers as text.
enum DecimalText {
  /// Sign, digits, fraction, exponent, and nothing else.
  static func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    func digits() -> Bool {
      let start = at
      while at < text.count, unsafe 0x30...0x39 ~= text[at] { at += 1 }
      return at > start
    }
    func accept(_ bytes: ClosedRange<UInt8>, _ other: UInt8) -> Bool {
      guard at < text.count, unsafe bytes ~= text[at] || text[at] == other else { return false }
      at += 1
      return true
    }
    _ = accept(0x2B...0x2B, 0x2D)
    guard digits() else { return false }
    if accept(0x2E...0x2E, 0x2E), !digits() { return false }
    if accept(0x45...0x45, 0x65) {
      _ = accept(0x2B...0x2B, 0x2D)
      guard digits() else { return false }
    }
    return at == text.count
  }
}
