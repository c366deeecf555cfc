/// A piece of a byte stream: a fixed-size buffer filled from its start. It has one owner at a time and may move
/// between threads.
@safe public final class ByteBlock: @unchecked Sendable {
  /// The number of bytes that fit, at least 1.
  public let capacity: Int
  let base: UnsafeMutablePointer<UInt8>
  /// Bytes filled, 0 to `capacity`.
  public private(set) var count = 0

  /// 256 KB: large enough to make calls rare, small enough to stay in the second-level cache.
  public static let defaultCapacity = 256 << 10

  /// An empty block with room for at least one byte.
  public init(capacity: Int = ByteBlock.defaultCapacity) {
    self.capacity = max(capacity, 1)
    unsafe base = .allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  /// The filled bytes; valid while the block lives and is not refilled.
  public var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: count) }

  /// Fills the block with the next bytes of a source.
  /// - Returns: false at the end of the source.
  public func fill(from source: any BlockSource) throws(SeedFormatError) -> Bool {
    count = 0
    // Safety: a source writes no more than there is room for; the block has one owner, so nothing else looks at it.
    count = try unsafe source.read(into: UnsafeMutableRawBufferPointer(start: base, count: capacity))
    return count > 0
  }
}

/// A stream of bytes, pulled piece by piece into memory of the caller, so that nothing is allocated on the way. A
/// source is used by one thread at a time.
public protocol BlockSource: AnyObject {
  /// Writes the next bytes to the start of `target`, which is not empty: as many as fit, or fewer.
  /// - Returns: the number of bytes; 0 at the end of the stream, and again 0 after it. After an error the source is
  ///   done.
  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int
}

extension BlockSource {
  /// The next bytes in a block of their own, never an empty one; nil at the end.
  public func next() throws(SeedFormatError) -> ByteBlock? {
    let block = ByteBlock()
    return try block.fill(from: self) ? block : nil
  }
}
