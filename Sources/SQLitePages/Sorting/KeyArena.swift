import Foundation
import Platform

/// Collects index entries of one worker, in bounded memory: entries over the budget go to a temporary file as sorted
/// runs. `KeyMerge` hands them out in order.
///
/// One thread adds entries; after `finish` the entries stay where they are until the arena goes, because nothing can be
/// added.
@safe final class KeyArena: @unchecked Sendable {
  private let budget: Int
  private let temporaryPath: String
  @unsafe private var arena: UnsafeMutableRawPointer
  private var arenaCapacity: Int
  private var arenaCount = 0
  /// Where each entry begins in the arena.
  @unsafe private var offsets: UnsafeMutablePointer<Int>
  private var offsetCapacity: Int
  private(set) var entryCount = 0
  /// The entries in memory in order, once `finish` was called.
  @unsafe private(set) var sorted: UnsafeMutablePointer<SortEntry>?
  /// Parts of the file that are in order.
  private(set) var runs: [Range<Int>] = []
  private(set) var file: Int32 = -1
  private var fileSize = 0

  /// The most that is handed to the system at once, as for the database file.
  private static let writeSize = 64 << 10
  /// Bytes that an entry takes beside its own while it is sorted: two places in the order, and one in the arena.
  private static let bytesPerEntry = 2 * MemoryLayout<SortEntry>.stride + MemoryLayout<Int>.stride

  /// - Parameters:
  ///   - budget: bytes to hold in memory.
  ///   - temporaryPath: how the name of the file for runs begins; the name is removed once the file is open.
  init(budget: Int, temporaryPath: String) {
    self.budget = max(budget, 1 << 16)
    self.temporaryPath = temporaryPath
    arenaCapacity = 1 << 15
    unsafe arena = .allocate(byteCount: arenaCapacity, alignment: 8)
    offsetCapacity = 1 << 9
    unsafe offsets = .allocate(capacity: offsetCapacity)
  }

  deinit {
    unsafe arena.deallocate()
    unsafe offsets.deallocate()
    unsafe sorted?.deallocate()
    if file >= 0 { close(file) }
  }

  /// Makes room for an entry, which `commit` then takes up.
  /// - Parameter count: the most bytes that key and payload together may take.
  /// - Returns: where the key goes, and the payload right behind it.
  @inline(__always)
  @unsafe func reserve(_ count: Int) throws(PageError) -> UnsafeMutableRawPointer {
    if arenaCount + count + 8 > arenaCapacity || entryCount == offsetCapacity { try makeRoom(count + 8) }
    return unsafe arena + arenaCount + 8
  }

  /// Adds the entry whose bytes were written to the room from `reserve`.
  @inline(__always)
  func commit(keyCount: Int, payloadCount: Int) {
    // Safety: `reserve` made room for these bytes and 8 more, and for a place in `offsets`.
    let entry = unsafe arena + arenaCount
    unsafe entry.storeBytes(of: UInt32(truncatingIfNeeded: keyCount), as: UInt32.self)
    unsafe (entry + 4).storeBytes(of: UInt32(truncatingIfNeeded: payloadCount), as: UInt32.self)
    unsafe offsets[entryCount] = arenaCount
    entryCount += 1
    arenaCount += 8 + keyCount + payloadCount
  }

  private func makeRoom(_ count: Int) throws(PageError) {
    if entryCount > 0, arenaCount + count + (entryCount + 1) * KeyArena.bytesPerEntry > budget { try spill() }
    if arenaCount + count > arenaCapacity {
      // Never more than the budget at once, but for an entry that is larger itself.
      let capacity = max(arenaCount + count, min(arenaCapacity * 2, budget))
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      unsafe larger.copyMemory(from: arena, byteCount: arenaCount)
      unsafe arena.deallocate()
      unsafe arena = larger
      arenaCapacity = capacity
    }
    if entryCount == offsetCapacity {
      let larger = UnsafeMutablePointer<Int>.allocate(capacity: offsetCapacity * 2)
      unsafe larger.update(from: offsets, count: entryCount)
      unsafe offsets.deallocate()
      unsafe offsets = larger
      offsetCapacity *= 2
    }
  }

  /// Sorts the entries in memory. Nothing can be added afterwards.
  func finish() { unsafe sorted = sortedEntries() }

  @unsafe private func sortedEntries() -> UnsafeMutablePointer<SortEntry> {
    let entries = UnsafeMutablePointer<SortEntry>.allocate(capacity: max(entryCount, 1))
    let base = unsafe UnsafePointer(arena.assumingMemoryBound(to: UInt8.self))
    for index in 0..<entryCount {
      // Safety: offsets are of entries that were committed; the arena does not grow while they are sorted or written
      // out.
      unsafe (entries + index).initialize(to: SortEntry(prefix: 0, bytes: base + offsets[index]))
    }
    let scratch = UnsafeMutablePointer<SortEntry>.allocate(capacity: max(entryCount, 1))
    defer { unsafe scratch.deallocate() }
    unsafe EntrySort(entries, count: entryCount, scratch: scratch).sort()
    return unsafe entries
  }

  private func spill() throws(PageError) {
    let entries = unsafe sortedEntries()
    defer { unsafe entries.deallocate() }
    if file < 0 {
      guard let descriptor = TemporaryFile.open(prefix: temporaryPath) else { throw failure() }
      file = descriptor
    }
    let start = fileSize
    let capacity = 1 << 18
    let block = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    defer { unsafe block.deallocate() }
    var filled = 0
    for index in 0..<entryCount {
      let entry = unsafe entries[index].bytes
      let size = unsafe 8 + SortEntry.keyCount(entry) + SortEntry.payloadCount(entry)
      if filled + size > capacity {
        unsafe try write(block, filled)
        filled = 0
      }
      if size > capacity {
        unsafe try write(entry, size)
      } else {
        unsafe (block + filled).copyMemory(from: entry, byteCount: size)
        filled += size
      }
    }
    unsafe try write(block, filled)
    runs.append(start..<fileSize)
    entryCount = 0
    arenaCount = 0
  }

  @unsafe private func write(_ bytes: UnsafeRawPointer, _ count: Int) throws(PageError) {
    var done = 0
    while done < count {
      let written = unsafe pwrite(
        file, bytes + done, min(count - done, KeyArena.writeSize), off_t(fileSize + done))
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw failure() }
      done += written
    }
    fileSize += count
  }

  private func failure() -> PageError {
    PageError(
      kind: .inputOutput, message: "cannot write \(temporaryPath): \(unsafe String(cString: strerror(errno)))")
  }
}
