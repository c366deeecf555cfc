/// Bytes on their way to a sink, handed over in large pieces.
@safe final class OutputBuffer {
  private let sink: any ByteSink
  let bytes = ByteBuffer(capacity: 64 << 10)
  private static let flushSize = 48 << 10

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

  func append(number: Int64) {
    // Safety: no number takes more than was reserved, and the base is taken after that.
    bytes.reserve(NumberText.greatestCount)
    unsafe commit(upTo: NumberText.write(number, at: bytes.base + bytes.count))
  }

  /// The fewest digits that read back as the same number.
  func append(number: Double) {
    bytes.reserve(NumberText.greatestCount)
    unsafe commit(upTo: NumberText.write(number, at: bytes.base + bytes.count))
  }

  /// Room to write into: where the next byte goes, where the room ends, and from where on it is time to flush.
  @unsafe struct Room {
    var next: UnsafeMutablePointer<UInt8>
    var end: UnsafeMutablePointer<UInt8>
    var flush: UnsafeMutablePointer<UInt8>
  }

  /// Makes room for some bytes at least; valid until the buffer is used otherwise.
  @unsafe func room(_ needed: Int) -> Room {
    bytes.reserve(needed)
    let base = unsafe bytes.base
    return unsafe Room(
      next: base + bytes.count, end: base + bytes.capacity, flush: base + min(OutputBuffer.flushSize, bytes.capacity))
  }

  /// Takes the bytes up to a place in the room that was made last into use.
  @unsafe func commit(upTo next: UnsafeMutablePointer<UInt8>) { unsafe bytes.resize(to: next - bytes.base) }

  /// Writes when enough has gathered.
  func flushIfFull() throws(SeedFormatError) {
    if bytes.count >= OutputBuffer.flushSize { try flush() }
  }

  func finish() throws(SeedFormatError) {
    try flush()
    try sink.finish()
  }

  private func flush() throws(SeedFormatError) {
    guard bytes.count > 0 else { return }
    let count = bytes.count
    bytes.removeAll()
    try unsafe sink.write(UnsafeRawBufferPointer(start: bytes.base, count: count))
  }
}
