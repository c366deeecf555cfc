import SeedFormats

/// Keeps the written bytes in memory.
final class MemorySink: ByteSink {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) { unsafe self.bytes.append(contentsOf: bytes) }
  func finish() throws(SeedFormatError) {}
}
