/// Keeps the written bytes in memory.
package final class MemorySink: ByteSink {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []
  /// Whether the output was ended.
  package private(set) var isFinished = false
  /// The bytes as text; what is no UTF-8 is replaced.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package init() {}

  package func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) {
    unsafe self.bytes.append(contentsOf: bytes)
  }

  package func finish() throws(SeedFormatError) { isFinished = true }
}
