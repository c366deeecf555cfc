import Foundation
import Platform

/// The values of one integer column, kept while a table's rows are written, so that an index over it can be made
/// without reading the table again. Foreign keys and entity numbers are such columns.
///
/// It holds 4 bytes a row; rows over the budget go to a temporary file. When a value or a row id does not fit that
/// form, or the file cannot be made, it forgets everything and stays empty: the index is then made from the table. One
/// thread at a time appends; once the table is written, several may read.
@safe public final class KeyColumn: @unchecked Sendable {
  /// Position of the column in the table's records, from 0.
  public let field: Int
  /// Whether the column still has every row that was appended.
  public private(set) var isComplete = true
  /// The number of rows that were appended.
  public private(set) var count = 0
  private let memoryBudget: Int
  private let temporaryPath: String
  private var file: Int32 = -1

  static let rowsPerChunk = 1 << 16
  static let chunkSize = rowsPerChunk * 4
  /// The slots of the rows: 0 for null, v + 1 for the value v, `rowsPerChunk` in each chunk. A chunk that is nil lies
  /// in the file, at the offset of its number.
  @unsafe private var chunks: [UnsafeMutablePointer<UInt32>?] = unsafe []
  private var residentCount = 0
  /// Rows whose ids follow one another: position of the first, and its id.
  private(set) var runs: [(position: Int, firstRowID: Int64)] = []
  private var lastRowID: Int64 = 0
  /// The greatest slot in the chunks.
  private(set) var greatestSlot: UInt32 = 0

  /// - Parameters:
  ///   - field: position of the column in the table's records, from 0.
  ///   - memoryBudget: bytes that the column may hold in memory; it takes 256 KiB at least.
  ///   - temporaryPath: how the name of the temporary file begins; the name is removed once the file is open.
  public init(field: Int, memoryBudget: Int, temporaryPath: String) {
    self.field = field
    self.memoryBudget = memoryBudget
    self.temporaryPath = temporaryPath
  }

  deinit { drop() }

  /// Forgets all rows for good.
  public func drop() {
    unsafe chunks.forEach { unsafe $0?.deallocate() }
    unsafe chunks = []
    if file >= 0 { close(file) }
    file = -1
    runs = []
    count = 0
    isComplete = false
  }

  /// Adds rows whose ids follow one another.
  /// - Parameters:
  ///   - values: natural numbers, those of foreign keys.
  ///   - states: a byte for each row; nil when no value is null.
  ///   - valueState: the byte that says that the row has a value. All others say null.
  ///   - firstRowID: greater than every id before.
  @unsafe public func append(
    _ values: UnsafePointer<Int64>, states: UnsafePointer<UInt8>?, valueState: UInt8, firstRowID: Int64, count: Int
  ) {
    guard isComplete, count > 0 else { return }
    guard note(firstRowID, count) else { return drop() }
    var done = 0
    var bits: UInt64 = 0
    var greatest = greatestSlot
    while done < count {
      guard let (target, room) = unsafe chunk(at: self.count) else { return drop() }
      let part = min(room, count - done)
      let source = unsafe values + done
      if let states = unsafe states.map({ unsafe $0 + done }) {
        for index in 0..<part {
          let value = unsafe UInt64(bitPattern: source[index]) &* (states[index] == valueState ? 1 : 0)
          let slot = UInt32(truncatingIfNeeded: value &+ (unsafe states[index] == valueState ? 1 : 0))
          bits |= value
          greatest = max(greatest, slot)
          unsafe target[index] = slot
        }
      } else {
        for index in 0..<part {
          let value = unsafe UInt64(bitPattern: source[index])
          let slot = UInt32(truncatingIfNeeded: value &+ 1)
          bits |= value
          greatest = max(greatest, slot)
          unsafe target[index] = slot
        }
      }
      done += part
      self.count += part
    }
    greatestSlot = greatest
    if bits >> 31 != 0 { drop() }
  }

  /// Adds rows that have the same value, or null.
  public func append(_ value: Int64?, firstRowID: Int64, count: Int) {
    guard isComplete, count > 0 else { return }
    guard (value ?? 0) >> 31 == 0, note(firstRowID, count) else { return drop() }
    let slot = value.map { UInt32(truncatingIfNeeded: $0) + 1 } ?? 0
    var done = 0
    while done < count {
      guard let (target, room) = unsafe chunk(at: self.count) else { return drop() }
      let part = min(room, count - done)
      unsafe target.update(repeating: slot, count: part)
      done += part
      self.count += part
    }
    greatestSlot = max(greatestSlot, slot)
  }

