import CZlib

/// Compresses into another sink. The same bytes in the same pieces give the same gzip file on every day: the header
/// has no time and no name.
@safe public final class GzipSink: ByteSink {
  private let downstream: any ByteSink
  private let file: String?
  private let stream: UnsafeMutablePointer<z_stream>
  private let header: UnsafeMutablePointer<gz_header>
  private let output = ByteBlock(capacity: 64 << 10)
  private var isInitialized = false
  private var isFinished = false

  /// - Parameter file: the name that errors carry.
  public init(downstream: any ByteSink, file: String? = nil) {
    self.downstream = downstream
    self.file = file
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe header = .allocate(capacity: 1)
    unsafe header.initialize(to: gz_header())
    // 255: system unknown, so that every system writes the same header.
    unsafe header.pointee.os = 255
  }

  deinit {
    if isInitialized { unsafe deflateEnd(stream) }
    unsafe stream.deallocate()
    unsafe header.deallocate()
  }

  /// - Throws: the downstream sink's errors.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) {
    guard let base = bytes.baseAddress else { return }
    // zlib counts in 32 bits and takes its input as mutable, but does not change it.
    let step = 1 << 30
    var start = 0
    while start < bytes.count {
      let count = min(step, bytes.count - start)
      let piece = unsafe (base + start).assumingMemoryBound(to: UInt8.self)
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: piece)
      unsafe stream.pointee.avail_in = UInt32(count)
      try run(Z_NO_FLUSH)
      start += count
    }
  }

  /// Ends the gzip member and the downstream sink.
  public func finish() throws(SeedFormatError) {
    guard !isFinished else { return }
    try run(Z_FINISH)
    isFinished = true
    try downstream.finish()
  }

  private func run(_ flush: Int32) throws(SeedFormatError) {
    try begin()
    repeat {
      unsafe stream.pointee.next_out = output.base
      unsafe stream.pointee.avail_out = UInt32(output.capacity)
      let result = unsafe deflate(stream, flush)
      guard result != Z_STREAM_ERROR else { throw failure("the gzip stream was already finished") }
      unsafe output.count = output.capacity - Int(stream.pointee.avail_out)
      if output.count > 0 { try unsafe downstream.write(output.bytes) }
    } while output.count == output.capacity
  }

  private func begin() throws(SeedFormatError) {
    guard !isInitialized else { return }
    let result = unsafe deflateInit2_(
      stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw failure("no memory left to compress") }
    isInitialized = true
    guard unsafe deflateSetHeader(stream, header) == Z_OK else { throw failure("the gzip header was refused") }
  }

  private func failure(_ message: String) -> SeedFormatError {
    SeedFormatError(code: "gzip.compress", kind: .io, message: message, file: file)
  }
}
