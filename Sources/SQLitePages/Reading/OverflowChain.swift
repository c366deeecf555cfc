/// The pages that hold the end of a record that is too long for its cell: each names the next one in its first four
/// bytes.
enum OverflowChain {
  /// Goes through the pages of a chain.
  /// - Parameters:
  ///   - head: the first page.
  ///   - count: bytes of the record that lie on the chain.
  ///   - body: gets the page's number, and the part of the record that is on it, valid during the call.
  /// - Returns: the page that the last one names, 0 in a sound file.
  @discardableResult
  @unsafe static func forEachPage(
    from head: UInt32, count: Int, of source: some PageSource,
    _ body: (UInt32, UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) -> UInt32 {
    let room = source.geometry.usableSize - 4
    var rest = count
    var next = head
    while rest > 0 {
      guard next > 1, next <= source.pageCount else { throw source.malformed(next) }
      // Safety: the body is done with the page before the next one is asked for, and gets no more than lies on it.
      let page = unsafe try source.page(next)
      let number = next
      next = UInt32(bigEndian: unsafe page.loadUnaligned(as: UInt32.self))
      unsafe try body(number, UnsafeRawBufferPointer(start: page + 4, count: min(room, rest)))
      rest -= room
    }
    return next
  }

  /// Puts a record together from its cell and its overflow pages.
  /// - Parameters:
  ///   - local: the part that is in the cell; the number of the first page follows it.
  ///   - size: bytes of the whole record.
  /// - Returns: the record, valid until the memory is used for another one.
  @inline(never)
  @unsafe static func assemble(
    _ local: UnsafeRawPointer, localCount: Int, size: Int, of source: some PageSource, into memory: RecordScratch
  ) throws(PageError) -> UnsafeRawPointer {
    // Safety: `CellForm` has found the local part and the four bytes behind it within the page; the parts together
    // are `size` bytes, for which room is made.
    let head = UInt32(bigEndian: unsafe local.loadUnaligned(fromByteOffset: localCount, as: UInt32.self))
    // No record is longer than its file: memory is never reserved for a forged length.
    guard size / source.geometry.pageSize < source.pageCount else { throw source.malformed(head) }
    let target = unsafe memory.reserve(size)
    unsafe target.copyMemory(from: local, byteCount: localCount)
    var done = localCount
    unsafe try forEachPage(from: head, count: size - localCount, of: source) { (_, part) throws(PageError) in
      if let base = part.baseAddress { unsafe (target + done).copyMemory(from: base, byteCount: part.count) }
      done += part.count
    }
    return UnsafeRawPointer(target)
  }
}
