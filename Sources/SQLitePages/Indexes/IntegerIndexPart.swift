/// The entries of an index for a range of its values, in their order: first those of a leaf that the part before has
/// left open, then those of the range.
///
/// Workers write to `rowIDs` at once, each in places of its own: they were counted in one pass over the columns and are
/// filled in a second one over the same rows, in the same order. Columns do not change between the two.
@safe final class IntegerIndexPart: @unchecked Sendable {
  /// Entries of a leaf that is not full yet.
  struct Carried {
    var slots: [Int] = []
    var rowIDs: [UInt32] = []
  }

  let slots: Range<Int>
  private let workers: Int
  private let carried: Carried
  /// By worker and slot: first how many rows there are, then where the next one goes, and in the end where the rows of
  /// the worker end. Each worker has places of its own, so nothing is shared.
  @unsafe let tables: [UnsafeMutablePointer<UInt32>]
  /// The row id of every entry.
  @unsafe private(set) var rowIDs: UnsafeMutablePointer<UInt32>
  private(set) var entryCount: Int

  init(slots: Range<Int>, workers: Int, carried: Carried) {
    self.slots = slots
    self.workers = workers
    self.carried = carried
    let count = max(slots.count, 1)
    unsafe tables = (0..<workers).map { _ in
      let table = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
      unsafe table.initialize(repeating: 0, count: count)
      return unsafe table
    }
    entryCount = carried.rowIDs.count
    unsafe rowIDs = .allocate(capacity: 1)
  }

  deinit {
    unsafe tables.forEach { unsafe $0.deallocate() }
    unsafe rowIDs.deallocate()
  }

  /// Makes room for all row ids, once they are counted.
  func allocateRowIDs() {
    for worker in 0..<workers {
      let table = unsafe tables[worker]
      for slot in 0..<slots.count { unsafe entryCount += Int(table[slot]) }
    }
    unsafe rowIDs.deallocate()
    unsafe rowIDs = .allocate(capacity: max(entryCount, 1))
    for (index, rowID) in carried.rowIDs.enumerated() { unsafe rowIDs[index] = rowID }
  }

  /// Within a value, the rows of the first worker come first.
  func turnCountsIntoPlaces() {
    var place = UInt32(carried.rowIDs.count)
    for slot in 0..<slots.count {
      for worker in 0..<workers {
        let table = unsafe tables[worker]
        let count = unsafe table[slot]
        unsafe table[slot] = place
        place += count
      }
    }
  }

  /// Where the entries of each slot end, once all rows are placed.
  @unsafe private var ends: UnsafeMutablePointer<UInt32> { unsafe tables[workers - 1] }

  /// Hands out the slots that have entries.
  func forEachSlot(_ body: (_ slot: Int, _ entries: Range<Int>) -> Void) {
    var start = carried.rowIDs.count
    // Safety: each table has an end for each slot.
    let ends = unsafe self.ends
    for index in 0..<slots.count {
      let end = unsafe Int(ends[index])
      if end > start { body(slots.lowerBound + index, start..<end) }
      start = end
    }
  }

  /// The entries of a leaf that this part does not fill.
  func carried(from leaf: IntegerIndexPlan.Leaf) -> Carried {
    var result = Carried()
    forEachEntry(from: leaf, end: entryCount) { slot, entries in
      for entry in entries {
        result.slots.append(slot)
        unsafe result.rowIDs.append(rowIDs[entry])
      }
    }
    return result
  }

  /// Hands out entries of a leaf slot by slot.
  @inline(__always)
  private func forEachEntry(
    from leaf: IntegerIndexPlan.Leaf, end: Int, _ body: (_ slot: Int, _ entries: Range<Int>) -> Void
  ) {
    var position = leaf.start
    while position < min(end, carried.slots.count) {
      body(carried.slots[position], position..<(position + 1))
      position += 1
    }
    let ends = unsafe self.ends
    var index = max(leaf.slot - slots.lowerBound, 0)
    // Safety: the last slot ends with the last entry, and `end` is no greater, so `index` stays under the slots' count.
    while position < end {
      let endOfSlot = unsafe min(Int(ends[index]), end)
      if endOfSlot > position {
        body(slots.lowerBound + index, position..<endOfSlot)
        position = endOfSlot
      }
      index += 1
    }
  }

