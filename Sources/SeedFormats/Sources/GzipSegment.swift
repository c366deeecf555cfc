import CZlib
import Dispatch

/// Some consecutive bytes of a gzip file that are perhaps just a number of whole members, and what they inflate to if so.
///
/// Inflating it ahead is a guess: a member is known to start where the one before it ends, and nowhere else. Whoever
/// comes to the segment's first byte by that way, and to no other place in it, may take the result.
@safe final class GzipSegment: @unchecked Sendable {
  let bytes = ByteBuffer()
  private let output = ByteBuffer()
  private let stream: UnsafeMutablePointer<z_stream>
  private var isInitialized = false
  private let done = DispatchSemaphore(value: 0)
  private var isRunning = false
  private var isWhole = false

  init() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
  }

  deinit {
    if isInitialized { unsafe inflateEnd(stream) }
    unsafe stream.deallocate()
  }

  /// Begins to inflate the bytes on a worker. They must not change until `finish`.
  func start(on queue: DispatchQueue, maximumOutputBytes: Int) {
    isRunning = true
    queue.async {
      self.isWhole = self.inflateMembers(maximumOutputBytes: maximumOutputBytes)
      self.done.signal()
    }
  }

  /// Waits for the worker.
  /// - Returns: what the bytes inflate to; nil when they are not just whole members or were not inflated.
  func finish() -> ByteBuffer? {
    if isRunning {
      done.wait()
      isRunning = false
    }
    return isWhole ? output : nil
  }

  /// Makes ready for other bytes.
  func clear() {
    _ = finish()
    bytes.count = 0
    isWhole = false
  }

  /// - Returns: whether the bytes are whole members with right checksums, one after the other and nothing else.
  private func inflateMembers(maximumOutputBytes: Int) -> Bool {
    output.count = 0
    guard begin() else { return false }
    unsafe stream.pointee.next_in = bytes.base
    unsafe stream.pointee.avail_in = UInt32(bytes.count)
    while true {
      output.reserve(ByteBlock.defaultCapacity)
      let room = UInt32(output.capacity - output.count)
      unsafe stream.pointee.next_out = output.base + output.count
      unsafe stream.pointee.avail_out = room
      let result = unsafe inflate(stream, Z_NO_FLUSH)
      output.count += unsafe Int(room - stream.pointee.avail_out)
      if output.count > maximumOutputBytes { return false }
      switch result {
      case Z_OK: if unsafe stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0 { return false }
      case Z_STREAM_END:
        if unsafe stream.pointee.avail_in == 0 { return true }
        // Padding between members, and what must not be there, are for the reader to see.
        guard unsafe stream.pointee.next_in.pointee == 0x1F, begin() else { return false }
      default: return false
      }
    }
  }

  /// Makes the stream ready for a member; what it reads and writes stays.
  private func begin() -> Bool {
    let result =
      unsafe isInitialized
      ? inflateReset(stream)
      : inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    isInitialized = isInitialized || result == Z_OK
    return result == Z_OK
  }
}
