import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Hands out the entries of finished arenas, all together in order.
@safe struct KeyMerge {
  /// Sorted sources of entries that are not at their end, as a heap: the one with the smallest key is the first.
  private var sources: [KeySource] = []
  private let arenas: [KeyArena]

  /// - Parameter budget: bytes for reading back what the arenas have written to their files.
  init(_ arenas: [KeyArena], budget: Int) throws(PageError) {
    self.arenas = arenas
    let runCount = arenas.reduce(0) { $0 + $1.runs.count }
    let capacity = min(max(budget / max(runCount, 1), 1 << 14), 1 << 20)
    for arena in arenas {
      for run in arena.runs { sources.append(KeySource(file: arena.file, range: run, capacity: capacity)) }
      if let entries = unsafe arena.sorted { unsafe sources.append(KeySource(entries, count: arena.entryCount)) }
    }
    var open: [KeySource] = []
    for source in sources where try source.advance() { open.append(source) }
    sources = open
    for index in stride(from: sources.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// Hands out all entries. They are valid during the call only.
  @unsafe mutating func forEach(_ body: (UnsafePointer<UInt8>) throws(PageError) -> Void) throws(PageError) {
    while sources.count > 1 {
      unsafe try body(sources[0].entry)
      if try !sources[0].advance() {
        sources.swapAt(0, sources.count - 1)
        sources.removeLast()
      }
      sink(0)
    }
    guard let last = sources.first else { return }
    repeat { unsafe try body(last.entry) } while try last.advance()
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var child = index * 2 + 1
      if child >= sources.count { return }
      if child + 1 < sources.count, sources[child + 1].isBefore(sources[child]) { child += 1 }
      if !sources[child].isBefore(sources[index]) { return }
      sources.swapAt(child, index)
      index = child
    }
  }
}

/// One sorted sequence of entries, in memory or in a file, which is read a block at a time.
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
