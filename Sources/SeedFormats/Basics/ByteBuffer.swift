import Platform

/// Growable bytes without the bookkeeping of `Array`. At least `slack` readable bytes follow the last byte, so that
/// 64 bytes may be looked at from any position. `base` moves when `reserve` or an append makes the buffer larger; its
/// owner keeps no pointer into it over such a call.
@safe final class ByteBuffer {
  static let slack = 64
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 4096) {
    self.capacity = capacity
    unsafe base = .allocate(capacity: capacity + ByteBuffer.slack)
    unsafe base.update(repeating: 0, count: ByteBuffer.slack)
  }

  deinit { unsafe base.deallocate() }

  /// Makes room for `additional` bytes after `count`. Moves the bytes when it must.
  func reserve(_ additional: Int) {
    let needed = count + additional
    guard needed > capacity else { return }
    capacity = max(needed, capacity * 2)
    let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + ByteBuffer.slack)
    unsafe memcpy(grown, base, count)
    unsafe base.deallocate()
    unsafe base = grown
  }

  func append(_ source: UnsafePointer<UInt8>, count added: Int) {
    reserve(added)
    unsafe memcpy(base + count, source, added)
    count += added
  }

  func append(_ byte: UInt8) {
    reserve(1)
    unsafe base[count] = byte
    count += 1
  }

  /// Appends the next bytes of a source, at most `maximum`.
  /// - Returns: false at the end of the source.
  func append(from source: any BlockSource, maximum: Int) throws(SeedFormatError) -> Bool {
    reserve(maximum)
    // Safety: `reserve` made room for `maximum` bytes, and a source writes no more.
    let read = try unsafe source.read(into: UnsafeMutableRawBufferPointer(start: base + count, count: maximum))
    count += read
    return read > 0
  }

  /// Sets the number of bytes held: after some were written into reserved room, or to drop the last ones.
  func resize(to count: Int) {
    precondition(0...capacity ~= count, "a buffer cannot hold more than its capacity")
    self.count = count
  }

  /// Drops all bytes and keeps the room.
  func removeAll() { count = 0 }

  /// Drops the first `dropped` bytes.
  func removeFirst(_ dropped: Int) {
    guard dropped > 0 else { return }
    // Safety: callers drop no more than there is.
    unsafe memmove(base, base + dropped, count - dropped)
    count -= dropped
  }

  /// Zeroes the slack, so that a scan past the last byte meets a NUL.
  func terminate() {
    // Safety: `slack` bytes behind the capacity were allocated for this.
    unsafe (base + count).update(repeating: 0, count: ByteBuffer.slack)
  }
}
