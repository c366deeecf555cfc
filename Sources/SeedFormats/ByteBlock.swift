/// A piece of a byte stream: a fixed-size buffer filled from its start. It has one owner at a time and may move
/// between threads.
@safe public final class ByteBlock: @unchecked Sendable {
  /// Bytes that fit.
  public let capacity: Int
  let base: UnsafeMutablePointer<UInt8>
  /// Bytes filled, 0 to `capacity`.
  public internal(set) var count = 0

  /// 256 KB: large enough to make calls rare, small enough to stay in the second-level cache.
  public static let defaultCapacity = 256 << 10

  /// An empty block.
  public init(capacity: Int = ByteBlock.defaultCapacity) {
    self.capacity = max(capacity, 1)
    unsafe base = .allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  /// The filled bytes; valid while the block lives and is not refilled.
  public var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: count) }

  /// Fills the block: `body` writes at the start of the whole capacity and returns how many bytes it wrote.
  public func fill<E: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int) throws(E) {
    let written = try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
    precondition(0...capacity ~= written, "a block cannot hold more than its capacity")
    count = written
  }
}

/// A stream of bytes, pulled block by block. A source is used by one thread at a time.
public protocol BlockSource: AnyObject {
  /// The next bytes, never an empty block; nil at the end, and again nil after it. After an error the source is done.
  func next() throws(SeedFormatError) -> ByteBlock?
}