  // MARK: - Pages

  /// Makes the page of a leaf.
  /// - Parameters:
  ///   - page: `pageSize` bytes.
  ///   - end: the entry behind the leaf's last one.
  @unsafe func fill(
    _ page: UnsafeMutableRawPointer, _ geometry: PageGeometry, _ leaf: IntegerIndexPlan.Leaf, end: Int
  ) {
    unsafe page.initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize)
    var content = geometry.usableSize
    var pointers = PageKind.leafIndex.headerSize
    // Safety: the plan gave the leaf no more entries than fit with their pointers, so `content` stays behind them.
    let rowIDs = unsafe self.rowIDs
    forEachEntry(from: leaf, end: end) { slot, entries in
      let keySize = IntegerKeyForm.size(slot: slot)
      let keyType = UInt32(IntegerKeyForm.type(slot: slot))
      let key = UInt64(max(slot - 1, 0)).bigEndian
      var position = entries.lowerBound
      while position < entries.upperBound {
        let form = IntegerKeyForm.RowID(unsafe rowIDs[position])
        let size = 4 + keySize + form.size
        let header = (UInt32(size - 1) | 3 << 8 | keyType << 16 | UInt32(form.type) << 24).littleEndian
        while position < entries.upperBound {
          let rowID = unsafe rowIDs[position]
          if rowID > form.greatest { break }
          content -= size
          if content - pointers >= 12 {
            // The numbers are written from the end to the front as eight bytes each; the next one overwrites the excess
            // bytes. The bytes below the cell are free, and those below the last cell are cleared at the end.
            let end = unsafe page + content + size
            unsafe (end - 8).storeBytes(of: UInt64(rowID).bigEndian, as: UInt64.self)
            unsafe (end - form.size - 8).storeBytes(of: key, as: UInt64.self)
            unsafe (page + content).storeBytes(of: header, as: UInt32.self)
          } else {
            unsafe IntegerIndexPart.writeEntry(slot: slot, rowID: rowID, to: page + content)
          }
          unsafe (page + pointers).storeBytes(of: UInt16(truncatingIfNeeded: content).bigEndian, as: UInt16.self)
          pointers += 2
          position += 1
        }
      }
    }
    let garbage = max(pointers, content - 8)
    unsafe (page + garbage).initializeMemory(as: UInt8.self, repeating: 0, count: content - garbage)
    let cellCount = (pointers - PageKind.leafIndex.headerSize) / 2
    unsafe page.storeBytes(of: PageKind.leafIndex.rawValue, as: UInt8.self)
    unsafe (page + 3).storeBytes(of: UInt16(truncatingIfNeeded: cellCount).bigEndian, as: UInt16.self)
    unsafe (page + 5).storeBytes(of: UInt16(truncatingIfNeeded: content).bigEndian, as: UInt16.self)
  }

  /// Writes one entry, byte by byte: the length of the record, and the record.
  /// - Returns: its bytes.
  @discardableResult
  @unsafe static func writeEntry(slot: Int, rowID: UInt32, to target: UnsafeMutableRawPointer) -> Int {
    let form = IntegerKeyForm.RowID(rowID)
    let keySize = IntegerKeyForm.size(slot: slot)
    let size = 4 + keySize + form.size
    unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: size - 1), as: UInt8.self)
    unsafe target.storeBytes(of: 3, toByteOffset: 1, as: UInt8.self)
    unsafe target.storeBytes(of: IntegerKeyForm.type(slot: slot), toByteOffset: 2, as: UInt8.self)
    unsafe target.storeBytes(of: form.type, toByteOffset: 3, as: UInt8.self)
    for index in 0..<keySize {
      let byte = UInt8(truncatingIfNeeded: (slot - 1) >> (8 * (keySize - 1 - index)))
      unsafe target.storeBytes(of: byte, toByteOffset: 4 + index, as: UInt8.self)
    }
    for index in 0..<form.size {
      let byte = UInt8(truncatingIfNeeded: Int(rowID) >> (8 * (form.size - 1 - index)))
      unsafe target.storeBytes(of: byte, toByteOffset: 4 + keySize + index, as: UInt8.self)
    }
    return size
  }
}
