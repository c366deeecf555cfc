import Dispatch
import Foundation
import Synchronization

/// A field of stored records that values are compared with.
public struct ComparedField: Sendable, Hashable {
  /// The kinds of a field's values besides null.
  public enum Kind: UInt8, Sendable {
    case integer, real, text, blob
    /// A real, like `real`; the given values are rounded to 32 bits before they are compared.
    case float
  }
  /// Position of the field in the table's records.
  public var position: Int
  /// The kind of values that the field holds.
  public var kind: Kind

  /// A field at a position of the records.
  public init(position: Int, kind: Kind) {
    self.position = position
    self.kind = kind
  }
}

/// The fields of a row's key and of its values.
public struct RowKeyShape: Sendable {
  /// The fields of the key: integers, texts and blobs.
  public var keys: [ComparedField]
  /// Fields that are compared once a row is found.
  public var values: [ComparedField]
  /// Only rows with one of these integers in this field are looked at.
  public var filter: (position: Int, numbers: [Int64])?
  /// Whether no two rows have the same key, so that the first one that is found is the one.
  public var isUnique: Bool

  /// All of it by name.
  public init(
    keys: [ComparedField], values: [ComparedField], filter: (position: Int, numbers: [Int64])? = nil, isUnique: Bool
  ) {
    self.keys = keys
    self.values = values
    self.filter = filter
    self.isUnique = isUnique
  }
}

/// Finds the rows of a table by their keys: a hash table from keys to places in the file, in 8 bytes a slot and 11 to
/// 22 a row. A hash only gives the place to look at; the key's bytes in the file are compared.
@safe public final class RowKeyTable: @unchecked Sendable {
  /// Rows of the table, those without a key included.
  public let rowCount: Int
  let table: MappedTable
  let shape: RowKeyShape
  let mask: Int
  /// Slots: a tag of 24 bits, the leaf counted from 1 in 26, the cell in 14. Zero is free.
  @unsafe let slots: UnsafeMutableRawPointer
  /// One bit per slot: whether `match` has found it before.
  @unsafe let found: UnsafeMutablePointer<UInt64>
  /// All ones, but in tests of what happens when hashes agree.
  private let hashMask: UInt64

  static let greatestLeafCount = 1 << 26 - 1
  static let greatestCellCount = 1 << 14

  /// Reads all keys of a table, on several threads.
  /// - Parameters:
  ///   - memoryBudget: bytes that the slots may take.
  ///   - hashMask: bits of the hashes that count; all of them, except in tests.
  /// - Throws: `PageError` of kind `unsuitable` when the table is too large for the budget, or has a key of
  ///   another storage class than the shape says: SQLite's affinity might match it where hashing bytes would not.
  public init(
    _ table: MappedTable, shape: RowKeyShape, memoryBudget: Int, workers: Int, hashMask: UInt64 = .max
  ) throws(PageError) {
    self.table = table
    self.shape = shape
    self.hashMask = hashMask
    let ranges = RowKeyTable.ranges(table.leaves.count, workers: workers)
    let total = Mutex(0)
    try RowKeyTable.forEach(ranges) { (range) throws(PageError) in
      var count = 0
      for leaf in range {
        let cells = try table.cellCount(leaf)
        guard cells < RowKeyTable.greatestCellCount else { throw RowKeyTable.unsuitable("a page has too many rows") }
        count += cells
      }
      total.withLock { $0 += count }
    }
    rowCount = total.withLock { $0 }
    var size = 1024
    while size * 3 < rowCount * 4 { size *= 2 }
    guard size * 8 + size / 8 <= memoryBudget, table.leaves.count < RowKeyTable.greatestLeafCount else {
      throw RowKeyTable.unsuitable("\(rowCount) rows are more than fit the memory for their keys")
    }
    mask = size - 1
    // Safety: `size` is at least 1024, so `size / 64` words have a bit for each slot. Both belong to the table until
    // `deinit`.
    unsafe slots = .allocate(byteCount: size * 8, alignment: 16)
    unsafe slots.initializeMemory(as: UInt8.self, repeating: 0, count: size * 8)
    unsafe found = .allocate(capacity: size / 64)
    unsafe found.initialize(repeating: 0, count: size / 64)
    try RowKeyTable.forEach(ranges) { (range) throws(PageError) in try self.enter(range) }
    table.releasePages()
  }

  deinit {
    unsafe slots.deallocate()
    unsafe found.deallocate()
  }

  static func unsuitable(_ message: String) -> PageError { PageError(kind: .unsuitable, message: message) }

  /// Parts of some leaves, more than there are workers, so that none waits long for the last.
  private static func ranges(_ count: Int, workers: Int) -> [Range<Int>] {
    let step = max(64, count / (max(workers, 1) * 4) + 1)
    return stride(from: 0, to: count, by: step).map { $0..<min($0 + step, count) }
  }

