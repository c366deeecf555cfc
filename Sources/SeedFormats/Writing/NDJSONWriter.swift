/// Records to NDJSON: one JSON value per line, LF line ends.
///
/// Begin an object or array, append keys and values, end it; `endRecord` ends the line. The writer puts the commas;
/// that keys stand only in objects is the caller's part. Used by one thread at a time.
public final class NDJSONWriter {
  private let output: OutputBuffer
  private var needsComma = false

  /// A writer onto a sink, which `finish` finishes too.
  public init(sink: any ByteSink) {
    output = OutputBuffer(sink: sink)
  }

  /// Opens an object; keys and values come next.
  public func beginObject() { open(0x7B) }
  /// Closes the object that was opened last.
  public func endObject() { close(0x7D) }
  /// Opens an array; its elements come next.
  public func beginArray() { open(0x5B) }
  /// Closes the array that was opened last.
  public func endArray() { close(0x5D) }

  /// Appends a key; its value comes next.
  public func key(_ name: String) {
    var name = name
    separate()
    name.withUTF8 { unsafe quoted(UnsafeRawBufferPointer($0)) }
    output.append(0x3A)
    needsComma = false
  }

  /// Appends a string of UTF-8 text.
  public func string(_ text: UnsafeRawBufferPointer) {
    separate()
    unsafe quoted(text)
  }

  /// Appends a string, escaped and in quotes.
  public func string(_ text: String) {
    var text = text
    text.withUTF8 { unsafe string(UnsafeRawBufferPointer($0)) }
  }

  /// Appends an integer as a number.
  public func number(_ number: Int64) {
    separate()
    output.append(number: number)
  }

  /// Appends a number with the fewest digits that read back as the same.
  /// - Throws: `json.not-finite`: JSON has no infinities and no NaN.
  public func number(_ number: Double) throws(SeedFormatError) {
    guard number.isFinite else {
      throw SeedFormatError(
        code: "json.not-finite", kind: .malformed, message: "JSON has no way to write \(number)",
        hint: "write null or a string instead")
    }
    separate()
    output.append(number: number)
  }

  /// Appends `true` or `false`.
  public func bool(_ value: Bool) {
    separate()
    output.append(value ? ("true" as StaticString) : "false")
  }

  /// Appends the value `null`.
  public func null() {
    separate()
    output.append("null" as StaticString)
  }

  /// Appends bytes that are one JSON value already and hold no line end.
  public func raw(_ json: UnsafeRawBufferPointer) {
    separate()
    unsafe output.append(json)
  }

  /// Ends the line.
  /// - Throws: the sink's errors.
  public func endRecord() throws(SeedFormatError) {
    output.append(0x0A)
    needsComma = false
    try output.flushIfFull()
  }

  /// Ends the output.
  /// - Throws: the sink's errors.
  public func finish() throws(SeedFormatError) { try output.finish() }

  private func open(_ bracket: UInt8) {
    separate()
    output.append(bracket)
    needsComma = false
  }

  private func close(_ bracket: UInt8) {
    output.append(bracket)
    needsComma = true
  }

  private func separate() {
    if needsComma { output.append(0x2C) }
    needsComma = true
  }

  private func quoted(_ text: UnsafeRawBufferPointer) {
    output.append(0x22)
    var start = 0
    for index in 0..<text.count {
      let byte = unsafe text[index]
      if byte >= 0x20, byte != 0x22, byte != 0x5C { continue }
      unsafe output.append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
      start = index + 1
      switch byte {
      case 0x22, 0x5C:
        output.append(0x5C)
        output.append(byte)
      case 0x0A: output.append("\\n" as StaticString)
      case 0x0D: output.append("\\r" as StaticString)
      case 0x09: output.append("\\t" as StaticString)
      default:
        output.append("\\u00" as StaticString)
        output.append((byte >> 4) + 0x30)
        output.append((byte & 15) + ((byte & 15) < 10 ? 0x30 : 0x57))
      }
    }
    unsafe output.append(UnsafeRawBufferPointer(rebasing: text[start...]))
    output.append(0x22)
  }
}
