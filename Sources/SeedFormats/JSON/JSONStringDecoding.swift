/// Decodes the contents of JSON strings.
package enum JSONStringDecoding {
  /// The unescaped contents of a string, which are valid JSON and UTF-8, without its quotes.
  package static func text(_ escaped: UnsafeRawBufferPointer) -> String {
    guard unsafe escaped.contains(0x5C), let base = escaped.baseAddress else {
      return unsafe String(decoding: escaped, as: UTF8.self)
    }
    let output = ByteBuffer(capacity: escaped.count)
    unsafe unescape(base.assumingMemoryBound(to: UInt8.self), count: escaped.count, into: output)
    return unsafe String(decoding: UnsafeRawBufferPointer(start: output.base, count: output.count), as: UTF8.self)
  }

  /// 0 to 15, or -1.
  @inline(__always) static func hexDigit(_ byte: UInt8) -> Int {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30
    case 0x41...0x46: Int(byte) - 0x37
    case 0x61...0x66: Int(byte) - 0x57
    default: -1
    }
  }

  /// Appends the unescaped form of a string's contents (without its quotes), which are valid JSON.
  static func unescape(_ text: UnsafePointer<UInt8>, count: Int, into output: ByteBuffer) {
    output.reserve(count)
    var at = 0
    while at < count {
      let byte = unsafe text[at]
      guard byte == 0x5C, at + 1 < count else {
        output.append(byte)
        at += 1
        continue
      }
      // Safety: `at + 1` is under the count. The output is another buffer than the text.
      let letter = unsafe text[at + 1]
      at += 2
      switch letter {
      case 0x62: output.append(0x08)
      case 0x66: output.append(0x0C)
      case 0x6E: output.append(0x0A)
      case 0x72: output.append(0x0D)
      case 0x74: output.append(0x09)
      case 0x75:
        var scalar = unsafe unit(text, at, count)
        at += 4
        if scalar & 0xFC00 == 0xD800, at + 6 <= count, unsafe text[at] == 0x5C && text[at + 1] == 0x75 {
          let second = unsafe unit(text, at + 2, count)
          if second & 0xFC00 == 0xDC00 {
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + (second & 0x3FF)
            at += 6
          }
        }
        // A lone surrogate has no UTF-8 form: the replacement character stands for it.
        for unit in String(Unicode.Scalar(UInt32(scalar)) ?? "\u{FFFD}").utf8 { output.append(unit) }
      default: output.append(letter)
      }
    }
  }

  private static func unit(_ text: UnsafePointer<UInt8>, _ at: Int, _ count: Int) -> Int {
    guard at + 4 <= count else { return 0xFFFD }
    return (0..<4).reduce(0) { unsafe $0 << 4 | max(0, hexDigit(text[at + $1])) }
  }
}
