import Foundation

/// Sorts index records by byte strings that compare as the keys do, in bounded memory: what is over the budget goes to a
/// temporary file as sorted runs, which are merged when they are read.
@safe final class KeySorter {
  /// The first eight bytes of a sort key, and where the whole entry lies.
  private struct Entry {
    var prefix: UInt64
    var offset: Int
  }

  private let budget: Int
  private let temporaryPath: String
  private var entries: [Entry] = []
  /// Entries: the length of the sort key and of the payload, 4 bytes each, then both.
  private var arena: [UInt8] = []
  private var runs: [Range<Int>] = []
  private var file: FileHandle?
  private var fileSize = 0

  /// - Parameters:
  ///   - budget: bytes to hold in memory.
  ///   - temporaryPath: where runs go; the file is removed at once and takes no name.
  init(budget: Int, temporaryPath: String) {
    self.budget = max(budget, 1 << 16)
    self.temporaryPath = temporaryPath
  }

  /// Adds an entry.
  func append(key: [UInt8], payload: [UInt8]) throws(PageError) {
    if arena.count + key.count + payload.count + entries.count * MemoryLayout<Entry>.stride + 24 > budget,
      !entries.isEmpty
    {
      try spill()
    }
    var prefix: UInt64 = 0
    for index in 0..<8 { prefix = prefix << 8 | UInt64(index < key.count ? key[index] : 0) }
    entries.append(Entry(prefix: prefix, offset: arena.count))
    KeySorter.appendNumber(key.count, to: &arena)
    KeySorter.appendNumber(payload.count, to: &arena)
    arena += key
    arena += payload
  }

  private static func appendNumber(_ number: Int, to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: UInt32(number)) { unsafe bytes.append(contentsOf: $0) }
  }

  private func sort() {
    unsafe arena.withUnsafeBytes { arena in
      guard let base = arena.baseAddress else { return }
      entries.sort { left, right in
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return unsafe KeySorter.compare(base + left.offset, base + right.offset) < 0
      }
    }
  }

  /// Compares two entries by their sort keys.
  @unsafe private static func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Int {
    let leftCount = Int(unsafe left.loadUnaligned(as: UInt32.self))
    let rightCount = Int(unsafe right.loadUnaligned(as: UInt32.self))
    let order = unsafe memcmp(left + 8, right + 8, min(leftCount, rightCount))
    return order != 0 ? Int(order) : leftCount - rightCount
  }

  private func spill() throws(PageError) {
    sort()
    do {
      if file == nil {
        try Data().write(to: URL(fileURLWithPath: temporaryPath))
        file = try FileHandle(forUpdating: URL(fileURLWithPath: temporaryPath))
        try FileManager.default.removeItem(atPath: temporaryPath)
      }
      let start = fileSize
      var block: [UInt8] = []
      for entry in entries {
        block += arena[entry.offset..<(entry.offset + size(at: entry.offset))]
        if block.count > 1 << 20 {
          try file?.write(contentsOf: block)
          fileSize += block.count
          block.removeAll(keepingCapacity: true)
        }
      }
      try file?.write(contentsOf: block)
      fileSize += block.count
      runs.append(start..<fileSize)
    } catch {
      throw PageError(kind: .inputOutput, message: "cannot write \(temporaryPath): \(error)")
    }
    entries.removeAll(keepingCapacity: true)
    arena.removeAll(keepingCapacity: true)
  }

  private func size(at offset: Int) -> Int {
    unsafe arena.withUnsafeBytes { arena in
      8 + Int(unsafe arena.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        + Int(unsafe arena.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
    }
  }

  /// Hands out all entries in order. Nothing can be added afterwards.
  @unsafe func forEach(
    _ body: (_ key: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    if runs.isEmpty {
      sort()
      let result: Result<Void, PageError> = unsafe arena.withUnsafeBytes { arena in
        do throws(PageError) {
          guard let base = arena.baseAddress else { return .success(()) }
          for entry in entries { unsafe try KeySorter.call(body, base + entry.offset) }
          return .success(())
        } catch {
          return .failure(error)
        }
      }
      return try result.get()
    }
    if !entries.isEmpty { try spill() }
    arena = []
    entries = []
    guard let file else { return }
    let share = max(budget / (runs.count + 1), 1 << 16)
    let readers = runs.map { RunReader(file: file, range: $0, capacity: share) }
    // The number of runs is small: the smallest head is found by comparing them all.
    var open: [RunReader] = []
    for reader in readers where try reader.advance() { open.append(reader) }
    while !open.isEmpty {
      var best = 0
      for index in 1..<max(open.count, 1) where unsafe KeySorter.compare(open[index].entry, open[best].entry) < 0 {
        best = index
      }
      unsafe try KeySorter.call(body, open[best].entry)
      if try !open[best].advance() { open.remove(at: best) }
    }
  }

  @inline(__always)
  @unsafe private static func call(
    _ body: (_ key: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) throws(PageError) -> Void,
    _ entry: UnsafeRawPointer
  ) throws(PageError) {
    let keyCount = Int(unsafe entry.loadUnaligned(as: UInt32.self))
    let payloadCount = Int(unsafe (entry + 4).loadUnaligned(as: UInt32.self))
    unsafe try body(
      UnsafeRawBufferPointer(start: entry + 8, count: keyCount),
      UnsafeRawBufferPointer(start: entry + 8 + keyCount, count: payloadCount))
  }
}

/// Reads one sorted run from the temporary file, a block at a time.
@safe private final class RunReader {
  private let file: FileHandle
  private var position: Int
  private let end: Int
  @unsafe private var block: UnsafeMutableRawPointer
  private var capacity: Int
  private var start = 0
  private var count = 0
  private var entrySize = 0

  init(file: FileHandle, range: Range<Int>, capacity: Int) {
    self.file = file
    position = range.lowerBound
    end = range.upperBound
    self.capacity = capacity
    unsafe block = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { unsafe block.deallocate() }

  /// The current entry, valid until the next `advance`.
  @unsafe var entry: UnsafeRawPointer { unsafe UnsafeRawPointer(block + start) }

  /// Goes to the next entry; false at the end.
  func advance() throws(PageError) -> Bool {
    start += entrySize
    count -= entrySize
    entrySize = 0
    if count == 0 && position == end { return false }
    try fill(8)
    let size =
      8 + Int(unsafe (block + start).loadUnaligned(as: UInt32.self))
      + Int(unsafe (block + start + 4).loadUnaligned(as: UInt32.self))
    try fill(size)
    entrySize = size
    return true
  }

  /// Makes sure that so many bytes are there from `start` on.
  private func fill(_ wanted: Int) throws(PageError) {
    if count >= wanted { return }
    unsafe block.copyMemory(from: block + start, byteCount: count)
    start = 0
    if wanted > capacity {
      let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
      unsafe larger.copyMemory(from: block, byteCount: count)
      unsafe block.deallocate()
      unsafe block = larger
      capacity = wanted
    }
    while count < wanted {
      let size = min(capacity - count, end - position)
      let read = unsafe pread(file.fileDescriptor, block + count, size, off_t(position))
      guard size > 0, read > 0 else {
        throw PageError(kind: .inputOutput, message: "cannot read back a sorted run")
      }
      position += read
      count += read
    }
  }
}
