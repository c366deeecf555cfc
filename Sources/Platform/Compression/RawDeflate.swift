import CZlib

/// Raw DEFLATE (RFC 1951: no header, no checksum) of values that fit in memory, such as a store's cached model.
package enum RawDeflate {
  /// Inflates a whole value. It stops at the limit, since a few bytes can inflate to gigabytes.
  /// - Parameter maximumByteCount: the most bytes that the value may inflate to.
  /// - Throws: an error that `isDamaged` when the bytes are no whole DEFLATE stream, end too early, go on after the
  ///   end, or inflate to more than the limit.
  package static func inflate(_ deflated: [UInt8], _ maximumByteCount: Int) throws(DeflateError) -> [UInt8] {
    // At one address: zlib compares it from call to call.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    defer { unsafe stream.deallocate() }
    guard unsafe inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw failure("no memory left to inflate", isDamaged: false)
    }
    defer { unsafe inflateEnd(stream) }
    guard deflated.count <= Int(UInt32.max) else { throw failure("the value is too large", isDamaged: true) }
    var input = deflated
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var result = Z_OK
    var remaining = 0
    unsafe input.withUnsafeMutableBufferPointer { input in
      // Safety: zlib keeps both addresses in `stream` and uses them during a call only; input and block stay for it.
      unsafe stream.pointee.next_in = input.baseAddress
      unsafe stream.pointee.avail_in = UInt32(input.count)
      while result == Z_OK, output.count <= maximumByteCount {
        let written = unsafe block.withUnsafeMutableBufferPointer { block in
          unsafe stream.pointee.next_out = block.baseAddress
          unsafe stream.pointee.avail_out = UInt32(block.count)
          result = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
          return block.count - Int(unsafe stream.pointee.avail_out)
        }
        output += block[..<written]
      }
      remaining = Int(unsafe stream.pointee.avail_in)
    }
    if output.count > maximumByteCount {
      throw failure("it inflates to more than \(maximumByteCount) bytes", isDamaged: true)
    }
    if result != Z_STREAM_END { throw failure("the data is damaged or ends too early", isDamaged: true) }
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
