/// Bytes on their way to a sink, handed over in large pieces.
@safe final class OutputBuffer {
  private let sink: any ByteSink
  let bytes = ByteBuffer(capacity: 64 << 10)

  init(sink: any ByteSink) {
    self.sink = sink
  }

  func append(_ byte: UInt8) { bytes.append(byte) }

  func append(_ source: UnsafeRawBufferPointer) {
    guard let base = source.baseAddress else { return }
    unsafe bytes.append(base.assumingMemoryBound(to: UInt8.self), count: source.count)
  }

  func append(_ text: StaticString) {
    unsafe bytes.append(text.utf8Start, count: text.utf8CodeUnitCount)
  }

  func append(_ text: String) {
    for byte in text.utf8 { bytes.append(byte) }
  }

  func append(number: Int64) {
    if number < 0 { bytes.append(0x2D) }
    var rest = number.magnitude
    let start = bytes.count
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      bytes.append(0x30 + UInt8(digit))
      rest = quotient
    } while rest > 0
    var low = start
    var high = bytes.count - 1
    while low < high {
      let digit = unsafe bytes.base[low]
      unsafe bytes.base[low] = bytes.base[high]
      unsafe bytes.base[high] = digit
      low += 1
      high -= 1
    }
  }

  /// The fewest digits that read back as the same number.
  func append(number: Double) { append(number.description) }

  /// Writes when enough has gathered.
  func flushIfFull() throws(SeedFormatError) {
    if bytes.count >= 48 << 10 { try flush() }
  }

  func finish() throws(SeedFormatError) {
    try flush()
    try sink.finish()
  }

  private func flush() throws(SeedFormatError) {
    guard bytes.count > 0 else { return }
    let count = bytes.count
    bytes.count = 0
    try unsafe sink.write(UnsafeRawBufferPointer(start: bytes.base, count: count))
  }
}
