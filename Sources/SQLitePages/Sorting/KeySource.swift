import Foundation
import Platform

/// One sorted sequence of entries, in memory or in a file, which is read a block at a time.
///
/// Entries in memory belong to an arena, which `KeyMerge` keeps. Those of a file are whole in `block` while they are
/// the current one.
@safe final class KeySource {
  /// The current entry, valid until the next `advance`.
  @unsafe private(set) var entry: UnsafePointer<UInt8>
  private var prefix: UInt64 = 0
  // In memory:
  @unsafe private let entries: UnsafeMutablePointer<SortEntry>?
  private var remaining = 0
  private var index = 0
  // In a file:
  private let file: Int32
  private var position = 0
  private var end = 0
  @unsafe private var block: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var start = 0
  private var count = 0
  private var entrySize = 0

  @unsafe init(_ entries: UnsafeMutablePointer<SortEntry>, count: Int) {
    unsafe self.entries = unsafe entries
    remaining = count
    file = -1
    capacity = 1
    unsafe block = .allocate(capacity: 1)
    unsafe entry = UnsafePointer(block)
  }

  init(file: Int32, range: Range<Int>, capacity: Int) {
    unsafe entries = nil
    self.file = file
    position = range.lowerBound
    end = range.upperBound
    self.capacity = capacity
    unsafe block = .allocate(capacity: capacity)
    unsafe entry = UnsafePointer(block)
  }

  deinit { unsafe block.deallocate() }

  @inline(__always)
  func isBefore(_ other: KeySource) -> Bool {
    if prefix != other.prefix { return prefix < other.prefix }
    return unsafe SortEntry.compare(entry, other.entry, from: 0) < 0
  }

  /// Goes to the next entry; false at the end.
  func advance() throws(PageError) -> Bool {
    if let entries = unsafe entries {
      if remaining == 0 { return false }
      unsafe entry = entries[index].bytes
      index += 1
      remaining -= 1
    } else {
      start += entrySize
      count -= entrySize
      entrySize = 0
      if count == 0 && position == end { return false }
      try fill(8)
      // Safety: both lengths are there, as `fill` has seen to; the block may move, and `entry` is set anew before it is
      // looked at.
      let size = unsafe 8 + SortEntry.keyCount(block + start) + SortEntry.payloadCount(block + start)
      try fill(size)
      entrySize = size
      unsafe entry = UnsafePointer(block + start)
    }
    unsafe prefix = SortEntry.prefix(entry, at: 0)
    return true
  }

  /// Makes sure that so many bytes are there from `start` on.
  private func fill(_ wanted: Int) throws(PageError) {
    if count >= wanted { return }
    if wanted > capacity {
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
      unsafe larger.update(from: block + start, count: count)
      unsafe block.deallocate()
      unsafe block = larger
      capacity = wanted
    } else {
      unsafe memmove(block, block + start, count)
    }
    start = 0
    while count < wanted {
      let size = min(capacity - count, end - position)
      let read = unsafe pread(file, block + count, size, off_t(position))
      guard size > 0, read > 0 else {
        throw PageError(kind: .inputOutput, message: "cannot read back a sorted run")
      }
      position += read
      count += read
    }
  }
}
