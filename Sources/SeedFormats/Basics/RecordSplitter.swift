/// Cuts a source into batches of whole records. It states the line and the offset at which each batch starts, so that
/// batches can be scanned apart and in any order.
@safe final class RecordSplitter {
  /// The bytes that were read and not yet handed over; they begin with a record.
  let carry = ByteBuffer(capacity: ByteBlock.defaultCapacity)
  /// Offset of the carry's first byte in the source.
  private(set) var byteOffset: UInt64 = 0
  /// 1-based line of the carry's first byte.
  private(set) var line: UInt64 = 1
  /// Nothing follows the carry.
  private(set) var isAtEnd = false

  private let source: any BlockSource
  private let byteGoal: Int
  private let recordLimit: Int
  /// Bytes per 256 records, as far as they are known.
  private var bytesPer256 = 32 << 8
  private var pendingError: SeedFormatError?

  /// - Parameter byteGoal: a batch holds about so many bytes, and more only where one record does.
  init(source: any BlockSource, byteGoal: Int, recordLimit: Int) {
    self.source = source
    self.byteGoal = byteGoal
    self.recordLimit = recordLimit
  }

  /// Reads on until the carry is about twice as long, or the source ends.
  func readMore() throws(SeedFormatError) {
    let goal = max(2 * carry.count, 1)
    while carry.count < goal, !isAtEnd { isAtEnd = try !carry.append(from: source, maximum: byteGoal) }
    carry.terminate()
  }

  /// Passes over the start of the carry.
  func drop(_ count: Int, lines: Int) {
    carry.removeFirst(count)
    carry.terminate()
    byteOffset += UInt64(count)
    line += UInt64(lines)
  }

  /// Skips a UTF-8 byte order mark at the start of the source.
  func skipByteOrderMark() throws(SeedFormatError) {
    while carry.count < 3 && !isAtEnd { try readMore() }
    let isMarked = unsafe carry.count >= 3 && carry.base[0] == 0xEF && carry.base[1] == 0xBB && carry.base[2] == 0xBF
    if isMarked { drop(3, lines: 0) }
  }

  /// Fills an empty batch with the bytes of at most `maximumRecords` records.
  ///
  /// An error of the source is thrown by the call after the one that handed over the last whole record before it.
  /// - Returns: false at the end of the source.
  func fill(_ batch: RecordBatch, maximumRecords: Int, cut: (ByteBuffer, Bool, Int) -> RecordCut)
    throws(SeedFormatError) -> Bool
  {
    let storage = batch.storage
    unsafe storage.append(carry.base, count: carry.count)
    carry.removeAll()
    var goal = max(1, min(byteGoal, bytesPer256 * maximumRecords >> 8))
    var found = RecordCut()
    var isCut = false
    while true {
      readOn(storage, to: goal)
      storage.terminate()
      if storage.count == 0 { break }
      found = cut(storage, isAtEnd && pendingError == nil, maximumRecords)
      if found.end > 0 || isAtEnd { break }
      if storage.count > recordLimit + 2 {
        // Two bytes more than a record and its line end may have: the scanner says where it starts.
        found = RecordCut(end: storage.count, lines: 0, maximumRecords: 1)
        isCut = true
        isAtEnd = true
        break
      }
      goal = 2 * storage.count
    }
    let rest = storage.count - found.end
    // Safety: `found.end` is no greater than the count, and the carry is another buffer.
    if rest > 0, pendingError == nil { unsafe carry.append(storage.base + found.end, count: rest) }
    storage.resize(to: found.end)
    storage.terminate()
    guard found.end > 0 else {
      guard let error = pendingError else { return false }
      throw error
    }
    batch.raw = RawRecords(
      count: found.end, byteOffset: byteOffset, firstLine: line, maximumRecords: found.maximumRecords, isCut: isCut)
    byteOffset += UInt64(found.end)
    line += UInt64(found.lines)
    // Somewhat fewer bytes than the records of the last batch took, so that little has to be carried over.
    bytesPer256 = max(1, (found.end << 8) / max(1, found.maximumRecords) * 31 / 32)
    return true
  }

  private func readOn(_ storage: ByteBuffer, to goal: Int) {
    while storage.count < goal, !isAtEnd {
      do {
        isAtEnd = try !storage.append(from: source, maximum: goal - storage.count)
      } catch {
        pendingError = error
        isAtEnd = true
      }
    }
  }
}

/// Where a batch ends in the bytes at hand.
struct RecordCut {
  /// The bytes before it are whole records; 0 when there is none.
  var end = 0
  /// Line ends in them.
  var lines = 0
  /// No more records than this are in them.
  var maximumRecords = 0
}
