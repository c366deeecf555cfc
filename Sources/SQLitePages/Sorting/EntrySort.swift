import Foundation

/// A sort key with its payload, in memory: the lengths of key and payload, 4 bytes each, then both.
///
/// `bytes` belong to the arena or to the block of a file that the entry was read from, and outlive the sort.
@safe struct SortEntry {
  /// Eight bytes of the key, from the depth at which the sort compares.
  var prefix: UInt64
  /// Where the entry begins.
  @unsafe var bytes: UnsafePointer<UInt8>

  @inline(__always)
  @unsafe static func keyCount(_ bytes: UnsafePointer<UInt8>) -> Int {
    Int(unsafe UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
  }

  @inline(__always)
  @unsafe static func payloadCount(_ bytes: UnsafePointer<UInt8>) -> Int {
    Int(unsafe UnsafeRawPointer(bytes + 4).loadUnaligned(as: UInt32.self))
  }

  /// Eight bytes of a key from a depth on, as a number that compares as they do; what is missing counts as zero.
  @inline(__always)
  @unsafe static func prefix(_ bytes: UnsafePointer<UInt8>, at depth: Int) -> UInt64 {
    let count = unsafe keyCount(bytes)
    // Safety: the key begins behind the two lengths; nothing is read beyond its count.
    if depth + 8 <= count {
      return UInt64(bigEndian: unsafe UnsafeRawPointer(bytes + 8 + depth).loadUnaligned(as: UInt64.self))
    }
    var prefix: UInt64 = 0
    for index in 0..<8 {
      prefix = prefix << 8 | (depth + index < count ? UInt64(unsafe bytes[8 + depth + index]) : 0)
    }
    return prefix
  }

  /// Compares two keys by their bytes.
  @inline(__always)
  @unsafe static func compare(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, from depth: Int) -> Int {
    let leftCount = unsafe keyCount(left)
    let rightCount = unsafe keyCount(right)
    let order = unsafe memcmp(left + 8 + depth, right + 8 + depth, max(min(leftCount, rightCount) - depth, 0))
    return order != 0 ? Int(order) : leftCount - rightCount
  }

  /// How many bytes two keys have in common, beginning at a depth and up to a limit.
  @inline(__always)
  @unsafe static func commonCount(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, from depth: Int, limit: Int
  ) -> Int {
    let end = unsafe min(limit, min(keyCount(left), keyCount(right)))
    var position = depth
    while position + 8 <= end {
      let own = unsafe UnsafeRawPointer(left + 8 + position).loadUnaligned(as: UInt64.self)
      let other = unsafe UnsafeRawPointer(right + 8 + position).loadUnaligned(as: UInt64.self)
      let difference = (own ^ other).littleEndian
      if difference != 0 { return position + difference.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < end, unsafe left[8 + position] == right[8 + position] { position += 1 }
    return position
  }
}

/// Sorts entries by their keys.
///
/// Eight bytes of each key are held beside its address and sorted by merging, which touches no key; entries with the
/// same eight bytes are sorted by the next ones that differ, and so on. The number of steps is bounded by n log n and
/// the length of the keys, whatever they are.
///
/// `entries` and `scratch` have room for `count` entries each and belong to the caller. Groups are disjoint ranges of
/// `entries`, and `scratch` is used from its start for one group at a time.
@safe struct EntrySort {
  @unsafe private let entries: UnsafeMutablePointer<SortEntry>
  @unsafe private let scratch: UnsafeMutablePointer<SortEntry>
  private let count: Int

  /// - Parameter scratch: room for as many entries.
  @unsafe init(
    _ entries: UnsafeMutablePointer<SortEntry>, count: Int, scratch: UnsafeMutablePointer<SortEntry>
  ) {
    unsafe self.entries = entries
    unsafe self.scratch = scratch
    self.count = count
  }

  private static let smallCount = 12

  func sort() {
    var groups: [(start: Int, count: Int, depth: Int)] = [(0, count, 0)]
    while let group = groups.popLast() {
      let base = unsafe entries + group.start
      if group.count <= EntrySort.smallCount {
        unsafe EntrySort.insertionSort(base, group.count, depth: group.depth)
        continue
      }
      let depth = unsafe EntrySort.commonCount(base, group.count, from: group.depth)
      for index in 0..<group.count { unsafe base[index].prefix = SortEntry.prefix(base[index].bytes, at: depth) }
      unsafe mergeSort(base, group.count)
      var start = 0
      while start < group.count {
        var end = start + 1
        while end < group.count, unsafe base[end].prefix == base[start].prefix { end += 1 }
        // Keys without a further byte are equal: nothing is left to sort by.
        let isExhausted = unsafe end - start == group.count && depth + 8 >= SortEntry.keyCount(base[start].bytes)
        if end - start > 1 && !isExhausted { groups.append((group.start + start, end - start, depth + 8)) }
        start = end
      }
    }
  }

  /// How many bytes all keys of a group have in common.
  @unsafe private static func commonCount(_ base: UnsafePointer<SortEntry>, _ count: Int, from depth: Int) -> Int {
    let first = unsafe base[0].bytes
    var common = unsafe SortEntry.keyCount(first)
    for index in 1..<count {
      common = unsafe SortEntry.commonCount(first, base[index].bytes, from: depth, limit: common)
    }
    return common
  }

  @unsafe private static func insertionSort(_ base: UnsafeMutablePointer<SortEntry>, _ count: Int, depth: Int) {
    for index in 1..<max(count, 1) {
      let entry = unsafe base[index]
      var place = index
      while place > 0, unsafe SortEntry.compare(base[place - 1].bytes, entry.bytes, from: depth) > 0 {
        unsafe base[place] = base[place - 1]
        place -= 1
      }
      unsafe base[place] = entry
    }
  }

  /// Sorts by prefix: blocks by insertion, then by merging twice as many each time.
  @unsafe private func mergeSort(_ base: UnsafeMutablePointer<SortEntry>, _ count: Int) {
    if unsafe EntrySort.isSorted(base, count) { return }
    let block = 8
    var start = 0
    while start < count {
      let end = min(start + block, count)
      for index in (start + 1)..<max(end, start + 1) {
        let entry = unsafe base[index]
        var place = index
        while place > start, unsafe base[place - 1].prefix > entry.prefix {
          unsafe base[place] = base[place - 1]
          place -= 1
        }
        unsafe base[place] = entry
      }
      start = end
    }
    var source = unsafe base
    var target = unsafe scratch
    var width = block
    while width < count {
      var start = 0
      while start < count {
        let middle = min(start + width, count)
        let end = min(middle + width, count)
        unsafe EntrySort.merge(source, start, middle, end, into: target)
        start = end
      }
      unsafe swap(&source, &target)
      width *= 2
    }
    // Safety: after an odd number of rounds the group is in `scratch`, whole: each round moved all of it.
    if unsafe source != base { unsafe base.update(from: source, count: count) }
  }

  @unsafe private static func isSorted(_ base: UnsafePointer<SortEntry>, _ count: Int) -> Bool {
    for index in 1..<max(count, 1) where unsafe base[index - 1].prefix > base[index].prefix { return false }
    return true
  }

  @inline(__always)
  @unsafe private static func merge(
    _ source: UnsafePointer<SortEntry>, _ start: Int, _ middle: Int, _ end: Int,
    into target: UnsafeMutablePointer<SortEntry>
  ) {
    var left = start
    var right = middle
    var place = start
    if unsafe middle == end || source[middle - 1].prefix <= source[middle].prefix {
      unsafe (target + start).update(from: source + start, count: end - start)
      return
    }
    while left < middle && right < end {
      // Which of the two is taken is not predictable: no branch depends on it.
      let takesRight = unsafe source[right].prefix < source[left].prefix ? 1 : 0
      unsafe target[place] = source[takesRight == 1 ? right : left]
      right += takesRight
      left += 1 - takesRight
      place += 1
    }
    unsafe (target + place).update(from: source + left, count: middle - left)
    unsafe (target + place + middle - left).update(from: source + right, count: end - right)
  }
}
