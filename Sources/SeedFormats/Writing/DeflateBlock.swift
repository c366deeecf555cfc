import CZlib
import Dispatch

/// A piece of a gzip stream, compressed by itself: it has the 32 KB before it, which its matches may reach back to,
/// and ends on a byte boundary, so that the pieces of a stream can be compressed at once and joined.
///
/// Its owner fills it, has it compressed, waits, takes the output and fills it again. Only the compression runs
/// elsewhere, and nothing else writes to the block meanwhile; that makes the unchecked `Sendable` sound.
///
/// `bytes` has a window and `capacity` bytes of input behind it, and the window of a block ends where its input begins.
/// zlib keeps the address of `stream`, which is allocated once and freed after `deflateEnd`; the addresses of input and
/// output are set before each call. `output` is as large as zlib's bound for a full block.
@safe final class DeflateBlock: @unchecked Sendable {
  /// Bytes of input of every block but the last.
  static let capacity = 256 << 10
  /// How far a match of deflate reaches back.
  private static let windowSize = 32 << 10

  /// The window, then the input.
  private let bytes: UnsafeMutablePointer<UInt8>
  private var windowCount = 0
  /// Bytes of input.
  private(set) var count = 0
  private let stream: UnsafeMutablePointer<z_stream>
  private var isInitialized = false
  @unsafe private var output = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var outputCount = 0
  /// CRC-32 of the input.
  private(set) var checksum: UInt = 0
  /// Whether all of the input was compressed.
  private(set) var isComplete = false
  private let done = DispatchSemaphore(value: 0)

  init() {
    unsafe bytes = .allocate(capacity: DeflateBlock.windowSize + DeflateBlock.capacity)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
  }

  deinit {
    if isInitialized { unsafe deflateEnd(stream) }
    unsafe stream.deallocate()
    unsafe bytes.deallocate()
    unsafe output.deallocate()
  }

  var isFull: Bool { count == DeflateBlock.capacity }

  /// The compressed bytes, once it is complete.
  var compressed: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: output[..<outputCount]) }

  /// Empties the block, and takes the end of the one before it as its window.
  func begin(after previous: DeflateBlock?) {
    count = 0
    windowCount = 0
    guard let previous else { return }
    windowCount = min(previous.count, DeflateBlock.windowSize)
    // Safety: the window is the end of the previous block's input, which begins behind its own window; the previous
    // block is being compressed at most, which does not write to its input.
    let source = unsafe previous.bytes + DeflateBlock.windowSize + previous.count - windowCount
    unsafe (bytes + DeflateBlock.windowSize - windowCount).update(from: source, count: windowCount)
  }

  /// Appends bytes as far as there is room.
  /// - Returns: how many it took.
  func append(_ source: UnsafeRawBufferPointer) -> Int {
    let taken = min(source.count, DeflateBlock.capacity - count)
    guard taken > 0, let start = source.baseAddress else { return 0 }
    unsafe UnsafeMutableRawPointer(bytes + DeflateBlock.windowSize + count).copyMemory(from: start, byteCount: taken)
    count += taken
    return taken
  }

  /// Compresses on a queue; `wait` tells when it is done.
  func compress(on queue: DispatchQueue) {
    queue.async {
      self.compress(isLast: false)
      self.done.signal()
    }
  }

  /// Waits for the compression on a queue.
  func wait() { done.wait() }

  /// Compresses the input. Every block but the last ends with an empty stored block, which fills up the last byte.
  func compress(isLast: Bool) {
    isComplete = false
    outputCount = 0
    let input = unsafe bytes + DeflateBlock.windowSize
    checksum = unsafe UInt(crc32(0, input, UInt32(count)))
    guard prepare() else { return }
    if windowCount > 0 {
      guard unsafe deflateSetDictionary(stream, input - windowCount, UInt32(windowCount)) == Z_OK else { return }
    }
    unsafe stream.pointee.next_in = input
    unsafe stream.pointee.avail_in = UInt32(count)
    unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = UInt32(output.count)
    let result = unsafe deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
    outputCount = unsafe output.count - Int(stream.pointee.avail_out)
    isComplete =
      unsafe result == (isLast ? Z_STREAM_END : Z_OK) && stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0
  }

  /// A fresh stream of raw deflate, and room for all that it can yield.
  private func prepare() -> Bool {
    if isInitialized { return unsafe deflateReset(stream) == Z_OK }
    let result = unsafe deflateInit2_(
      stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { return false }
    isInitialized = true
    // The bound is for a stream that ends; a flush adds a few bytes.
    let bound = unsafe Int(deflateBound(stream, UInt(DeflateBlock.capacity))) + 64
    unsafe output = .allocate(byteCount: bound, alignment: 16)
    return true
  }
}
