/// Where written bytes go. Used by one thread at a time.
public protocol ByteSink: AnyObject {
  /// Writes all of the bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError)
  /// Writes what is still held back and ends the output; nothing may be written after it.
  func finish() throws(SeedFormatError)
}
