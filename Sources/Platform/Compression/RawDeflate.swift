import CZlib

/// Raw DEFLATE (RFC 1951: no header, no checksum) of values that fit in memory, such as a store's cached model.
package enum RawDeflate {
  /// Inflates a whole value. It stops at the limit, since a few bytes can inflate to gigabytes.
  /// - Parameter maximumByteCount: the most bytes that the value may inflate to.
  /// - Throws: an error that `isDamaged` when the bytes are no whole DEFLATE stream, end too early, go on after the
  ///   end, or inflate to more than the limit.
  package static func inflate(_ deflated: [UInt8], _ maximumByteCount: Int) throws(DeflateError) -> [UInt8] {
    guard let stream = InflateStream(.raw) else { throw failure("no memory left to inflate", isDamaged: false) }
    guard deflated.count <= Int(UInt32.max) else { throw failure("the value is too large", isDamaged: true) }
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var position = 0
    var outcome = InflateStream.Outcome.unfinished
    while outcome == .unfinished, output.count <= maximumByteCount {
      let (next, used, written) = unsafe deflated.withUnsafeBytes { input in
        unsafe block.withUnsafeMutableBytes { block in
          unsafe stream.inflate(UnsafeRawBufferPointer(rebasing: input[position...]), into: block)
        }
      }
      position += used
      output += block[..<written]
      outcome = next
      // All of it was used, and more would be needed.
      if used == 0, written == 0 { break }
    }
    let remaining = deflated.count - position
    if output.count > maximumByteCount {
      throw failure("it inflates to more than \(maximumByteCount) bytes", isDamaged: true)
    }
    if outcome != .ended { throw failure("the data is damaged or ends too early", isDamaged: true) }
    if remaining > 0 { throw failure("\(remaining) bytes follow the end of the data", isDamaged: true) }
    return output
  }

  /// Deflates a value, at the highest level. The same bytes give the same result with the same zlib.
  package static func deflate(_ bytes: [UInt8]) throws(DeflateError) -> [UInt8] {
    // At one address: zlib compares it from call to call.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    defer { unsafe stream.deallocate() }
    guard
      unsafe deflateInit2_(
        stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw failure("no memory left to deflate", isDamaged: false) }
    defer { unsafe deflateEnd(stream) }
    guard bytes.count <= Int(Int32.max) else { throw failure("the value is too large", isDamaged: false) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(unsafe deflateBound(stream, UInt(bytes.count))))
    let written = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.pointee.next_in = input.baseAddress
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(output.count)
        let result = unsafe CZlib.deflate(stream, Z_FINISH)
        return result == Z_STREAM_END ? output.count - Int(unsafe stream.pointee.avail_out) : -1
      }
    }
    guard written >= 0 else { throw failure("the value does not fit its bound", isDamaged: false) }
    return Array(output[..<written])
  }

  private static func failure(_ message: String, isDamaged: Bool) -> DeflateError {
    DeflateError(message: message, isDamaged: isDamaged)
  }
}

/// Why bytes were not inflated or deflated.
package struct DeflateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, in words.
  package let message: String
  /// The bytes are at fault; otherwise memory or their size is.
  package let isDamaged: Bool
  /// The same text as `message`.
  package var description: String { message }
}
