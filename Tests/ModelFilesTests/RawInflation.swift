import CZlib
import Foundation

/// Inflates raw DEFLATE up to a limit, as the module's callers do with zlib.
@safe enum RawInflation {
  struct Failure: Error {
    var message: String
  }

  static func inflate(_ deflated: [UInt8], _ maximumByteCount: Int) throws -> [UInt8] {
    var stream = unsafe z_stream()
    guard unsafe inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw Failure(message: "no memory")
    }
    defer { unsafe inflateEnd(&stream) }
    var input = deflated
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    try unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(input.count)
      var result = Z_OK
      while result == Z_OK {
        let written = unsafe block.withUnsafeMutableBufferPointer { block in
          unsafe stream.next_out = block.baseAddress
          unsafe stream.avail_out = UInt32(block.count)
          result = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
          return block.count - Int(unsafe stream.avail_out)
        }
        output += block[..<written]
        if output.count > maximumByteCount { throw Failure(message: "more than \(maximumByteCount) bytes") }
      }
      if result != Z_STREAM_END { throw Failure(message: "the data is damaged or ends too early") }
    }
    return output
  }

  static func deflate(_ bytes: [UInt8]) throws -> [UInt8] {
    var stream = unsafe z_stream()
    guard
      unsafe deflateInit2_(
        &stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw Failure(message: "no memory") }
    defer { unsafe deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 1024)
    let written = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        let result = unsafe CZlib.deflate(&stream, Z_FINISH)
        return result == Z_STREAM_END ? output.count - Int(unsafe stream.avail_out) : -1
      }
    }
    guard written >= 0 else { throw Failure(message: "the output is too small") }
    return Array(output[..<written])
  }
}