  private static func forEach(
    _ ranges: [Range<Int>], _ body: @Sendable (Range<Int>) throws(PageError) -> Void
  ) throws(PageError) {
    let failure = Mutex<PageError?>(nil)
    DispatchQueue.concurrentPerform(iterations: ranges.count) { index in
      if failure.withLock({ $0 != nil }) { return }
      do throws(PageError) {
        try body(ranges[index])
      } catch {
        failure.withLock { if $0 == nil { $0 = error } }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  // MARK: - Entering rows

  private func enter(_ range: Range<Int>) throws(PageError) {
    let fields = shape.keys.map(\.position) + (shape.filter.map { [$0.position] } ?? [])
    let width = (fields.max() ?? 0) + 1
    let room = UnsafeMutableBufferPointer<StoredRecord.Field>.allocate(capacity: width)
    defer { unsafe room.deallocate() }
    let overflow = RecordScratch()
    let keys = shape.keys
    let filter = shape.filter
    let entries = UnsafeMutableBufferPointer<(word: UInt64, index: Int)>.allocate(
      capacity: RowKeyTable.greatestCellCount)
    defer { unsafe entries.deallocate() }
    for leaf in range {
      let count = try table.cellCount(leaf)
      var entryCount = 0
      rows: for index in 0..<count {
        // Safety: the index is under the page's own count. The record lies in the mapped file or in `overflow`, until
        // the next row.
        let cell = unsafe try table.cell(leaf, index)
        let record = unsafe try table.record(cell, overflow: overflow)
        guard unsafe StoredRecord.locate(record, count: cell.size, fields: room) else {
          throw table.malformed(table.leaves[leaf])
        }
        if let filter {
          let field = unsafe room[filter.position]
          guard let number = unsafe RowKeyTable.integer(field, record), filter.numbers.contains(number) else {
            continue
          }
        }
        var hash = RowKeyTable.seed
        for key in keys {
          let field = unsafe room[key.position]
          if field.type == 0 { continue rows }
          switch key.kind {
          case .integer:
            guard let value = unsafe RowKeyTable.integer(field, record) else {
              throw RowKeyTable.unsuitable("a key is no integer")
            }
            hash = RowKeyTable.mix(hash, UInt64(bitPattern: value))
          case .text, .blob:
            guard field.type >= 12, field.type & 1 == (key.kind == .text ? 1 : 0) else {
              throw RowKeyTable.unsuitable("a key is no \(key.kind)")
            }
            hash = unsafe RowKeyTable.mix(hash, record + field.offset, count: field.count)
          case .real, .float: throw RowKeyTable.unsuitable("keys of reals are not kept")
          }
        }
        // Safety: the page has fewer rows than `greatestCellCount`, as the initializer found.
        unsafe entries[entryCount] = (hash & hashMask, index)
        entryCount += 1
      }
      unsafe enter(UnsafeMutableBufferPointer(rebasing: entries[..<entryCount]), leaf: leaf)
    }
  }

  /// Threads enter rows at once: the first to fill a free slot has it.
  @unsafe private func enter(_ entries: UnsafeMutableBufferPointer<(word: UInt64, index: Int)>, leaf: Int) {
    // Safety: an atomic word is as large as a plain one. Threads write slots only by exchanging a zero for a value,
    // until the initializer has waited for all of them.
    let slots = unsafe slots.assumingMemoryBound(to: Atomic<UInt64>.self)
    let mask = mask
    // The slots are seldom in the cache. Finding the free ones first makes loads that do not wait for each other.
    for entry in 0..<entries.count {
      let (hash, cell) = unsafe entries[entry]
      let index = Int(truncatingIfNeeded: hash) & mask
      let isFree = unsafe slots[index].load(ordering: .relaxed) == 0
      let value = (hash >> 40) << 40 | UInt64(leaf + 1) << 14 | UInt64(cell)
      unsafe entries[entry] = (value, isFree ? index : (index + 1) & mask)
    }
    for entry in 0..<entries.count {
      let value = unsafe entries[entry].word
      var index = unsafe entries[entry].index
      while unsafe !slots[index].compareExchange(expected: 0, desired: value, ordering: .relaxed).exchanged {
        repeat { index = (index + 1) & mask } while unsafe slots[index].load(ordering: .relaxed) != 0
      }
    }
  }

  // MARK: - Hashing

  static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Folds the two halves of a product of 128 bits.
  @inline(__always)
  static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = (state ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return (product.high ^ product.low) &+ 0x2545_F491_4F6C_DD1D
  }

  @inline(__always)
  @unsafe static func mix(_ state: UInt64, _ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    var state = mix(state, UInt64(count))
    var offset = 0
    while offset + 8 <= count {
      state = unsafe mix(state, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    if offset < count {
      var tail: UInt64 = 0
      while offset < count {
        tail = unsafe tail << 8 | UInt64(bytes.load(fromByteOffset: offset, as: UInt8.self))
        offset += 1
      }
      state = mix(state, tail)
    }
    return state
  }

  @inline(__always)
  func masked(_ hash: UInt64) -> UInt64 { hash & hashMask }

  /// The integer in a field, nil when it holds something else.
  @inline(__always)
  @unsafe static func integer(_ field: StoredRecord.Field, _ record: UnsafeRawPointer) -> Int64? {
    switch field.type {
    case 1...6, 8, 9: unsafe StoredRecord.integer(record + field.offset, type: field.type)
    default: nil
    }
  }
}