  /// Adds rows with any ascending ids.
  @unsafe public func append(
    _ values: UnsafePointer<Int64>, states: UnsafePointer<UInt8>?, valueState: UInt8, rowIDs: UnsafePointer<Int64>,
    count: Int
  ) {
    var start = 0
    while start < count {
      var end = start + 1
      if unsafe rowIDs[count - 1] &- rowIDs[start] == count - 1 - start {
        end = count
      } else {
        while end < count, unsafe rowIDs[end] == rowIDs[end - 1] &+ 1 { end += 1 }
      }
      unsafe append(
        values + start, states: states.map { unsafe $0 + start }, valueState: valueState, firstRowID: rowIDs[start],
        count: end - start)
      start = end
    }
  }

  /// Notes the ids of further rows; false when the column cannot hold them.
  private func note(_ firstRowID: Int64, _ count: Int) -> Bool {
    let (last, overflows) = firstRowID.addingReportingOverflow(Int64(count) - 1)
    guard !overflows, firstRowID > lastRowID, last <= Int64(UInt32.max),
      runs.count * 16 <= max(memoryBudget / 4, 1 << 16)
    else { return false }
    if firstRowID != lastRowID + 1 || runs.isEmpty { runs.append((self.count, firstRowID)) }
    lastRowID = last
    return true
  }

  /// Where the row at a position goes, and how many follow it there; nil when there is no place.
  @unsafe private func chunk(at position: Int) -> (UnsafeMutablePointer<UInt32>, room: Int)? {
    let number = position / KeyColumn.rowsPerChunk
    if unsafe number == chunks.count {
      if residentCount > 0, (residentCount + 1) * KeyColumn.chunkSize > memoryBudget {
        guard unsafe spill(chunks.count - 1) else { return nil }
      } else {
        unsafe chunks.append(.allocate(capacity: KeyColumn.rowsPerChunk))
        residentCount += 1
      }
    }
    guard let chunk = unsafe chunks[number] else { return nil }
    // Safety: callers write no more rows there than `room`, and the chunk stays until it is spilled full.
    let offset = position % KeyColumn.rowsPerChunk
    return unsafe (chunk + offset, KeyColumn.rowsPerChunk - offset)
  }

  /// Writes a full chunk to the file; its memory becomes the next chunk.
  private func spill(_ number: Int) -> Bool {
    if file < 0 {
      guard let descriptor = TemporaryFile.open(prefix: temporaryPath) else { return false }
      file = descriptor
    }
    guard let chunk = unsafe chunks[number],
      unsafe pwrite(file, chunk, KeyColumn.chunkSize, off_t(number) * off_t(KeyColumn.chunkSize)) == KeyColumn.chunkSize
    else { return false }
    unsafe chunks[number] = nil
    unsafe chunks.append(chunk)
    return true
  }

  /// Hands out the rows at some positions in pieces: the slots, the id of the first, and how many.
  @unsafe func forEach(
    in range: Range<Int>, _ body: (UnsafePointer<UInt32>, _ firstRowID: Int64, _ count: Int) -> Void
  ) throws(PageError) {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].position <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    var run = low - 1
    var position = range.lowerBound
    var scratch: UnsafeMutablePointer<UInt32>?
    defer { unsafe scratch?.deallocate() }
    var scratchNumber = -1
    while position < range.upperBound {
      let endOfRun = run + 1 < runs.count ? runs[run + 1].position : count
      let number = position / KeyColumn.rowsPerChunk
      let offset = position % KeyColumn.rowsPerChunk
      let part = min(min(range.upperBound, endOfRun) - position, KeyColumn.rowsPerChunk - offset)
      var source = unsafe UnsafePointer(chunks[number])
      if unsafe source == nil {
        let place = unsafe scratch ?? .allocate(capacity: KeyColumn.rowsPerChunk)
        unsafe scratch = place
        if scratchNumber != number {
          let size = KeyColumn.chunkSize
          guard unsafe pread(file, place, size, off_t(number) * off_t(size)) == size else {
            throw PageError(kind: .inputOutput, message: "cannot read back a column")
          }
          scratchNumber = number
        }
        unsafe source = UnsafePointer(place)
      }
      // Safety: the piece ends with the chunk, the run or the range, whichever comes first. Nothing is appended any
      // more, so no chunk is spilled while others are handed out.
      if let source = unsafe source {
        unsafe body(source + offset, runs[run].firstRowID + Int64(position - runs[run].position), part)
      }
      position += part
      if position == endOfRun { run += 1 }
    }
  }
}
