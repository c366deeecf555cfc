import CZlib

/// A DEFLATE stream that is inflated piece by piece.
///
/// zlib keeps the address of `stream`, which is allocated once and freed after `inflateEnd`. The addresses of input and
/// output are set before each call and not used after it.
@safe package final class InflateStream {
  /// What is around the deflated data.
  package enum Form: Int32 {
    /// Neither header nor checksum (RFC 1951).
    case raw = -15
    /// A member of a gzip file, whose checksum and length are checked: the largest window, and 16.
    case gzip = 31
  }

  /// How far a call came.
  package enum Outcome: Equatable {
    /// More input or more room is needed.
    case unfinished
    /// The stream ended.
    case ended
    case noMemory
    /// The bytes are damaged; zlib's words for it, where it has some.
    case damaged(String?)
  }

  private let stream: UnsafeMutablePointer<z_stream>

  /// Nil when there is no memory left.
  package init?(_ form: Form) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe inflateInit2_(stream, form.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    if result != Z_OK { return nil }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Begins another stream of the same form.
  package func reset() { unsafe inflateReset(stream) }

  /// Inflates as much of the input as there is room for.
  /// - Returns: how far it came, the bytes of input that it used, and those that it wrote.
  package func inflate(
    _ input: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> (outcome: Outcome, used: Int, written: Int) {
    // Safety: zlib only reads the input; it is told how much is left, and how much fits.
    let (given, room) = (UInt32(clamping: input.count), UInt32(clamping: target.count))
    unsafe stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    unsafe stream.pointee.avail_in = given
    unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = room
    let result = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
    let outcome: Outcome =
      switch result {
      case Z_OK, Z_BUF_ERROR: .unfinished
      case Z_STREAM_END: .ended
      case Z_MEM_ERROR: .noMemory
      default: .damaged(unsafe stream.pointee.msg.map { unsafe String(cString: $0) })
      }
    return unsafe (outcome, Int(given - stream.pointee.avail_in), Int(room - stream.pointee.avail_out))
  }
}
